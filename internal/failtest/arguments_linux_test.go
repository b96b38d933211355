package failtest_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

func argumentRows() []row { return slices.Concat(targetRows(), extentRows(), otherRows()) }

// targetRows are puts to where there is nothing.
func targetRows() []row {
	return []row{
		{
			fault: "a put to PE 7 of 2", others: "Open MPI: an error (255); OSSS-UCX crashes, SOS too or has an error without the number (1); named in SOS's checking build",
			says: []string{
				"[HOST 0] PE 0: shmem: put: PE 7 out of range: this world has 2 PEs",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: put: PE 7 out of range: this world has 2 PEs; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return a.Put(a, 7) }),
			local: true, tests: badInput,
		},
		{
			fault: "a put to PE -1", others: "as for PE 7",
			says: []string{
				"[HOST 0] PE 0: shmem: put: PE -1 out of range: this world has 2 PEs",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: put: PE -1 out of range: this world has 2 PEs; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return a.Put(a, -1) }),
			local: true, tests: badInput,
		},
		{
			fault: "a put to memory that is not symmetric, such as a global variable", others: "private memory: an error with an address (Open MPI, SOS), OSSS-UCX crashes; a global variable is symmetric there, and crashes OSSS-UCX and one SOS build unless addresses are not randomised",
			ours: "The target of a put is an array, never an address: this does not compile. The line is the compiler's.",
			says: []string{
				"vet: FILE:LINE: cannot use total (variable of type [8]int64) as shmem.Array[int64] value in argument to shmem.Array[int64].Put",
			},
			code: 1, job: doesNotCompile,
		},
		{
			fault: "a put to an array that was never allocated", others: "as to memory that is not symmetric",
			says: []string{
				"[HOST 0] PE 0: shmem: put: the zero value has no memory: use Alloc or AllocSignal",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: put: the zero value has no memory: use Alloc or AllocSignal; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return array{}.Put(a, 1) }),
			local: true, tests: badInput,
		},
		{
			fault: "a put to an array of another world", others: "worlds cannot be told apart, there is one",
			says: []string{
				"[HOST 0] PE 0: shmem: put: the two arrays belong to different worlds",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: put: the two arrays belong to different worlds; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(toAnotherWorld), local: true, tests: badInput,
		},
	}
}

// extentRows leave an array.
func extentRows() []row {
	return []row{
		{
			fault: "a put past the end of an array", others: "accepted by all, also by SOS's checking build",
			says: []string{
				"[HOST 0] PE 0: shmem: put slice: the destination has 8 elements, the source 9: slice the longer one",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: put slice: the destination has 8 elements, the source 9: slice the longer one; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return a.PutSlice(make([]int64, 9), 1) }),
			local: true, tests: badInput,
		},
		{
			fault: "an element past the end of an array", others: "accepted by all, as the end of the array is not known",
			says: []string{
				"[HOST 0] PE 0: shmem: p: element 8 of an array of 8",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: p: element 8 of an array of 8; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return a.P(8, 1, 1) }),
			local: true, tests: badInput,
		},
		{
			fault: "an element far past the heap", others: "an error with an address (Open MPI, SOS); OSSS-UCX crashes",
			says: []string{
				"[HOST 0] PE 0: shmem: p: element 1099511627776 of an array of 8",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: p: element 1099511627776 of an array of 8; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { return a.P(1<<40, 1, 1) }),
			local: true, tests: badInput,
		},
		{
			fault: "a part of an array past its end", others: "there are no parts, only addresses",
			says: []string{
				"[HOST 0] PE 0: shmem: slice: [4:513] of an array of 8 elements",
				"[HOST 1] PE 1: shmem: finalize: PE 0 (host HOST, pid PID) failed: shmem: slice: [4:513] of an array of 8 elements; it was last in alloc #1 (FILE:LINE); PE 1 is …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: on0(func(_ context.Context, a array) error { _, err := a.Slice(4, 513); return err }),
			local: true, tests: badInput,
		},
	}
}

