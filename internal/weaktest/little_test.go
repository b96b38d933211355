package weaktest

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/shmem"
)

// size is how many words the little programs send.
const size = 12

// little is one PE of a program in which one step may be left out. The first error ends it.
type little struct {
	ctx            context.Context
	w              *shmem.World
	dst, src, flag shmem.Array[uint64]
	more           shmem.Array[uint64] // another destination
	got            []uint64
	signal         shmem.Signal
	lane           *shmem.CommContext // nil: the world's own
	without        string
	err            error
}

func newLittle(ctx context.Context, w *shmem.World, without string) *little {
	l := &little{ctx: ctx, w: w, without: without, got: make([]uint64, size)}
	for _, a := range []*shmem.Array[uint64]{&l.dst, &l.src, &l.flag, &l.more} {
		l.do(func() (err error) { *a, err = shmem.Alloc[uint64](ctx, w, size); return err })
	}
	l.do(func() (err error) { l.signal, err = shmem.AllocSignal(ctx, w); return err })
	l.do(func() error { return l.src.CopyFrom(values()) })
	return l
}

// values are what is sent.
func values() []uint64 {
	all := make([]uint64, size)
	for i := range all {
		all[i] = uint64(i + 7)
	}
	return all
}

func (l *little) do(f func() error) {
	if l.err == nil {
		l.err = f()
	}
}

// step is do for what a mutant leaves out.
func (l *little) step(name string, f func() error) {
	if name != l.without {
		l.do(f)
	}
}

// on does f on one PE.
func (l *little) on(pe int, f func()) {
	if l.w.MyPE() == pe {
		f()
	}
}

func (l *little) barrier() { l.step("barrier", func() error { return l.w.Barrier(l.ctx) }) }

func (l *little) sync() { l.step("sync", func() error { return l.w.Sync(l.ctx) }) }

func (l *little) fence() {
	l.step("fence", func() error {
		if l.lane != nil {
			return l.lane.Fence()
		}
		return l.w.Fence()
	})
}

func (l *little) quiet() {
	l.step("quiet", func() error {
		if l.lane != nil {
			return l.lane.Quiet(l.ctx)
		}
		return l.w.Quiet(l.ctx)
	})
}

func (l *little) wait() {
	l.step("wait", func() error { return shmem.WaitUntil(l.ctx, l.flag, 0, shmem.NE, 0) })
}

func (l *little) waitSignal() {
	l.step("wait", func() error { _, err := l.signal.WaitUntil(l.ctx, shmem.NE, 0); return err })
}

// here looks whether this PE's own memory has what was sent.
func (l *little) here() {
	l.do(func() error {
		if err := l.dst.CopyTo(l.got); err != nil {
			return err
		}
		return same(l.got)
	})
}

func same(got []uint64) error {
	for i, want := range values() {
		if got[i] != want {
			return fmt.Errorf("element %d is %d, want %d", i, got[i], want)
		}
	}
	return nil
}

// form is a way to send the values to the destination on a PE.
type form struct {
	name string
	nbi  bool // the source must stay as it is
	send func(dst, src shmem.Array[uint64], pe int) error
}

// one makes a form of an operation for one element.
func one(f func(a shmem.Array[uint64], i int, v uint64, pe int) error) func(dst, src shmem.Array[uint64], pe int) error {
	return func(dst, _ shmem.Array[uint64], pe int) error {
		for i, v := range values() {
			if err := f(dst, i, v, pe); err != nil {
				return err
			}
		}
		return nil
	}
}

func forms() []form {
	type array = shmem.Array[uint64]
	return []form{
		{"put", false, func(dst, src array, pe int) error { return dst.Put(src, pe) }},
		{"put nbi", true, func(dst, src array, pe int) error { return dst.PutNBI(src, pe) }},
		{"put slice", false, func(dst, _ array, pe int) error { return dst.PutSlice(values(), pe) }},
		{"put slice nbi", false, func(dst, _ array, pe int) error { return dst.PutSliceNBI(values(), pe) }},
		{"iput", false, func(dst, src array, pe int) error { return dst.IPut(src, 1, 1, size, pe) }},
		{"put of a part after the other", false, func(dst, _ array, pe int) error {
			for i, v := range values() {
				part, err := dst.Slice(i, i+1)
				if err != nil {
					return err
				}
				if err := part.PutSlice([]uint64{v}, pe); err != nil {
					return err
				}
			}
			return nil
		}},
		{"p", false, one(array.P)},
		{"atomic set", false, one(shmem.AtomicSet[uint64])},
		{"atomic add", false, one(shmem.AtomicAdd[uint64])},
		{"atomic xor", false, one(shmem.AtomicXor[uint64])},
	}
}
