package shmem

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Cmp is a comparison between a value in memory and a given one.
type Cmp int

// The comparisons, numbered as in rocSHMEM.
const (
	EQ Cmp = iota // equal
	NE            // not equal
	GT            // greater
	GE            // greater or equal
	LT            // less
	LE            // less or equal
)

var cmpNames = [...]string{"==", "!=", ">", ">=", "<", "<="}

// String returns the comparison as Go writes it.
func (c Cmp) String() string {
	if c.check() != nil {
		return fmt.Sprintf("Cmp(%d)", int(c))
	}
	return cmpNames[c]
}

func (c Cmp) check() error {
	if c < EQ || c > LE {
		return problem(ErrArgument, "comparison %d: use EQ, NE, GT, GE, LT or LE", int(c))
	}
	return nil
}

// Waitable are the element types that a PE can wait on.
type Waitable interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr | float32 | float64
}

// holds says whether x cmp v.
func holds[T Waitable](x T, cmp Cmp, v T) bool {
	switch cmp {
	case EQ:
		return x == v
	case NE:
		return x != v
	case GT:
		return x > v
	case GE:
		return x >= v
	case LT:
		return x < v
	}
	return x <= v
}

// WaitUntil waits until element i of this PE's own copy of a compares with v as
// cmp says. An error names the value that was there last. Blocking, not
// collective. OpenSHMEM: shmem_wait_until.
func WaitUntil[T Waitable](ctx context.Context, a Array[T], i int, cmp Cmp, v T) error {
	err := a.awaited(i, cmp)
	if err != nil {
		return fail(a.World(), "wait until", noPeer, err)
	}
	if _, err = await(ctx, a, i, cmp, v); err != nil {
		err = fmt.Errorf("element %d: %w", i, err)
	}
	return fail(a.b.w, "wait until", noPeer, err)
}

// Test says whether element i of this PE's own copy of a compares with v as cmp
// says. It never waits. OpenSHMEM: shmem_test.
func Test[T Waitable](a Array[T], i int, cmp Cmp, v T) (bool, error) {
	err := a.awaited(i, cmp)
	if err != nil {
		return false, fail(a.World(), "test", noPeer, err)
	}
	if a.b.far != nil {
		x, err := word[T](a.b.far, a.offset(i))
		return err == nil && holds(x, cmp, v), fail(a.b.w, "test", noPeer, err)
	}
	_, ok := look(unsafe.Add(a.b.own, a.offset(i)), cmp, v)
	return ok, nil
}

// look reads p and says whether the value compares. What follows is ordered after the
// store of one that does.
func look[T Waitable](p unsafe.Pointer, cmp Cmp, v T) (T, bool) {
	x := mem.Look[T](p)
	ok := holds(x, cmp, v)
	if ok {
		mem.Saw(p)
	}
	return x, ok
}

// awaited returns why this PE's own element i cannot be waited on.
func (a Array[T]) awaited(i int, cmp Cmp) error {
	if err := a.usable(); err != nil {
		return err
	}
	if uint(i) >= uint(a.n) {
		return outside(i, a.n)
	}
	return cmp.check()
}

// await looks at element i for as long as looking is cheap, then lets the engine wait. It
// returns the value that ended it.
func await[T Waitable](ctx context.Context, a Array[T], i int, cmp Cmp, v T) (T, error) {
	if a.b.far != nil {
		return awaitFar(ctx, a, a.offset(i), cmp, v)
	}
	p := unsafe.Add(a.b.own, a.offset(i))
	for n, pause := a.b.w.heap.Spin(); n > 0; n-- {
		if x, ok := look(p, cmp, v); ok {
			return x, nil
		}
		if pause {
			mem.Pause()
		}
	}
	return awaitLong(ctx, a.b.w, p, cmp, v)
}

// awaitLong is apart from await so that only long waits pay for the closure.
func awaitLong[T Waitable](ctx context.Context, w *World, p unsafe.Pointer, cmp Cmp, v T) (T, error) {
	var last T
	err := w.waitFor(ctx, func() (ok bool) {
		last, ok = look(p, cmp, v)
		return ok
	})
	return last, w.unseen(err, uintptr(p)-uintptr(w.own), cmp, v, last)
}

// awaitFar is await for an element that is on a device.
func awaitFar[T Waitable](ctx context.Context, a Array[T], off engine.Offset, cmp Cmp, v T) (last T, err error) {
	var failed error
	err = a.b.w.waitFor(ctx, func() bool {
		last, failed = word[T](a.b.far, off)
		return failed != nil || holds(last, cmp, v)
	})
	if failed != nil {
		return last, failed
	}
	return last, a.b.w.unseen(err, off, cmp, v, last)
}

// waitFor has the engine wait until ready says so.
func (w *World) waitFor(ctx context.Context, ready func() bool) error {
	return w.heap.Wait(orBackground(ctx), engine.Call{Kind: engine.KindWait, Seq: w.waits.Add(1)}, ready)
}

// unseen adds to the error of a wait what was waited for, at an offset of the own memory.
func (w *World) unseen(err error, off engine.Offset, cmp Cmp, v, last any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("for a value %v %v, the last value was %v%s: %w", cmp, v, last, w.lastWriter(off), err)
}
