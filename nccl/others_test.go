package nccl_test

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

func otherChecks() []check {
	return []check{
		{"pre-mul-sum", preMulSum}, {"bias", bias}, {"barrier", barrier}, {"split", split}, {"shrink", shrink},
		{"group of two streams", twoStreams}, {"register", register}, {"memory of the library", libraryMemory},
		{"window", window}, {"graph", graph}, {"properties", properties}, {"revoke", revoke}, {"other types", otherTypes},
	}
}

// maybe is nil for what this library cannot do, and says so.
func maybe(err error) error {
	if errors.Is(err, nccl.ErrUnsupported) {
		return nil
	}
	return err
}

// preMulSum multiplies each rank's elements by a scalar of its own.
func preMulSum(r *rank) error {
	k := float[float32](0)
	n := float64(r.c.Size())
	want := func(i int) float64 { return float64(i) * n * (n + 1) / 2 }
	op, err := nccl.NewPreMulSum(r.c, float32(r.c.Rank()+1))
	if err != nil {
		return err
	}
	x, err := filled(r, k, some, func(i int) float64 { return float64(i) })
	if err != nil {
		return err
	}
	y, err := target(r, x, false)
	if err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, x, y, op.Op(), r.s); err != nil {
		return err
	}
	if err := errors.Join(op.Close(), op.Close(), holds(r, k, "pre-mul-sum", y, 0, want)); err != nil {
		return err
	}
	scalar, err := filled(r, k, 1, func(int) float64 { return float64(r.c.Rank() + 1) })
	if err != nil {
		return err
	}
	if op, err = nccl.NewPreMulSumAt(r.c, scalar); err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, x, y, op.Op(), r.s); err != nil {
		return err
	}
	return errors.Join(holds(r, k, "pre-mul-sum of the device", y, 0, want), op.Close())
}

// bias adds to the result, where the library can.
func bias(r *rank) error {
	k := float[float32](0)
	x, err := filled(r, k, some, func(i int) float64 { return float64(i) })
	if err != nil {
		return err
	}
	b, err := filled(r, k, some, func(i int) float64 { return 1000 })
	if err != nil {
		return err
	}
	y, err := target(r, x, false)
	if err != nil {
		return err
	}
	err = nccl.AllReduceBias(r.c, x, y, b, nccl.Sum, r.s)
	if errors.Is(err, nccl.ErrUnsupported) {
		return nil
	}
	return errors.Join(err, holds(r, k, "all-reduce with bias", y, 0, func(i int) float64 { return float64(i*r.c.Size() + 1000) }))
}

func barrier(r *rank) error {
	for range 3 {
		if err := nccl.Barrier(r.c, r.s); err != nil {
			return err
		}
	}
	return r.c.Synchronize(r.ctx, r.s)
}

// sums adds up the ranks' numbers on a communicator.
func sums(r *rank, c *nccl.Comm, give, want float64) error {
	k := float[float64](0)
	x, err := filled(r, k, some, func(int) float64 { return give })
	if err != nil {
		return err
	}
	if err := nccl.AllReduce(c, x, x, nccl.Sum, r.s); err != nil {
		return err
	}
	return holds(r, k, "sum", x, 0, func(int) float64 { return want })
}

// split makes two halves with their ranks the other way round, and then one without rank 0.
func split(r *rank) error {
	me, size := r.c.Rank(), r.c.Size()
	half, err := r.c.Split(r.ctx, me%2, -me)
	if err != nil {
		return err
	}
	members, want := 0, 0.0
	for i := me % 2; i < size; i += 2 {
		members, want = members+1, want+float64(i)
	}
	if half.Size() != members || half.Rank() != members-1-me/2 {
		return fmt.Errorf("rank %d of %d in a half", half.Rank(), half.Size())
	}
	if err := errors.Join(sums(r, half, float64(me), want), half.Close(), half.Close()); err != nil {
		return err
	}
	color := 5
	if me == 0 {
		color = nccl.NoColor
	}
	rest, err := r.c.Split(r.ctx, color, 0)
	if err != nil || (rest == nil) != (me == 0) {
		return fmt.Errorf("a communicator without rank 0: %v, %w", rest, err)
	}
	if rest == nil {
		return nil
	}
	return errors.Join(sums(r, rest, 1, float64(size-1)), rest.Close())
}

