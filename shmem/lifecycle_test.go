package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestEndingsProcesses runs the checks that end their world, in one job: every
// process makes one world after the other.
func TestEndingsProcesses(t *testing.T) {
	shmemtest.RunProcessesWith(t, 3, roomy, func(t testing.TB, _ *shmem.World) {
		for _, c := range conformance.Endings() {
			w, err := shmem.Init(t.Context(), roomy)
			if err != nil {
				t.Fatal(err)
			}
			c.Run(t, w)
		}
	})
}

// TestInitAgain makes and ends many worlds in the same processes, which must not
// keep descriptors or goroutines of them.
func TestInitAgain(t *testing.T) {
	shmemtest.RunProcessesWith(t, 2, roomy, func(t testing.TB, _ *shmem.World) {
		var descriptors, goroutines int
		for round := range 25 {
			w, err := shmem.Init(t.Context(), roomy)
			if err != nil {
				t.Fatal(err)
			}
			passAround(t, w, round)
			if err := w.Finalize(t.Context()); err != nil {
				t.Fatal(err)
			}
			if round == 4 { // whatever comes once has come
				descriptors, goroutines = openDescriptors(t), runtime.NumGoroutine()
			}
		}
		if n := openDescriptors(t); n > descriptors {
			t.Errorf("%d descriptors after 25 worlds, %d after 5", n, descriptors)
		}
		for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
			if time.Now().After(end) { // those of the last world have had time to end
				t.Fatalf("%d goroutines after 25 worlds, %d after 5", runtime.NumGoroutine(), goroutines)
			}
		}
	})
}

func openDescriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// passAround has each PE of w put to the next one and look at what came.
func passAround(t testing.TB, w *shmem.World, salt int) {
	t.Helper()
	a, err := shmem.Alloc[int](t.Context(), w, 1)
	if err != nil {
		t.Fatal(err)
	}
	next, prev := (w.MyPE()+1)%w.NPEs(), (w.MyPE()+w.NPEs()-1)%w.NPEs()
	if err := errors.Join(a.P(0, salt*1000+w.MyPE(), next), w.Barrier(t.Context())); err != nil {
		t.Fatal(err)
	}
	got, err := a.At(0)
	if err != nil {
		t.Fatal(err)
	}
	if want := salt*1000 + prev; got != want {
		t.Errorf("world %d: got %d, want %d", salt, got, want)
	}
	if err := a.Free(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestLocalAgain is TestInitAgain for goroutine PEs.
func TestLocalAgain(t *testing.T) {
	before := runtime.NumGoroutine()
	for round := range 50 {
		err := shmem.RunLocal(t.Context(), 4, roomy, func(_ context.Context, w *shmem.World) error {
			passAround(t, w, round)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	n := runtime.NumGoroutine()
	for i := 0; n > before && i < 1000000; i++ { // those of race mode are told to end, and do
		runtime.Gosched()
		n = runtime.NumGoroutine()
	}
	if n > before {
		t.Errorf("%d goroutines after 50 worlds, %d before", n, before)
	}
}

// TestSeveralWorlds has worlds of processes and of goroutines live at the same
// time in each process; they know nothing of each other.
func TestSeveralWorlds(t *testing.T) {
	shmemtest.RunProcessesWith(t, 2, roomy, func(t testing.TB, first *shmem.World) {
		second, err := shmem.Init(t.Context(), roomy)
		if err != nil {
			t.Fatal(err)
		}
		var inner sync.WaitGroup
		inner.Go(func() { // its PEs belong to this process only
			err := shmem.RunLocal(t.Context(), 3, roomy, func(_ context.Context, w *shmem.World) error {
				for round := range 50 {
					passAround(t, w, round)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		for round := range 50 {
			passAround(t, first, round)
			passAround(t, second, round+1)
		}
		inner.Wait()
		strangers(t, first, second)
		if err := second.Finalize(t.Context()); err != nil {
			t.Fatal(err)
		}
		passAround(t, first, 7)
	})
}

// strangers holds that arrays and teams of two worlds do not mix.
func strangers(t testing.TB, v, w *shmem.World) {
	t.Helper()
	a, err := shmem.Alloc[int](t.Context(), v, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := shmem.Alloc[int](t.Context(), w, 1)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"put": a.Put(b, 0), "get": b.Get(a, 0), "put nbi": b.PutNBI(a, 0), "get nbi": a.GetNBI(b, 0)} {
		if !errors.Is(err, shmem.ErrForeign) {
			t.Errorf("%s between worlds: %v", what, err)
		}
	}
	if pe := v.Team().Translate(0, w.Team()); pe != -1 {
		t.Errorf("translate to a team of another world is %d", pe)
	}
	if err := errors.Join(a.Free(t.Context()), b.Free(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestLeakReport: finalize tells what is still allocated, how much and by which line.
func TestLeakReport(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	o := roomy
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	err := shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		kept, err := shmem.Alloc[int32](ctx, w, 10)
		if err != nil {
			return err
		}
		given, err := shmem.Alloc[int32](ctx, w, 10)
		if err != nil {
			return err
		}
		return errors.Join(kept.Fill(1), given.Free(ctx))
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 { // one for each PE
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		if !strings.Contains(line, "40 bytes of alloc #1 (lifecycle_test.go:") {
			t.Errorf("leak told as %q", line)
		}
	}
}

// TestGlobalExit: one PE ends all, whatever the others do, and the job has its code.
func TestGlobalExit(t *testing.T) {
	for _, code := range []int{7, 0, 255} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			if jobSize(t) > 0 {
				return // the job that would exit is the one that tests
			}
			result, output := shmemtest.StartProcesses(t, 4, roomy, func(t testing.TB, w *shmem.World) { exitTogether(t, w, code) })
			if result == nil {
				return
			}
			for _, r := range result.Ranks {
				if r.Code != code && !r.Termed {
					t.Errorf("rank %d: %v, want exit status %d\n%s", r.Rank, r, code, output)
				}
			}
			if failed := result.Err != nil; failed != (code != 0) {
				t.Errorf("the job ended with %v after exit %d", result.Err, code)
			}
			if code != 0 && (result.First < 0 || result.Ranks[result.First].Code != code) {
				t.Errorf("the job failed with rank %d: %v", result.First, result.Err)
			}
		})
	}
}

// exitTogether has PE 1 exit while the others are in a barrier, in a wait, and busy.
func exitTogether(t testing.TB, w *shmem.World, code int) {
	word, err := shmem.Alloc[uint64](t.Context(), w, 1)
	if err != nil {
		t.Fatal(err)
	}
	switch w.MyPE() {
	case 0:
		err = w.Barrier(t.Context())
	case 1:
		w.GlobalExit(code)
	case 2:
		err = shmem.WaitUntil(t.Context(), word, 0, shmem.EQ, 1)
	case 3:
		for {
			runtime.Gosched()
		}
	}
	t.Fatalf("the call returned, with %v", err)
}

// TestGlobalExitLocal: goroutine PEs cannot end the process; their waits end.
func TestGlobalExitLocal(t *testing.T) {
	ended := make([]error, 3)
	o := roomy
	o.Timeout = 10 * time.Second
	err := shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() == 1 {
			w.GlobalExit(5)
		}
		ended[w.MyPE()] = w.Barrier(ctx)
		return ended[w.MyPE()]
	})
	if err == nil || !strings.Contains(err.Error(), "global exit 5") {
		t.Errorf("the world ended with %v", err)
	}
	for _, pe := range []int{0, 2} {
		if !errors.Is(ended[pe], shmem.ErrFailed) || !strings.Contains(ended[pe].Error(), "PE 1") {
			t.Errorf("the barrier of PE %d ended with %v", pe, ended[pe])
		}
	}
}

// TestLeaksInCheckedMode: what nobody asked for goes to stderr.
func TestLeaksInCheckedMode(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	must(t, err)
	before := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = before }()
	for _, check := range []shmem.Check{shmem.CheckOff, shmem.CheckOn} {
		must(t, shmem.RunLocal(t.Context(), 1, shmem.Options{Check: check}, func(ctx context.Context, w *shmem.World) error {
			_, err := shmem.Alloc[int64](ctx, w, 3)
			return err
		}))
	}
	must(t, file.Close())
	said := string(must1(os.ReadFile(file.Name()))(t))
	if !strings.HasPrefix(said, "shmem: finalize: still allocated: 24 bytes of alloc #1 (lifecycle_test.go:") || strings.Count(said, "\n") != 1 {
		t.Errorf("stderr has %q", said)
	}
}
