package ucx

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
)

// Over a network that cannot reach into memory, TCP for one, it is UCX of the target that
// does puts, gets and atomics and answers them; and UCX 1.13 ends its process with
// "unexpected error: Endpoint timeout" where an answer cannot be sent because who asked has
// died. So over such networks a Worker asks with messages of its own, and answers itself
// (serve.go): what cannot be sent is an error then, as it is for all messages. They are
// faster besides: nothing is answered that nobody waits for.
//
// Messages from one Worker to another stay in order, and are done in order: so all that was
// asked for before is done when something is.

// request is the head of such a message. Data of a put follow it.
type request struct {
	kind    uint8
	op      uint8  // of an atomic
	width   uint8  // of its word
	_       uint8  //
	n       uint32 // bytes to put or get
	at      uint64 // address at the receiver
	back    uint64 // address at the sender, for what is got or fetched; 0: the answer is not wanted
	mark    uint64 // not 0: this is to be confirmed; of a put that answers: this is what it confirms
	operand uint64
	compare uint64
}

// The kinds of requests. All answers are puts.
const (
	askPut = 1 + iota
	askGet
	askAtomic
	tellPut // a put that answers, of 0 bytes if there is nothing to say but that it is done
	tellNot // what was asked for is outside of the memory
)

const (
	headSize  = unsafe.Sizeof(request{})
	smallData = cellSize - headSize // so much goes with a head that is in a cell
	// The upper bits of the tag of a request; the lower ones say who sends it.
	requestTag  = uintptr(0x6772) << 48
	requestMask = uintptr(0xffff) << 48
	// No more is under way to a peer than what it can do soon.
	softBacklog = 2 << 20
)

// piece is memory for one message on its way.
type piece struct {
	at      unsafe.Pointer
	from    *pool
	request uintptr // of UCX
}

// pieceFor gives memory for a head and n bytes behind it.
func (w *Worker) pieceFor(n uintptr) (piece, *request) {
	from := &w.chunks
	if n <= smallData {
		from = &w.cells
	}
	at := from.take()
	head := (*request)(at)
	*head = request{}
	return piece{at: at, from: from}, head
}

// data is what stands behind the head.
func (m piece) data() unsafe.Pointer { return unsafe.Add(m.at, headSize) }

// post sends a message, and does not wait until it has left. The lock is held.
func (p *Peer) post(m piece, n uintptr) error {
	w := p.w
	m.request = w.line.Call(w.lib.send, p.ep, uintptr(m.at), headSize+n, requestTag|uintptr(w.identity), dl.Addr(w.plain), 0)
	if m.request != 0 && !failed(m.request) {
		w.leaving = append(w.leaving, m)
		w.turns++
		w.turn() // who starts much does not leave it all to others
		w.rouse()
		return nil
	}
	m.from.give(m.at)
	if m.request != 0 {
		return p.outcome("send", status(m.request))
	}
	return nil
}

// ask sends a request that moves n bytes, of which carried go with it, and waits until the
// peer has done it if it is to. The lock is held.
func (p *Peer) ask(doing string, m piece, carried, n uintptr, wait bool) error {
	if err := p.usable(); err != nil {
		m.from.give(m.at)
		return err
	}
	p.asked++
	mark, before := p.asked, uint64(0)
	p.unsure += max(n, softBacklog/window)
	switch {
	case p.unsure >= softBacklog/2: // what came before the half that ends here has to be done
		before, p.halfway, p.unsure = p.halfway, mark, 0
		fallthrough
	case wait:
		(*request)(m.at).mark, p.marked = mark, mark
	}
	if err := p.post(m, carried); err != nil {
		return err
	}
	if wait {
		return p.confirmation(context.Background(), doing, mark)
	}
	return p.confirmation(context.Background(), doing, before)
}

// confirm waits until all that the peer was asked for is done. The lock is held.
func (p *Peer) confirm(ctx context.Context) error {
	mark := p.asked
	if err := p.usable(); err != nil || p.confirmed >= mark {
		return err
	}
	if p.marked < mark {
		m, head := p.w.pieceFor(0)
		p.marked = mark
		head.kind, head.mark = askPut, mark
		if err := p.post(m, 0); err != nil {
			return err
		}
	}
	return p.confirmation(ctx, "flush", mark)
}