// revoke ends the use of a communicator that is made for it.
func revoke(r *rank) error {
	c, err := r.c.Split(r.ctx, 0, 0)
	if err != nil {
		return err
	}
	if err := barrier(r); err != nil { // all have it: a rank that is still waiting for it would be told
		return err
	}
	if err := c.Revoke(); err != nil {
		return errors.Join(maybe(err), c.Close())
	}
	whole, err := r.c.Split(r.ctx, 0, 0) // closed by all, after some were left out of others
	if err == nil {
		err = errors.Join(sums(r, whole, 1, float64(r.c.Size())), whole.Close())
	}
	if err != nil {
		return err
	}
	if err := sums(r, c, 1, 1); !errors.Is(err, nccl.ErrClosed) {
		return fmt.Errorf("a revoked communicator goes on: %w", err)
	}
	return c.Close()
}

// shrink leaves the last rank out.
func shrink(r *rank) error {
	size := r.c.Size()
	if size == 1 || r.c.Rank() == size-1 {
		return nil
	}
	less, err := r.c.Shrink(r.ctx, []int{size - 1}, false)
	if errors.Is(err, nccl.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(sums(r, less, 1, float64(size-1)), less.Close())
}

// twoStreams has two collectives in one group, on streams of their own.
func twoStreams(r *rank) error {
	k := integer[int32]()
	other, err := r.c.Device().NewStream()
	if err != nil {
		return err
	}
	r.close = append(r.close, other.Close)
	x, err := filled(r, k, some, func(int) float64 { return 1 })
	if err != nil {
		return err
	}
	y, err := filled(r, k, some, func(int) float64 { return 2 })
	if err != nil {
		return err
	}
	err = nccl.Group(func() error {
		if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil {
			return err
		}
		return nccl.Group(func() error { return nccl.AllReduce(r.c, y, y, nccl.Sum, other) })
	})
	if err != nil {
		return err
	}
	if err := r.c.Synchronize(r.ctx, other); err != nil {
		return err
	}
	n := float64(r.c.Size())
	return errors.Join(holds(r, k, "first", x, 0, func(int) float64 { return n }), holds(r, k, "second", y, 0, func(int) float64 { return 2 * n }))
}

func register(r *rank) error {
	k := float[float32](0)
	x, err := filled(r, k, 4*some, func(int) float64 { return 1 })
	if err != nil {
		return err
	}
	reg, err := nccl.Register(r.c, x)
	if err != nil {
		return maybe(err)
	}
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil {
		return err
	}
	return errors.Join(holds(r, k, "registered", x, 0, func(int) float64 { return float64(r.c.Size()) }), reg.Close(), reg.Close())
}

func libraryMemory(r *rank) error {
	m, err := nccl.MemAlloc[float32](r.c, some)
	if err != nil {
		return maybe(err)
	}
	k := float[float32](0)
	if err := m.CopyFrom(list(k, some, func(int) float64 { return 3 }), r.s); err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, m, m, nccl.Sum, r.s); err != nil {
		return err
	}
	return errors.Join(holds(r, k, "memory of the library", m.Slice, 0, func(int) float64 { return float64(3 * r.c.Size()) }), m.Close(), m.Close())
}

