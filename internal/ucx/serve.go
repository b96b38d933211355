package ucx

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
)

// coming is a request that has not come wholly, or is behind one of the same sender that
// has not: large ones come in parts, or, if the user has UCX ask for them (UCX_RNDV_THRESH),
// later than what was sent behind them.
type coming struct {
	piece
	who uint64
	n   uintptr
}

// early is one of somebody that this Worker has not connected to, to answer to whom it has to.
type early struct {
	who  uint64
	data []byte
}

// obey does what has been asked for by requests. The lock is held.
func (w *Worker) obey() {
	if w.obeying { // to answer is to have the library go on
		return
	}
	w.obeying = true
	if len(w.comings) > 0 {
		w.resume()
	}
	for {
		found := w.line.Call(w.lib.probe, w.worker, requestTag, requestMask, 1, dl.Addr(w.info), 0)
		if found == 0 {
			break
		}
		c := coming{piece{at: w.chunks.take(), from: &w.chunks}, w.info.SenderTag &^ uint64(requestMask), uintptr(w.info.Length)}
		c.request = w.line.Call(w.lib.receive, w.worker, uintptr(c.at), min(c.n, w.chunks.size), found, dl.Addr(w.plain), 0)
		if w.came(&c) && !behind(w.comings, c.who) {
			w.finished(c)
		} else {
			w.comings = append(w.comings, c)
		}
	}
	w.obeying = false
}

// resume goes on with what had not come wholly, and with what its sender has sent behind
// it. What will not come, because its sender is gone, keeps its memory: the library may
// still write there.
func (w *Worker) resume() {
	kept := w.comings[:0]
	for _, c := range w.comings {
		switch p, here := w.senders[c.who], w.came(&c); {
		case here && !behind(kept, c.who):
			w.finished(c)
		case p == nil || p.gone.Load() == nil:
			kept = append(kept, c)
		}
	}
	w.comings = kept
}

// behind says whether something of a sender has to be done first.
func behind(list []coming, who uint64) bool {
	return slices.ContainsFunc(list, func(c coming) bool { return c.who == who })
}

// came says whether a request has come, or failed to.
func (w *Worker) came(c *coming) bool {
	if c.request == 0 || failed(c.request) {
		return true
	}
	s := status(w.line.Call(w.lib.check, c.request, 0, 0, 0, 0, 0))
	if s == ucx.UCS_INPROGRESS {
		return false
	}
	dl.Call(w.lib.free, c.request)
	c.request = uintptr(int(s))
	return true
}

// finished does a request that is here.
func (w *Worker) finished(c coming) {
	if c.request == 0 && c.n >= headSize {
		if p := w.senders[c.who]; p != nil {
			p.perform((*request)(c.at), c.data(), c.n-headSize)
		} else if len(w.earlies) < window {
			w.earlies = append(w.earlies, early{c.who, bytes.Clone(unsafe.Slice((*byte)(c.at), c.n))})
		}
	}
	w.chunks.give(c.at)
}

// greet does what a peer has asked for before this Worker knew it.
func (p *Peer) greet() {
	p.w.earlies = slices.DeleteFunc(p.w.earlies, func(e early) bool {
		if e.who != p.who {
			return false
		}
		c := coming{piece{at: p.w.chunks.take()}, e.who, uintptr(len(e.data))}
		copy(unsafe.Slice((*byte)(c.at), c.n), e.data)
		p.w.finished(c)
		return true
	})
}

// perform does a request of the peer's, and answers if it is to. What makes no sense is
// refused: it is not from a Worker like this one.
func (p *Peer) perform(q *request, data unsafe.Pointer, n uintptr) {
	w := p.w
	if p.gone.Load() != nil || p.ep == 0 { // it gets no answers, and those of its that are late are for nobody
		return
	}
	switch q.kind {
	case askPut:
		if uintptr(q.n) == n && (n == 0 || w.inPlace(uintptr(q.at), n)) {
			land(q.at, data, n)
			p.done(q)
		} else {
			p.refuse(q)
		}
	case tellPut:
		if uintptr(q.n) == n && q.mark <= p.asked && (n == 0 || w.awaits(uintptr(q.at), n)) {
			land(q.at, data, n)
			p.confirmed = max(p.confirmed, q.mark)
		}
	case tellNot:
		if q.mark <= p.asked {
			p.refused, p.confirmed = q.mark, max(p.confirmed, q.mark)
		}
	case askGet:
		p.show(q)
	case askAtomic:
		p.apply(q)
	default:
		p.refuse(q)
	}
}

