package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/heap"
	"github.com/goshmem/goshmem/internal/mem"
)

// Signal is an 8-byte word on every PE that says that data has come. It is a
// small value; copies refer to the same word. OpenSHMEM: a uint64_t sig_addr.
type Signal struct{ a Array[uint64] }

// SignalOp is what a put does to its signal.
type SignalOp int

// The signal operations, numbered as in rocSHMEM.
const (
	SignalSet SignalOp = iota // the signal becomes the value
	SignalAdd                 // the value is added
)

func (op SignalOp) amo(value uint64) (engine.AMO, error) {
	switch op {
	case SignalSet:
		return engine.AMO{Kind: engine.AMOSet, Width: 8, Blind: true, Value: value}, nil
	case SignalAdd:
		return engine.AMO{Kind: engine.AMOAdd, Width: 8, Blind: true, Value: value}, nil
	}
	return engine.AMO{}, problem(ErrArgument, "signal operation %d: use SignalSet or SignalAdd", int(op))
}

// AllocSignal allocates a signal, zero at first. Blocking, collective over the world.
func AllocSignal(ctx context.Context, w *World) (Signal, error) {
	all, err := AllocSignals(ctx, w, 1)
	if err != nil {
		return Signal{}, err
	}
	return all[0], nil
}

// AllocSignals allocates n signals that share no cache line, as one allocation:
// Free of any of them frees all. Blocking, collective over the world.
func AllocSignals(ctx context.Context, w *World, n int) ([]Signal, error) {
	const apart = heap.Grain / 8
	words := min(n, env.MaxHeap)
	if n > 0 {
		words *= apart
	}
	a, err := Alloc[uint64](ctx, w, words)
	if err != nil {
		return nil, err
	}
	signals := make([]Signal, n)
	for i := range signals {
		if signals[i].a, err = a.Slice(i*apart, i*apart+1); err != nil {
			return nil, err
		}
	}
	return signals, nil
}

// SignalAt makes element i of an array usable as a signal. Local.
func SignalAt(a Array[uint64], i int) (Signal, error) {
	if !a.alive() || uint(i) >= uint(a.n) {
		return Signal{}, a.localError("signal at", i)
	}
	return Signal{Array[uint64]{a.b, a.offset(i), 1}}, nil
}

// Free gives the allocation back that the signal belongs to. Blocking, collective
// over the world.
func (s Signal) Free(ctx context.Context) error { return s.a.Free(ctx) }

// Fetch returns the value of this PE's own signal. Local. OpenSHMEM: shmem_signal_fetch.
func (s Signal) Fetch() (uint64, error) {
	v, err := s.a.At(0)
	if err != nil {
		return 0, rename(err, "signal fetch")
	}
	return v, nil
}

// Set stores v in pe's signal, atomically. Order it after data with Fence. Not
// collective. rocSHMEM: rocshmem_signal_set.
func (s Signal) Set(v uint64, pe int) error { return s.apply("signal set", SignalSet, v, pe) }

// Add adds v to pe's signal, atomically. Order it after data with Fence. Not collective.
// rocSHMEM: rocshmem_signal_add.
func (s Signal) Add(v uint64, pe int) error { return s.apply("signal add", SignalAdd, v, pe) }

func (s Signal) apply(name string, op SignalOp, v uint64, pe int) error {
	p := s.a.word(0, pe)
	if p == nil {
		return s.applyFar(name, op, v, pe)
	}
	s.a.b.raise(p, op, v, pe)
	return nil
}

// raise applies op to the signal at p and wakes its PE.
func (b *block) raise(p unsafe.Pointer, op SignalOp, v uint64, pe int) {
	if op == SignalSet {
		mem.Swap64(p, v)
	} else {
		mem.Add64(p, v)
	}
	b.w.heap.Ring(b.lane.world(pe))
}

func (s Signal) applyFar(name string, op SignalOp, v uint64, pe int) error {
	amo, err := op.amo(v)
	if err == nil {
		err = s.a.reach(0, pe)
	}
	if err == nil {
		to := s.a.b.lane.world(pe)
		_, err = s.a.b.lane.moves.Atomic(to, s.a.off, amo)
		s.a.b.w.heap.Ring(to)
	}
	return fail(s.a.World(), name, pe, err)
}