// window registers memory with all ranks, uses it in a collective, and puts into it where
// the library can.
func window(r *rank) error {
	m, err := nccl.MemAlloc[float32](r.c, 1<<19)
	if err != nil {
		return maybe(err)
	}
	r.close = append(r.close, m.Close)
	w, err := nccl.NewWindow(r.ctx, r.c, m, nccl.WindowSymmetric)
	if err != nil {
		return maybe(err)
	}
	k := float[float32](0)
	if err := m.CopyFrom(list(k, m.Len(), func(int) float64 { return 1 }), r.s); err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, m, m, nccl.Sum, r.s); err != nil {
		return err
	}
	err = holds(r, k, "window", m.Slice, 0, func(int) float64 { return float64(r.c.Size()) })
	if err == nil && w.Used() {
		err = put(r, m, w)
	}
	return errors.Join(err, w.Close(), w.Close())
}

// put has every rank put its number into the next one's window, and signal it.
func put(r *rank, m *nccl.Memory[float32], w *nccl.Window) error {
	p, err := r.c.Properties()
	if err != nil || !p.HostRMA {
		return maybe(err)
	}
	me, size := r.c.Rank(), r.c.Size()
	if err := m.Set(0, float32(me+1)); err != nil {
		return err
	}
	if err := nccl.Barrier(r.c, r.s); err != nil {
		return err
	}
	one, err := m.Slice.Slice(0, 1)
	if err != nil {
		return err
	}
	before := (me + size - 1) % size
	err = errors.Join(nccl.PutSignal(r.c, one, (me+1)%size, w, 8, r.s), nccl.WaitSignals(r.c, []int{before}, []int{1}, r.s), r.c.Synchronize(r.ctx, r.s))
	if err != nil {
		return err
	}
	if got, err := m.At(8); err != nil || got != float32(before+1) {
		return fmt.Errorf("what rank %d has put is %v: %w", before, got, err)
	}
	return nil
}

// graph captures a collective and replays it.
func graph(r *rank) error {
	k := integer[int64]()
	x, err := filled(r, k, some, func(int) float64 { return 1 })
	if err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil { // connections are made
		return err
	}
	if err := r.c.Synchronize(r.ctx, r.s); err != nil {
		return err
	}
	if err := r.s.BeginCapture(); err != nil {
		return err
	}
	called := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s)
	g, err := r.s.EndCapture()
	if errors.Join(called, err) != nil {
		return errors.Join(called, err)
	}
	r.close = append(r.close, g.Close)
	n := float64(r.c.Size())
	for range 2 {
		if err := g.Launch(r.s); err != nil {
			return err
		}
	}
	return holds(r, k, "graph", x, 0, func(int) float64 { return n * n * n })
}

func properties(r *rank) error {
	p, err := r.c.Properties()
	if err != nil {
		return maybe(err)
	}
	if p.Rank != r.c.Rank() || p.Size != r.c.Size() {
		return fmt.Errorf("%+v", p)
	}
	return nil
}

// otherTypes moves elements that the library has no type for, and does not combine them.
func otherTypes(r *rank) error {
	type point struct{ X, Y int16 }
	x, err := alloc[point](r, some)
	if err != nil {
		return err
	}
	me := int16(r.c.Rank())
	give := make([]point, some)
	for i := range give {
		give[i] = point{me, int16(i)}
	}
	if err := x.CopyFrom(give, r.s); err != nil {
		return err
	}
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); !errors.Is(err, nccl.ErrArgument) {
		return fmt.Errorf("points were added up: %w", err)
	}
	y, err := alloc[point](r, some*r.c.Size())
	if err != nil {
		return err
	}
	if err := nccl.AllGather(r.c, x, y, r.s); err != nil {
		return err
	}
	return errors.Join(r.c.Synchronize(r.ctx, r.s), points(y, r.s, func(i int) point { return point{int16(i / some), int16(i % some)} }))
}

func points[T comparable](y gpu.Slice[T], s *gpu.Stream, want func(i int) T) error {
	got := make([]T, y.Len())
	if err := y.CopyTo(got, s); err != nil {
		return err
	}
	for i := range got {
		if got[i] != want(i) {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want(i))
		}
	}
	return nil
}
