package ucx

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Peer is a Worker elsewhere, as one of ours reaches it.
type Peer struct {
	w       *Worker
	name    string
	ep      uintptr
	fault   *int32 // what UCX said when it gave the peer up; 0: it has not
	posted  uint64 // how many operations were started
	flushed uint64 // how many of them are known to have arrived
	loose   bool   // some were not over when their calls returned, since the last flush
	gone    atomic.Pointer[error]
	remotes []*Remote
}

// Connect makes a Peer of an address, which it does not wait for: whether somebody is
// there shows with the first operation. Name is what errors call the peer, "node 2, PE 5".
func (w *Worker) Connect(name string, address []byte) (*Peer, error) {
	data, err := unseal("the address of "+name, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("ucx: connect to %s: %w", name, ErrClosed)
	}
	s := dl.Borrow()
	defer s.Return()
	p := &Peer{w: w, name: name, fault: (*int32)(w.cells.take())}
	*p.fault = 0
	copied := dl.OutSlice[byte](s, len(data))
	copy(copied, data)
	params := dl.In(s, ucx.EPParams{
		FieldMask:  ucx.UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | ucx.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | ucx.UCP_EP_PARAM_FIELD_ERR_HANDLER,
		Address:    dl.Addr(&copied[0]),
		ErrMode:    w.errors,
		ErrHandler: ucx.ErrHandler{CB: faultAt, Arg: uintptr(unsafe.Pointer(p.fault))},
	})
	ep := dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.epCreate, w.worker, dl.Addr(params), dl.Addr(ep))); st != ucx.UCS_OK {
		return nil, w.lib.refused("connect to "+name+w.config.text(), st)
	}
	p.ep = *ep
	w.peers = append(w.peers, p)
	return p, nil
}

// Name is what Connect was given.
func (p *Peer) Name() string { return p.name }

// Err says why the peer cannot be reached any more (ErrUnreachable, ErrClosed); nil while
// nothing is known against it. It looks at one word, and does not ask the peer.
func (p *Peer) Err() error {
	if why := p.gone.Load(); why != nil {
		return *why
	}
	if s := atomic.LoadInt32(p.fault); s != 0 {
		return p.lose(fmt.Errorf("ucx: %s: %w: %s", p.name, ErrUnreachable, p.w.lib.words(int8(s))))
	}
	return nil
}

// lose remembers why the peer is gone. The first reason stays.
func (p *Peer) lose(why error) error {
	p.gone.CompareAndSwap(nil, &why)
	return *p.gone.Load()
}

// usable is an error if nothing can be started. The lock is held.
func (p *Peer) usable() error {
	if p.w.closed {
		return fmt.Errorf("ucx: %s: %w", p.name, ErrClosed)
	}
	return p.Err()
}

// outcome is the error of a status that an operation ended with.
func (p *Peer) outcome(doing string, s int8) error {
	if s == ucx.UCS_OK {
		return nil
	}
	if why := p.usable(); why != nil {
		return why
	}
	if lost(s) {
		return p.lose(fmt.Errorf("ucx: %s: %w: %s: %s", p.name, ErrUnreachable, doing, p.w.lib.words(s)))
	}
	return fmt.Errorf("ucx: %s: %s: %w: %s", p.name, doing, ErrRefused, p.w.lib.words(s))
}

// Close gives the peer up: what is under way ends with an error, here and perhaps there.
// It does not wait for the peer. Again does nothing.
func (p *Peer) Close() error {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.lose(fmt.Errorf("ucx: %s: %w", p.name, ErrClosed))
	p.drop()
	return nil
}

// drop has UCX forget the peer. Operations that are under way are over then, with a
// status that says so. The lock is held.
func (p *Peer) drop() {
	if p.ep == 0 {
		return
	}
	w := p.w
	result := dl.Call(w.lib.epClose, p.ep, dl.Addr(w.closing))
	p.ep = 0
	for round := 0; result != 0 && !failed(result); round++ {
		dl.Call(w.lib.progress, w.worker)
		if status(dl.Call(w.lib.check, result)) != ucx.UCS_INPROGRESS || round == dropRounds {
			dl.Call(w.lib.free, result)
			break
		}
	}
	for _, r := range p.remotes {
		r.forget()
	}
	p.remotes = nil
}

// dropRounds is how long the end of a closed endpoint is waited for: it does not depend
// on the other side.
const dropRounds = 10000
