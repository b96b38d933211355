package host

import (
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/mem"
)

// Two ranks need no others to send and receive. In the heap of the receiver is a box for
// each sender, in which it says what it sends: where it can be read, or, if it is short or
// not mapped by the receiver, that it comes through a pipe in the sender's heap.

// box is what a receiver is told by one sender, in two cache lines.
type box struct {
	posted atomic.Uint64 // messages so far
	bytes  uint64        // of the last one
	kind   uint64        // what its elements are
	where  uint64        // location; 0: it comes through the pipe
	filled atomic.Uint64 // slots of the pipe so far

	signals atomic.Uint64 // so far
	_       [80]byte
}

// tick is what a sender is told by one receiver.
type tick struct {
	done    atomic.Uint64 // messages taken
	drained atomic.Uint64 // slots taken
	_       [112]byte
}

const (
	slots     = 2       // of a pipe
	slotBytes = 4 << 10 // of a slot, where memory can be read in place
	wideBytes = 32 << 10
	pageBytes = 4 << 10
)

// layout is where what is in a heap.
type layout struct{ ranks, slot uintptr }

func (l layout) box(from int) uintptr { return uintptr(from) * unsafe.Sizeof(box{}) }
func (l layout) tick(from int) uintptr {
	return l.box(int(l.ranks)) + uintptr(from)*unsafe.Sizeof(tick{})
}
func (l layout) pipe(to int) uintptr { return l.tick(int(l.ranks)) + uintptr(to)*slots*l.slot }
func (l layout) size() uintptr       { return (l.pipe(int(l.ranks)) + pageBytes - 1) &^ (pageBytes - 1) }

// slotFor is how large slots are.
func slotFor(staged bool) uintptr {
	if staged {
		return wideBytes
	}
	return slotBytes
}

func heapSize(ranks int, staged bool) uintptr { return layout{uintptr(ranks), slotFor(staged)}.size() }

// pairing is this rank with one other.
type pairing struct {
	peer      int
	out       *box  // of the other
	outTick   *tick // own
	outPipe   unsafe.Pointer
	in        *box // own
	inTick    *tick
	inPipe    unsafe.Pointer
	sent, got uint64 // messages
	filled    uint64 // slots of the own pipe
	drained   uint64 // of the other's
	signalled uint64 // signals that were waited for
	sending   *transfer
	receiving *transfer
}

func newPairings(h *enginehost.Heap, ranks int, slot uintptr) []pairing {
	l, me, own := layout{uintptr(ranks), slot}, h.Rank(), h.Base(h.Rank())
	all := make([]pairing, ranks)
	for i := range all {
		other := h.Base(i)
		all[i] = pairing{
			peer:    i,
			out:     (*box)(unsafe.Add(other, l.box(me))),
			outTick: (*tick)(unsafe.Add(own, l.tick(i))),
			outPipe: unsafe.Add(own, l.pipe(i)),
			in:      (*box)(unsafe.Add(own, l.box(i))),
			inTick:  (*tick)(unsafe.Add(other, l.tick(me))),
			inPipe:  unsafe.Add(other, l.pipe(me)),
		}
	}
	return all
}

// send goes on with a transfer, as far as that is possible now.
func (p *pairing) send(t *transfer, w *world, slot uintptr) {
	if p.sending != nil && p.sending != t { // one after the other
		return
	}
	p.sending = t
	if !t.posted {
		if p.outTick.done.Load() < p.sent { // the box is not read yet
			return
		}
		t.posted = true
		if t.bytes > slotBytes {
			t.where = w.location(t.addr)
		}
		p.sent++
		p.out.bytes, p.out.kind, p.out.where = uint64(t.bytes), t.kind, t.where
		p.out.posted.Store(p.sent)
		w.heap.Ring(p.peer)
	}
	if t.where != 0 {
		t.over = p.outTick.done.Load() >= p.sent
	} else {
		p.fill(t, w, slot)
	}
	if t.over {
		p.sending = nil
	}
}

// fill puts data into the slots that are free.
func (p *pairing) fill(t *transfer, w *world, slot uintptr) {
	for t.at < t.bytes && p.filled-p.outTick.drained.Load() < slots {
		n := min(slot, t.bytes-t.at)
		mem.Put(unsafe.Add(p.outPipe, uintptr(p.filled%slots)*slot), mem.Pointer(t.addr+t.at), n)
		t.at += n
		p.filled++
		p.out.filled.Store(p.filled)
		w.heap.Ring(p.peer)
	}
	t.over = t.at == t.bytes
}

// receive goes on with a transfer, as far as that is possible now.
func (p *pairing) receive(t *transfer, w *world, slot uintptr) error {
	if p.receiving != nil && p.receiving != t {
		return nil
	}
	p.receiving = t
	if !t.posted {
		if p.in.posted.Load() == p.got {
			return nil
		}
		t.posted = true
		p.got++
		if p.in.bytes != uint64(t.bytes) || p.in.kind != t.kind {
			return &engine.Stall{Cause: engine.ErrMismatch, Detail: t.differs(p, w.heap.Rank())}
		}
		t.where = p.in.where
	}
	if t.where != 0 {
		mem.Get(mem.Pointer(t.addr), mem.Pointer(w.address(p.peer, t.where)), t.bytes)
		t.at = t.bytes
	} else {
		p.drain(t, w, slot)
	}
	if t.over = t.at == t.bytes; t.over {
		p.receiving = nil
		p.inTick.done.Store(p.got)
		w.heap.Ring(p.peer)
	}
	return nil
}

// drain takes data out of the slots that are full.
func (p *pairing) drain(t *transfer, w *world, slot uintptr) {
	for t.at < t.bytes && p.in.filled.Load() > p.drained {
		n := min(slot, t.bytes-t.at)
		mem.Get(mem.Pointer(t.addr+t.at), unsafe.Add(p.inPipe, uintptr(p.drained%slots)*slot), n)
		t.at += n
		p.drained++
		p.inTick.drained.Store(p.drained)
		w.heap.Ring(p.peer)
	}
}
