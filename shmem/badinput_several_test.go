package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// severalCalls are the calls on several elements, those that wait with a context that
// is over: what they wait for is there, or must be refused.
func severalCalls(a shmem.Array[int64], except []bool, cmp shmem.Cmp, vs []int64) map[string]error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return map[string]error{
		"wait until any":         second(shmem.WaitUntilAny(ctx, a, except, cmp, 0)),
		"wait until all":         shmem.WaitUntilAll(ctx, a, except, cmp, 0),
		"wait until some":        second(shmem.WaitUntilSome(ctx, a, nil, except, cmp, 0)),
		"wait until any vector":  second(shmem.WaitUntilAnyVector(ctx, a, except, cmp, vs)),
		"wait until all vector":  shmem.WaitUntilAllVector(ctx, a, except, cmp, vs),
		"wait until some vector": second(shmem.WaitUntilSomeVector(ctx, a, nil, except, cmp, vs)),
		"test any":               second(shmem.TestAny(a, except, cmp, 0)),
		"test all":               second(shmem.TestAll(a, except, cmp, 0)),
		"test some":              second(shmem.TestSome(a, nil, except, cmp, 0)),
		"test any vector":        second(shmem.TestAnyVector(a, except, cmp, vs)),
		"test all vector":        second(shmem.TestAllVector(a, except, cmp, vs)),
		"test some vector":       second(shmem.TestSomeVector(a, nil, except, cmp, vs)),
	}
}

// severalUses are the same as uses of an array.
func severalUses(cmp shmem.Cmp) []use {
	var uses []use
	for op := range severalCalls(shmem.Array[int64]{}, nil, cmp, nil) {
		uses = append(uses, use{op: op, do: func(a, _ shmem.Array[int64], _ shmem.Signal, _ int) error {
			return severalCalls(a, nil, cmp, make([]int64, a.Len()))[op]
		}})
	}
	return uses
}

// badSeveral gives masks and values of the wrong lengths.
func badSeveral(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	vs := make([]int64, 8)
	for op, err := range severalCalls(a, nil, shmem.EQ, vs) {
		if err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
	for _, n := range []int{0, 1, 7, 9} {
		text := fmt.Sprintf("the array has 8 elements, the mask %d: it needs one for each, or must be nil", n)
		for op, err := range severalCalls(a, make([]bool, n), shmem.EQ, vs) {
			wrong{is: shmem.ErrLength, op: op, peer: -1, text: text}.in(w).check(t, err)
		}
		text = fmt.Sprintf("the array has 8 elements, but %d values were given: one for each is needed", n)
		for op, err := range severalCalls(a, nil, shmem.EQ, vs[:min(n, 8):8]) {
			if n < 8 && len(op) > 6 && op[len(op)-6:] == "vector" {
				wrong{is: shmem.ErrLength, op: op, peer: -1, text: text}.in(w).check(t, err)
			} else if err != nil {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
	for i, v := range append(must1(a.Local())(t), must1(b.Local())(t)...) {
		if v != 0 {
			t.Errorf("a refused call has written %d to element %d", v, i)
		}
	}
	freeAll(t, a, b, sig)
}

// badLocks uses locks that are nil, freed, or held by nobody.
func badLocks(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	uses := func(l *shmem.Lock) map[string]error {
		return map[string]error{"lock set": l.Set(ctx), "lock test": second(l.Test()), "lock clear": l.Clear(ctx)}
	}
	for op, err := range uses(nil) {
		wrong{is: shmem.ErrArgument, op: op, peer: -1, pe: -1, text: "the lock is nil: use AllocLock"}.check(t, err)
	}
	wrong{is: shmem.ErrArgument, op: "free", peer: -1, pe: -1, text: "the lock is nil: use AllocLock"}.check(t, (*shmem.Lock)(nil).Free(ctx))
	wrong{is: shmem.ErrArgument, op: "alloc", peer: -1, pe: -1, text: "the world is nil"}.check(t, second(shmem.AllocLock(ctx, nil)))
	l := must1(shmem.AllocLock(ctx, w))(t)
	wrong{is: shmem.ErrArgument, op: "lock clear", peer: -1, text: "this PE does not hold the lock: nobody holds the lock"}.in(w).check(t, l.Clear(ctx))
	must(t, w.Barrier(ctx))
	badSetTwice(t, w, l)
	must(t, l.Free(ctx))
	for op, err := range uses(l) {
		wrong{is: shmem.ErrFreed, op: op, peer: -1, text: "the array was freed (allocated in alloc #"}.in(w).check(t, err)
	}
	wrong{is: shmem.ErrFreed, op: "free", peer: -1, text: "freed twice"}.in(w).check(t, l.Free(ctx))
}

// badSetTwice sets a lock again that this PE holds.
func badSetTwice(t testing.TB, w *shmem.World, l *shmem.Lock) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, l.Set(t.Context()))
	x := wrong{is: context.Canceled, op: "lock set", peer: -1, text: "this PE holds the lock itself, since its lock #"}.in(w)
	x.check(t, l.Set(over))
	must(t, l.Clear(t.Context()))
}

// badLockFree frees a lock that PE 0 holds: nobody frees it.
func badLockFree(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	l := must1(shmem.AllocLock(ctx, w))(t)
	x := wrong{is: shmem.ErrMismatch, op: "free", peer: -1, text: ": this PE holds the lock: Clear it first"}.in(w)
	if w.MyPE() == 0 {
		must(t, l.Set(ctx))
		x.is, x.text = shmem.ErrArgument, "this PE holds the lock: Clear it first"
	}
	x.check(t, l.Free(ctx))
	if w.MyPE() == 0 {
		must(t, l.Clear(ctx))
	}
	must(t, errors.Join(l.Set(ctx), l.Clear(ctx), l.Free(ctx)))
}
