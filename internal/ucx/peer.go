package ucx

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/yield"
)

// Peer is a Worker elsewhere, as one of ours reaches it.
type Peer struct {
	w       *Worker
	name    string
	ep      uintptr
	fault   *int32  // what UCX said when it gave the peer up; 0: it has not
	posted  uint64  // how many operations were started
	flushed uint64  // how many of them are known to have arrived
	direct  bool    // some of its memory is mapped here, and used without the library
	late    bool    // some were not over when their calls returned, since the last flush
	loose   uintptr // bytes of those that were started, since the last flush; small ones count for more
	half    uintptr // what loose was when the peer was asked to confirm them
	kept    uintptr // the request of that
	who     uint64  // its identity
	heard   time.Time
	signs   atomic.Uint32 // of its life
	saying  uintptr       // the request of the last alive message
	word    *uint64       // what that says
	stuck   bool          // UCX may still write where it was told to
	gone    atomic.Pointer[error]
	remotes []*Remote

	// Of requests, which are numbered: how many were sent, the last that was to be
	// confirmed, that is, and was refused.
	asked, marked, confirmed, refused uint64
	unsure                            uintptr // bytes of those since halfway; small ones count for more
	halfway                           uint64  // what has to be confirmed before as much again is sent
	denied                            bool    // one of its requests was refused, and it is not told yet
}

// Connect makes a Peer of an address, which it does not wait for: whether somebody is
// there shows with the first operation. Name is what errors call the peer, "node 2, PE 5".
func (w *Worker) Connect(name string, address []byte) (*Peer, error) {
	data, err := unseal(addressMark, "the address of "+name, address)
	if err == nil {
		data, err = sameVersion("the address of "+name, w.lib.version, data)
	}
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
	p := w.newPeer(name, address)
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
	w.senders[p.who] = p
	p.greet()
	return p, nil
}

func (w *Worker) newPeer(name string, address []byte) *Peer {
	c := (*struct {
		fault int32
		word  uint64
	})(w.cells.take())
	c.fault, c.word = 0, w.identity
	return &Peer{w: w, name: name, who: identity(address), fault: &c.fault, word: &c.word}
}

// Name is what Connect was given.
func (p *Peer) Name() string { return p.name }

// Err says why the peer cannot be reached any more (ErrUnreachable, ErrLeft, ErrClosed);
// nil while nothing is known against it. It does not ask the peer.
func (p *Peer) Err() error {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.err()
}

func (p *Peer) err() error {
	if why := p.gone.Load(); why != nil {
		return *why
	}
	if s := atomic.LoadInt32(p.fault); s != 0 {
		p.w.listen() // it may have said that it leaves
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
	return p.err()
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
// status that says so. Where UCX still has something to send to a peer that takes nothing,
// it would end the process with a failed assertion (1.13): such an endpoint is left as it
// is, and who waits is told by us. The lock is held.
func (p *Peer) drop() {
	if p.ep == 0 {
		return
	}
	w, end := p.w, time.Now().Add(dropFor)
	if !p.stuck && !p.settled(end) {
		p.stuck = true
	}
	if p.stuck {
		p.ep, p.remotes, p.saying, p.kept = 0, nil, 0, 0
		w.left = true
		return
	}
	result := dl.Call(w.lib.epClose, p.ep, dl.Addr(w.closing))
	p.ep = 0
	p.stuck = failed(result) || result != 0 && !w.over(result, end)
	for _, request := range []*uintptr{&p.saying, &p.kept} {
		if *request != 0 {
			dl.Call(w.lib.free, *request)
			*request = 0
		}
	}
	for _, r := range p.remotes {
		r.forget()
	}
	p.remotes = nil
}

// settled says whether UCX has nothing to send to the peer any more, for which it waits a
// little: all is done, or it has given the peer up by itself.
func (p *Peer) settled(end time.Time) bool {
	if atomic.LoadInt32(p.fault) != 0 || p.w.errors == ucx.UCP_ERR_HANDLING_MODE_NONE {
		return true
	}
	flush := dl.Call(p.w.lib.epFlush, p.ep, dl.Addr(p.w.plain))
	return flush == 0 || !failed(flush) && p.w.over(flush, end) || atomic.LoadInt32(p.fault) != 0
}

// over makes progress until a request is over, but not for longer than that, and lets go
// of it. The lock is held.
func (w *Worker) over(request uintptr, end time.Time) bool {
	defer dl.Call(w.lib.free, request)
	for status(dl.Call(w.lib.check, request)) == ucx.UCS_INPROGRESS {
		if time.Now().After(end) {
			return false
		}
		w.turn()
		yield.Core()
	}
	return true
}

// dropFor is how long the end of a closed endpoint is waited for. It does not depend on
// the other side, but over shared memory.
const dropFor = 100 * time.Millisecond