// land stores what was put.
func land(at uint64, data unsafe.Pointer, n uintptr) {
	if n > 0 {
		mem.Put(address(at, n), data, n)
		mem.Release() // what is put later is seen later
	}
}

// show answers with what is in memory.
func (p *Peer) show(q *request) {
	if n := uintptr(q.n); n > 0 && n <= chunkSize && p.w.inPlace(uintptr(q.at), n) {
		m := p.answer(q, n)
		mem.Get(m.data(), address(q.at, n), n)
		_ = p.post(m, n)
	} else {
		p.refuse(q)
	}
}

// apply does an atomic.
func (p *Peer) apply(q *request) {
	width := uintptr(q.width)
	if width != 4 && width != 8 || q.at%uint64(width) != 0 || !p.w.inPlace(uintptr(q.at), width) || q.op > uint8(Xor) {
		p.refuse(q)
		return
	}
	at := address(q.at, width)
	var old uint64
	if width == 4 {
		old = uint64(atomic32(at, AtomicOp(q.op), uint32(q.operand), uint32(q.compare)))
	} else {
		old = atomic64(at, AtomicOp(q.op), q.operand, q.compare)
	}
	if q.back != 0 {
		m := p.answer(q, 8)
		*(*uint64)(m.data()) = old
		_ = p.post(m, 8) // that the peer is gone is known soon, here as below
	} else {
		p.done(q)
	}
}

// answer prepares an answer with n bytes, which go where who has asked wants them.
func (p *Peer) answer(q *request, n uintptr) piece {
	m, head := p.w.pieceFor(n)
	head.kind, head.n, head.at, head.mark = tellPut, uint32(n), q.back, q.mark
	return m
}

// done confirms a request that has no other answer, and all before it, if it is to be.
func (p *Peer) done(q *request) {
	switch {
	case q.mark == 0:
	case p.denied:
		p.refuse(q)
	default:
		_ = p.post(p.answer(q, 0), 0)
	}
}

// refuse says that a request was none, with the next confirmation if this one is not to be
// confirmed.
func (p *Peer) refuse(q *request) {
	if p.denied = q.mark == 0; p.denied {
		return
	}
	m, head := p.w.pieceFor(0)
	head.kind, head.mark = tellNot, q.mark
	_ = p.post(m, 0)
}

// reap takes back the memory of messages that have left.
func (w *Worker) reap() {
	w.leaving = slices.DeleteFunc(w.leaving, func(m piece) bool {
		if status(w.line.Call(w.lib.check, m.request, 0, 0, 0, 0, 0)) == ucx.UCS_INPROGRESS {
			return false
		}
		dl.Call(w.lib.free, m.request)
		m.from.give(m.at)
		return true
	})
}

// awaits says whether answers may be put to n bytes: those of memory that was registered, or
// that an operation of this Worker has taken for them.
func (w *Worker) awaits(at, n uintptr) bool {
	return w.inPlace(at, n) || w.replies.has(at, n) || w.landings.has(at, n)
}

// address is that of n bytes that are not Go memory.
func address(at uint64, n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(dl.Memory(uintptr(at), int(n))))
}

// atomic64 and atomic32 are the atomics of processors, for memory of ours that others ask for,
// and for memory of theirs that is mapped here.
func atomic64(at unsafe.Pointer, op AtomicOp, operand, compare uint64) uint64 {
	switch op {
	case Add:
		return mem.Add64(at, operand)
	case Swap:
		return mem.Swap64(at, operand)
	case CompareSwap:
		return mem.CompareSwap64(at, compare, operand)
	case And:
		return mem.And64(at, operand)
	case Or:
		return mem.Or64(at, operand)
	}
	return mem.Xor64(at, operand)
}

func atomic32(at unsafe.Pointer, op AtomicOp, operand, compare uint32) uint32 {
	switch op {
	case Add:
		return mem.Add32(at, operand)
	case Swap:
		return mem.Swap32(at, operand)
	case CompareSwap:
		return mem.CompareSwap32(at, compare, operand)
	case And:
		return mem.And32(at, operand)
	case Or:
		return mem.Or32(at, operand)
	}
	return mem.Xor32(at, operand)
}
