package shmemtest_test

import (
	"os"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// exchange is a small test body: every PE adds its number to everybody's sum.
func exchange(t testing.TB, w *shmem.World) {
	sum, err := shmem.Alloc[int64](t.Context(), w, 1)
	if err != nil {
		t.Fatal(err)
	}
	for pe := range w.NPEs() {
		if err := shmem.AtomicAdd(sum, 0, int64(w.MyPE()), pe); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Barrier(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := sum.At(0)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(w.NPEs() * (w.NPEs() - 1) / 2); got != want {
		t.Errorf("sum is %d, want %d", got, want)
	}
}

func TestRun(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 64} {
		shmemtest.RunWith(t, n, shmem.Options{HeapSize: 1 << 20}, exchange)
	}
}

func TestRunManyPEs(t *testing.T) {
	shmemtest.RunWith(t, shmem.MaxLocal, shmem.Options{HeapSize: 1 << 16}, exchange)
}

func TestRunProcesses(t *testing.T) {
	shmemtest.RunProcesses(t, 4, exchange)
	t.Run("again, in a subtest", func(t *testing.T) { shmemtest.RunProcesses(t, 2, exchange) })
}

// TestWhoFailed: the report names the PE on which the test failed, whoever ends first.
func TestWhoFailed(t *testing.T) {
	job, err := launch.Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if job.Family != "none" && os.Getenv(env.TestCall) == "" {
		return // the body would fail on a rank of the job that this test is in
	}
	for range 10 {
		result, output := shmemtest.StartProcesses(t, 4, shmem.Options{}, func(t testing.TB, w *shmem.World) {
			if w.MyPE() == 2 {
				t.Error("out of cheese")
			} else if err := w.Barrier(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		if result != nil && result.First != 2 {
			t.Errorf("%s%s", result.Report(), output)
		}
	}
}
