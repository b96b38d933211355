package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/ucx"
)

// ucxWire is a wire over UCX. What is tried with a PE that nobody has connected to fails.
type ucxWire struct {
	worker  *ucx.Worker
	memory  *ucx.Memory   // the own segment
	remotes []*ucx.Remote // the segments of PEs of other nodes
	peers   []*ucx.Peer
	touched []atomic.Bool // since the last flush
}

// openWire registers the segment of this PE and has handle called with what PEs of other
// nodes send. An operation may take longer than a wait: that a PE is stopped is the error
// of those that wait for it. Local.
func openWire(h *Heap, handle func(message []byte)) (*ucxWire, error) {
	worker, err := ucx.Open(ucx.Config{Peers: len(h.ctl), Timeout: h.timeout * 3 / 2})
	if err != nil {
		return nil, err
	}
	u := &ucxWire{worker: worker, remotes: make([]*ucx.Remote, len(h.ctl)), peers: make([]*ucx.Peer, len(h.ctl)), touched: make([]atomic.Bool, len(h.ctl))}
	if u.memory, err = worker.Register(unsafe.Pointer(h.own), segmentSize(h.size, h.room)); err != nil {
		_ = worker.Close() // the first error is the one that counts
		return nil, err
	}
	worker.Serve(handle)
	return u, nil
}

// connect makes the segment of a PE reachable. It does not wait.
func (u *ucxWire) connect(pe int, host string, address, key []byte, base uint64) error {
	peer, err := u.worker.Connect(fmt.Sprintf("PE %d (host %s)", pe, host), address)
	if err == nil {
		u.peers[pe] = peer
		u.remotes[pe], err = peer.Map(key, base)
	}
	return err
}

func (u *ucxWire) put(pe int, at uintptr, src unsafe.Pointer, n uintptr, later bool) error {
	u.touched[pe].Store(true)
	if later {
		return u.remotes[pe].PutNBI(at, src, n)
	}
	return u.remotes[pe].Put(at, src, n)
}

func (u *ucxWire) get(pe int, at uintptr, dst unsafe.Pointer, n uintptr, later bool) error {
	if later {
		u.touched[pe].Store(true)
		return u.remotes[pe].GetNBI(at, dst, n)
	}
	return u.remotes[pe].Get(at, dst, n)
}

// atomic has UCX do what it can. A fetch adds nothing, and what is not an operation on
// integers is tried until nobody comes in between.
func (u *ucxWire) atomic(pe int, at uintptr, op engine.AMO) (uint64, error) {
	r, width := u.remotes[pe], int(op.Width)
	do := ucx.Add
	switch op.Kind {
	case engine.AMOFetch:
		return r.Atomic(at, ucx.Add, width, 0, 0)
	case engine.AMOSet, engine.AMOSwap:
		return r.Atomic(at, ucx.Swap, width, op.Value, 0)
	case engine.AMOCompareSwap:
		return r.Atomic(at, ucx.CompareSwap, width, op.Value, op.Cond)
	case engine.AMOAnd:
		do = ucx.And
	case engine.AMOOr:
		do = ucx.Or
	case engine.AMOXor:
		do = ucx.Xor
	}
	switch {
	case op.Float:
		return u.addFloat(pe, at, op)
	case op.Blind:
		u.touched[pe].Store(true)
		return 0, r.AtomicNBI(at, do, width, op.Value)
	}
	return r.Atomic(at, do, width, op.Value, 0)
}

func (u *ucxWire) addFloat(pe int, at uintptr, op engine.AMO) (uint64, error) {
	r, width := u.remotes[pe], int(op.Width)
	old, err := r.Atomic(at, ucx.Add, width, 0, 0)
	for err == nil {
		sum := math.Float64bits(math.Float64frombits(old) + math.Float64frombits(op.Value))
		if width == 4 {
			sum = uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(op.Value))))
		}
		var seen uint64
		if seen, err = r.Atomic(at, ucx.CompareSwap, width, sum, old); seen == old {
			break
		}
		old = seen
	}
	return old, err
}

func (u *ucxWire) fence() error { return u.worker.Fence() }

// flush leaves out who has only got messages: he may be stopped, and nobody waits for that.
func (u *ucxWire) flush(ctx context.Context) (first error) {
	for pe := range u.touched {
		if !u.touched[pe].Swap(false) {
			continue
		}
		if err := u.peers[pe].Flush(ctx); err != nil {
			u.touched[pe].Store(true)
			if first == nil {
				first = err
			}
		}
	}
	return first
}

func (u *ucxWire) drain() error { return u.worker.Flush(context.Background()) }

func (u *ucxWire) send(pe int, message []byte) error {
	if u.peers[pe] == nil {
		return errUnknown
	}
	return u.peers[pe].Send(message)
}

func (u *ucxWire) progress() { u.worker.Progress() }

// errUnknown is the error of a PE that nobody has connected to yet.
var errUnknown = errors.New("not connected")

func (u *ucxWire) lost(pe int) error { return u.peers[pe].Err() }

func (u *ucxWire) signs(pe int) uint32 {
	if u.peers[pe] == nil {
		return 0
	}
	return u.peers[pe].Signs()
}

func (u *ucxWire) drop(pe int) error { return u.peers[pe].Close() }

func (u *ucxWire) close() error { return u.worker.Close() }