// WaitUntil waits until this PE's own signal compares with v as cmp says, and
// returns the value that did, or the last one seen with an error. Blocking, not
// collective. OpenSHMEM: shmem_signal_wait_until.
func (s Signal) WaitUntil(ctx context.Context, cmp Cmp, v uint64) (uint64, error) {
	err := s.a.awaited(0, cmp)
	if err != nil {
		return 0, fail(s.a.World(), "signal wait until", noPeer, err)
	}
	seen, err := await(ctx, s.a, 0, cmp, v)
	return seen, fail(s.a.b.w, "signal wait until", noPeer, err)
}

// Test says whether this PE's own signal compares with v as cmp says. It never waits.
func (s Signal) Test(cmp Cmp, v uint64) (bool, error) {
	ok, err := Test(s.a, 0, cmp, v)
	if err != nil {
		return false, rename(err, "signal test")
	}
	return ok, nil
}

// PutSignal is Put, then op with value on pe's signal: whoever sees the signal there
// sees the data. It returns when src may be reused. Not collective. OpenSHMEM:
// shmem_put_signal.
func (a Array[T]) PutSignal(src Array[T], pe int, sig Signal, op SignalOp, value uint64) error {
	to := a.target(pe)
	if to == nil || !src.alive() || src.b.w != a.b.w || src.n != a.n || !sig.goesWith(a.b.w, op) {
		return a.putSignalOther(src, pe, sig, op, value)
	}
	mem.Put(to, src.here(), a.bytes())
	a.b.raise(unsafe.Add(a.b.bases[pe], sig.a.off), op, value, pe) // atomic: the data is ordered before it
	return nil
}

// goesWith says whether op can be done on the signal of any PE of w.
func (s Signal) goesWith(w *World, op SignalOp) bool {
	return s.a.alive() && s.a.b.w == w && s.a.n > 0 && (op == SignalSet || op == SignalAdd)
}

// putSignalOther is for what PutSignal leaves: errors, and PEs that only the
// engine reaches.
func (a Array[T]) putSignalOther(src Array[T], pe int, sig Signal, op SignalOp, value uint64) error {
	if err := a.both(src, pe, true); err != nil {
		return fail(a.World(), "put signal", pe, err)
	}
	return a.putSignal("put signal", src.here(), pe, sig, op, value)
}

// PutSignalNBI is PutSignal, but src must stay as it is until Quiet or Barrier. Not
// collective. OpenSHMEM: shmem_put_signal_nbi.
func (a Array[T]) PutSignalNBI(src Array[T], pe int, sig Signal, op SignalOp, value uint64) error {
	if err := a.both(src, pe, true); err != nil {
		return fail(a.World(), "put signal nbi", pe, err)
	}
	if err := a.putSignal("put signal nbi", src.here(), pe, sig, op, value); err != nil {
		return err
	}
	if c := a.b.lane.check; c != nil { // the engine has no such put of its own
		c.debts.lend(src.here(), a.bytes(), c.w.sites.Here())
	}
	return nil
}

// PutSliceSignal is PutSignal from ordinary Go memory. Not collective.
func (a Array[T]) PutSliceSignal(src []T, pe int, sig Signal, op SignalOp, value uint64) error {
	if err := a.pair(pe, len(src), true); err != nil {
		return fail(a.World(), "put slice signal", pe, err)
	}
	return a.putSignal("put slice signal", mem.Hide(unsafe.Pointer(unsafe.SliceData(src))), pe, sig, op, value)
}

// putSignal moves checked data and then the signal.
func (a Array[T]) putSignal(name string, src unsafe.Pointer, pe int, sig Signal, op SignalOp, value uint64) error {
	w := a.b.w
	amo, err := op.amo(value)
	if err == nil {
		err = sig.a.usable()
	}
	if err == nil && sig.a.b.w != w {
		err = problem(ErrForeign, "the signal belongs to another world")
	}
	if err != nil {
		return fail(w, name, pe, err)
	}
	to := a.target(pe)
	if to == nil {
		pe := a.b.lane.world(pe)
		err := a.b.lane.moves.PutSignal(pe, a.off, src, a.bytes(), sig.a.off, amo)
		w.heap.Ring(pe)
		return fail(w, name, pe, err)
	}
	mem.Put(to, src, a.bytes())
	a.b.raise(unsafe.Add(a.b.bases[pe], sig.a.off), op, value, pe) // atomic: the data is ordered before it
	return nil
}