// otherRows are what else a call can be given.
func otherRows() []row {
	return []row{
		{
			fault: "an atomic on 8 bytes that are not aligned", others: "Open MPI prints an error, returns garbage and goes on; OSSS-UCX crashes; SOS accepts it or has an error (1)",
			ours: "Elements of an array, also of its parts, and the signals made of them are aligned: this cannot be said. An allocation with less alignment is an error.",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: alignment 4: must be a power of two from 8 to 4096",
				"[HOST 1] PE 1: shmem: alloc: alignment 4: must be a power of two from 8 to 4096",
			},
			code: 1, pe: aligned, local: true, tests: badInput,
		},
		{
			fault: "a put of no elements", others: "collectives of length zero that went wrong were reported to Open MPI",
			ours: "Does nothing. The PE must exist all the same.",
			pe:   on0(putNothing), local: true,
		},
		{
			fault: "two goroutines of a PE are in collectives of a team at once",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: another goroutine of this PE is in a collective of this team",
				"[HOST 1] PE 1: shmem: signal wait until: for a value >= 1, the last value was 0: PE 0 (host HOST, pid PID) failed: shmem: barrier: another goroutine of this PE is in a collective of this team; it was last in barrier #1…; PE 1 is in wait #1 (FILE:LINE)",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
			},
			code: 1, pe: twoAtOnce, local: true, tests: badInput,
		},
	}
}

type array = shmem.Array[int64]

// on0 has PE 0 use an array of eight elements.
func on0(f func(ctx context.Context, a array) error) body {
	return func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int64](ctx, w, 8)
		if err == nil && w.MyPE() == 0 {
			err = f(ctx, a)
		}
		return err
	}
}

func toAnotherWorld(ctx context.Context, a array) (put error) {
	err := shmem.RunLocal(ctx, 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		b, err := shmem.Alloc[int64](ctx, w, 8)
		put = a.Put(b, 1)
		return err
	})
	return errors.Join(put, err)
}

// aligned looks at the elements of all parts of an array that begins at an odd
// place, and then asks for less.
func aligned(ctx context.Context, w *shmem.World) error {
	if _, err := shmem.Alloc[byte](ctx, w, 3); err != nil {
		return err
	}
	a, err := shmem.Alloc[int64](ctx, w, 8)
	if err != nil {
		return err
	}
	for i := range a.Len() {
		part, err := a.Slice(i, a.Len())
		if err != nil {
			return err
		}
		own, err := part.Local()
		if err != nil {
			return err
		}
		if at := reflect.ValueOf(own).Pointer(); at%8 != 0 {
			return fmt.Errorf("element %d is at %#x", i, at)
		}
	}
	_, err = shmem.AllocAligned[int64](ctx, w, 8, 4)
	return err
}

func putNothing(_ context.Context, a array) error {
	none, err := a.Slice(8, 8)
	if err != nil {
		return err
	}
	return errors.Join(none.Put(none, 1), none.PutSlice(nil, 1))
}

// twoAtOnce has two goroutines of PE 0 come to a barrier that PE 1 stays away from:
// one of them waits there, the other is told.
func twoAtOnce(ctx context.Context, w *shmem.World) error {
	sig, err := shmem.AllocSignal(ctx, w)
	if err != nil {
		return err
	}
	if w.MyPE() != 0 {
		_, err := sig.WaitUntil(ctx, shmem.GE, 1)
		return err
	}
	errs := make(chan error, 2)
	for range 2 {
		go func() { errs <- w.Barrier(ctx) }()
	}
	return <-errs
}

// doesNotCompile builds a program that puts into a global variable.
func doesNotCompile(t *testing.T, _ row) end {
	out, err := exec.CommandContext(t.Context(), "go", "vet", "./testdata/private").CombinedOutput()
	if err == nil {
		return end{}
	}
	return end{1, strings.Split(string(out), "\n")}
}
