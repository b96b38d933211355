package ucx

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Fence has operations that are started later arrive, at each peer, after those that were
// started before. It waits only for what UCX cannot order by itself.
func (w *Worker) Fence() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("ucx: fence: %w", ErrClosed)
	}
	for i := 0; i < len(w.peers); i++ {
		if err := w.peers[i].fence(); err != nil {
			return err
		}
	}
	if st := status(dl.Call(w.lib.workerFence, w.worker)); st != ucx.UCS_OK {
		return w.lib.refused("fence", st)
	}
	return nil
}

// fence waits for what takes more than one way, or has not left yet: also for what the
// library has been given, if there is memory that needs no library. The lock is held.
func (p *Peer) fence() error {
	if p.w.soft || p.w.ordered && !p.late && !p.direct {
		return nil
	}
	return p.flush(context.Background())
}

// Flush waits until all that was started before has arrived at its peers: what was put
// can be read there. The error is that of the first peer with which it failed; the others
// are flushed nevertheless. The cause of ctx's end is returned when it ends first.
func (w *Worker) Flush(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("ucx: flush: %w", ErrClosed)
	}
	var first error
	for i := 0; i < len(w.peers); i++ { // the lock is given up on the way, and there may be more then
		if err := w.peers[i].flush(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Flush is Worker.Flush for one peer.
func (p *Peer) Flush(ctx context.Context) error {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.flush(ctx)
}

// flush waits for one peer. The lock is held.
func (p *Peer) flush(ctx context.Context) error {
	if p.asked > p.confirmed {
		if err := p.confirm(ctx); err != nil {
			return err
		}
	}
	if p.posted == p.flushed {
		return nil
	}
	if err := p.usable(); err != nil {
		return err
	}
	mark := p.posted
	result := dl.Call(p.w.lib.epFlush, p.ep, dl.Addr(p.w.plain))
	switch {
	case failed(result):
		return p.outcome("flush", status(result))
	case result != 0:
		if err := p.await(ctx, "flush", result); err != nil {
			return err
		}
	}
	p.flushed = max(p.flushed, mark)
	if p.posted == mark {
		p.loose, p.half, p.late = 0, 0, false
	}
	return nil
}