// confirmation waits until the peer has confirmed a mark. The lock is held, and given up on
// the way.
func (p *Peer) confirmation(ctx context.Context, doing string, mark uint64) error {
	w := p.w
	w.inside++
	defer func() { w.inside-- }()
	var wait pause
	var end time.Time
	for looks := 1; p.confirmed < mark; looks++ {
		if err := p.usable(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait.next(w)
		if looks%256 == 0 {
			end = p.patience(doing, end)
		}
	}
	if p.refused == mark && mark != 0 {
		return fmt.Errorf("ucx: %s: %s: %w: the memory is not there any more", p.name, doing, ErrRefused)
	}
	return nil
}

// ask is move by requests. The lock is held, as for those that follow.
func (r *Remote) ask(put, wait bool, offset uintptr, local unsafe.Pointer, n uintptr) error {
	if err := r.ready(); err != nil {
		return err
	}
	switch {
	case put:
		return r.askPut(offset, local, n)
	case r.p.w.inPlace(uintptr(local), n):
		return r.askGet(offset, uintptr(local), n, wait)
	}
	return r.askCopy(offset, local, n)
}

// askPut puts what is at local.
func (r *Remote) askPut(offset uintptr, local unsafe.Pointer, n uintptr) error {
	for n > 0 {
		part := min(n, chunkSize)
		m, head := r.p.w.pieceFor(part)
		head.kind, head.n, head.at = askPut, uint32(part), r.base+uint64(offset)
		mem.Get(m.data(), local, part)
		if err := r.p.ask("put", m, part, part, false); err != nil {
			return err
		}
		if n -= part; n > 0 {
			offset, local = offset+part, unsafe.Add(local, part)
		}
	}
	return nil
}

// askGet has what is at offset put to local.
func (r *Remote) askGet(offset, local, n uintptr, wait bool) error {
	for n > 0 {
		part := min(n, chunkSize)
		m, head := r.p.w.pieceFor(0)
		head.kind, head.n, head.at, head.back = askGet, uint32(part), r.base+uint64(offset), uint64(local)
		if err := r.p.ask("get", m, 0, part, wait && part == n); err != nil {
			return err
		}
		offset, local, n = offset+part, local+part, n-part
	}
	return nil
}

// askCopy gets for Go memory. What comes late, when the peer was given up, lands nowhere.
func (r *Remote) askCopy(offset uintptr, local unsafe.Pointer, n uintptr) error {
	w := r.p.w
	for part := uintptr(0); n > 0; n -= part {
		part = min(n, chunkSize)
		chunk := w.landings.take()
		err := r.askGet(offset, uintptr(chunk), part, true)
		if err == nil {
			mem.Put(local, chunk, part)
		}
		w.landings.give(chunk)
		if err != nil {
			return err
		}
		if n > part {
			offset, local = offset+part, unsafe.Add(local, part)
		}
	}
	return nil
}

// askAtomic does op, and has what was there before put to reply unless that is nil.
func (r *Remote) askAtomic(offset uintptr, op AtomicOp, width int, operand, compare uint64, reply *uint64) error {
	if err := r.word(offset, width); err != nil {
		return err
	}
	m, head := r.p.w.pieceFor(0)
	head.kind, head.op, head.width, head.at = askAtomic, uint8(op), uint8(width), r.base+uint64(offset)
	head.operand, head.compare, head.back = operand, compare, uint64(dl.Addr(reply))
	return r.p.ask("atomic", m, 0, 0, reply != nil)
}

// askFetch does op, and returns what was there before.
func (r *Remote) askFetch(offset uintptr, op AtomicOp, width int, operand, compare uint64) (uint64, error) {
	reply := (*uint64)(r.p.w.replies.take())
	err := r.askAtomic(offset, op, width, operand, compare, reply)
	old := *reply
	r.p.w.replies.give(unsafe.Pointer(reply))
	return old, err
}
