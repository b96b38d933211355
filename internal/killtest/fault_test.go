package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/fault"
	"github.com/goshmem/goshmem/shmem"
)

// struck is the PE that the faults of these tests are for.
const struck = 2

// tour does every operation that a fault can be for twice. It returns the first error.
// None but the one that it names waits for a lock: whether a lock is free is chance.
func tour(ctx context.Context, w *shmem.World, op fault.Op) error {
	s, err := newTour(ctx, w)
	if err != nil {
		return err
	}
	for round := range uint64(2) {
		for _, step := range []func(context.Context, *stage, uint64) error{transfers, orders, lives} {
			if err := step(ctx, s, round+1); err != nil {
				return err
			}
		}
		for _, name := range sortedKeys(collectives()) {
			if err := collectives()[name](ctx, s); err != nil {
				return err
			}
		}
	}
	if op == "lock" {
		return lockedOut(ctx, s)
	}
	return w.Barrier(ctx)
}

// newTour is a stage without a lock that is held.
func newTour(ctx context.Context, w *shmem.World) (*stage, error) {
	s := &stage{w: w, victim: struck}
	var errs [6]error
	s.sig, errs[0] = shmem.AllocSignal(ctx, w)
	s.word, errs[1] = shmem.Alloc[int64](ctx, w, w.NPEs())
	s.there, errs[2] = shmem.Alloc[int64](ctx, w, w.NPEs())
	s.lock, errs[3] = shmem.AllocLock(ctx, w)
	s.two, errs[4] = shmem.Alloc[int64](ctx, w, 2)
	s.moment, errs[5] = shmem.Alloc[int64](ctx, w, 2)
	return s, errors.Join(errs[:]...)
}

// transfers go to memory that nobody but this PE uses.
func transfers(ctx context.Context, s *stage, round uint64) error {
	next := (s.w.MyPE() + 1) % s.w.NPEs()
	_, got := s.two.G(0, next)
	_, added := shmem.AtomicFetchAdd(s.two, 1, 1, next)
	err := errors.Join(s.two.P(0, 1, next), got, added, s.two.PutSignal(s.moment, next, s.sig, shmem.SignalAdd, 1))
	if err != nil {
		return err
	}
	_, err = s.sig.WaitUntil(ctx, shmem.GE, round)
	return err
}

func orders(ctx context.Context, s *stage, _ uint64) error {
	for _, err := range []error{s.w.Fence(), s.w.Quiet(ctx), s.w.Barrier(ctx), s.w.Sync(ctx)} {
		if err != nil {
			return err
		}
	}
	return nil
}

func lives(ctx context.Context, s *stage, _ uint64) error {
	a, err := shmem.Alloc[int32](ctx, s.w, 10)
	if err != nil {
		return err
	}
	if err := a.Free(ctx); err != nil {
		return err
	}
	team, err := s.w.Team().SplitStrided(ctx, 0, 1, s.w.NPEs(), shmem.TeamConfig{})
	if err != nil {
		return err
	}
	return team.Destroy(ctx)
}

// lockedOut has all wait for a lock that PE 0 does not give up.
func lockedOut(ctx context.Context, s *stage) error {
	if s.w.MyPE() == 0 {
		if err := s.lock.Set(ctx); err != nil {
			return err
		}
	}
	if err := s.w.Barrier(ctx); err != nil || s.w.MyPE() == 0 {
		return errors.Join(err, s.w.Barrier(ctx))
	}
	return s.lock.Set(ctx)
}

// times is at which of its kind an operation is struck: there is but one init, and but
// one wait for a lock.
func times(op fault.Op) int {
	if slices.Contains([]fault.Op{"init", "finalize", "lock"}, op) {
		return 1
	}
	return 2
}

// strikes returns faults of a verb for each operation but init, which goroutine PEs do
// without.
func strikes(v fault.Verb) []fault.Fault {
	var all []fault.Fault
	for _, op := range fault.Ops() {
		if op != fault.Any && op != "init" && (v != fault.Fail || op != fault.Fence) {
			all = append(all, fault.Fault{Verb: v, PE: struck, Op: op, N: times(op)})
		}
	}
	return all
}

// toured is how a tour on goroutine PEs ended.
type toured struct {
	err  error   // of the world
	errs []error // of each PE's tour and finalize
	told []string
}

func takeTour(t *testing.T, n int, o shmem.Options, op fault.Op) toured {
	t.Helper()
	r := toured{errs: make([]error, n)}
	var mu sync.Mutex
	o.HeapSize = 1 << 20
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		r.told = append(r.told, fmt.Sprintf(format, args...))
	}
	r.err = shmem.RunLocal(t.Context(), n, o, func(ctx context.Context, w *shmem.World) error {
		err := tour(ctx, w, op)
		if err == nil {
			err = w.Finalize(ctx)
		}
		r.errs[w.MyPE()] = err
		return err
	})
	return r
}

// faults are the lines that were told about faults, in the order of PEs.
func (r toured) faults() []string {
	told := slices.DeleteFunc(slices.Clone(r.told), func(line string) bool { return !strings.HasPrefix(line, "goshmem: fault: ") })
	slices.Sort(told)
	return told
}

// says fails the test unless exactly one line was told, and begins so.
func (r toured) says(t *testing.T, begin string) {
	t.Helper()
	told := r.faults()
	if len(told) != 1 || !strings.HasPrefix(told[0], begin) || !strings.Contains(told[0], "again: GOSHMEM_FAULT=") {
		t.Errorf("told %q, want one line that begins with %q and the command", told, begin)
	}
}

// TestFaultKill kills a goroutine PE at each operation: the others learn of it as of the
// death of a process, with PE, kind and number.
func TestFaultKill(t *testing.T) {
	for _, f := range strikes(fault.Kill) {
		for _, n := range []int{4, 20} {
			t.Run(fmt.Sprintf("%v, %d PEs", f, n), func(t *testing.T) {
				r := takeTour(t, n, shmem.Options{Fault: f.String()}, f.Op)
				what := fmt.Sprintf("died: fault %q at %s #%d of PE 2", f, f.Op, f.N)
				if !errors.Is(r.err, shmem.ErrDied) || !strings.Contains(r.err.Error(), "PE 2: "+what) {
					t.Errorf("the world ended with %v", r.err)
				}
				r.says(t, fmt.Sprintf("goshmem: fault: PE 2: %v, at %s #%d (", f, f.Op, f.N))
				for pe, err := range r.errs {
					if pe != struck && (kind(err) != "died" || !strings.Contains(err.Error(), "PE 2 "+what)) {
						t.Errorf("PE %d: %v", pe, err)
					}
				}
			})
		}
	}
}

// TestFaultFail has each operation of one PE fail: it gets the error, and the others
// learn of it, with PE, kind and number.
func TestFaultFail(t *testing.T) {
	for _, f := range strikes(fault.Fail) {
		t.Run(f.String(), func(t *testing.T) {
			r := takeTour(t, 4, shmem.Options{Fault: f.String()}, f.Op)
			what := fmt.Sprintf("%s #%d of PE 2 fails (a fault that was asked for: %q)", f.Op, f.N, f)
			for pe, err := range r.errs {
				if pe == struck && !errors.Is(err, shmem.ErrFault) || pe != struck && !slices.Contains([]string{"failed", "mismatch"}, kind(err)) ||
					err == nil || !strings.Contains(err.Error(), what) {
					t.Errorf("PE %d: %v, want %s", pe, err, what)
				}
			}
		})
	}
}

// TestFaultStop stops a PE: the others time out and say where it stands.
func TestFaultStop(t *testing.T) {
	for _, op := range []fault.Op{fault.Put, fault.Fence, "barrier", "allreduce", "wait"} {
		f := fault.Fault{Verb: fault.Stop, PE: struck, Op: op, N: 2}
		t.Run(f.String(), func(t *testing.T) {
			r := takeTour(t, 4, shmem.Options{Fault: f.String(), Timeout: soon}, op)
			form := regexp.MustCompile(fmt.Sprintf(`PE 2 is (absent: )?in stop \(%s #2, (fault|collective)_test.go:\d+\)`, op))
			for pe, err := range r.errs {
				if pe != struck && (!slices.Contains([]string{"timeout", "mismatch", "failed"}, kind(err)) || !form.MatchString(err.Error())) {
					t.Errorf("PE %d: %v, want %v", pe, err, form)
				}
			}
			if r.errs[struck] == nil {
				t.Error("the stopped PE went on as if nothing had been")
			}
		})
	}
}

// TestFaultLate delays an operation and slows a link: the program does what it does, only
// not as soon.
func TestFaultLate(t *testing.T) {
	const by = 30 * time.Millisecond
	for _, text := range []string{"delay pe=2 op=put n=2 by=30ms", "delay pe=2 op=any n=9 by=30ms", "delay pe=2 op=fence n=1 by=30ms"} {
		start := time.Now()
		r := takeTour(t, 4, shmem.Options{Fault: text}, fault.Any)
		if took := time.Since(start); r.err != nil || took < by {
			t.Errorf("%s: %v after %v", text, r.err, took)
		}
		r.says(t, "goshmem: fault: PE 2: "+text+", at ")
	}
	r := takeTour(t, 4, shmem.Options{Fault: "slow link=1-2 by=1ms"}, fault.Any)
	if r.err != nil || len(r.faults()) != 2 {
		t.Errorf("a slow link: %v, told %q", r.err, r.told)
	}
}

// TestFaultExhaust lets one PE find no memory for an allocation.
func TestFaultExhaust(t *testing.T) {
	r := takeTour(t, 4, shmem.Options{Fault: "exhaust pe=2 n=7"}, fault.Any)
	what := `symmetric heap exhausted at alloc #7 of PE 2 (a fault that was asked for: "exhaust pe=2 n=7")`
	for pe, err := range r.errs {
		is, text := shmem.ErrMismatch, "PE 2 refused alloc #7"
		if pe == struck {
			is, text = shmem.ErrNoMemory, what
		}
		if !errors.Is(err, is) || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), what) {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
}

// TestFaultLose loses a virtual node.
func TestFaultLose(t *testing.T) {
	for _, op := range []fault.Op{fault.Put, "barrier", "allreduce", "wait", "finalize"} {
		f := fault.Fault{Verb: fault.Lose, Node: 1, Op: op, N: times(op)}
		r := takeTour(t, 5, shmem.Options{Fault: f.String(), NodeSize: 2}, op)
		for pe, err := range r.errs {
			if pe/2 == 1 && err != nil {
				t.Errorf("%v: PE %d is dead and returns %v", f, pe, err)
			}
			if pe/2 != 1 && (kind(err) != "died" || !strings.Contains(err.Error(), fmt.Sprintf("died: fault %q at %s #%d of PE 2", f, op, f.N)) ||
				!strings.Contains(err.Error(), "PE 3 is gone as well: died: fault")) {
				t.Errorf("%v: PE %d: %v", f, pe, err)
			}
		}
		for pe := 2; pe < 4; pe++ {
			if !strings.Contains(r.err.Error(), fmt.Sprintf("PE %d: died: fault", pe)) {
				t.Errorf("%v: PE %d did not die: %v", f, pe, r.err)
			}
		}
	}
}

// TestFaultSeed draws faults: the same seed twice is the same fault and the same end, and
// what is printed has it happen again without the seed.
func TestFaultSeed(t *testing.T) {
	seen := map[string]bool{}
	for seed := range 12 {
		text := fmt.Sprintf("seed=%d,kill", seed)
		one, two := takeTour(t, 4, shmem.Options{Fault: text}, fault.Any), takeTour(t, 4, shmem.Options{Fault: text}, fault.Any)
		told := one.faults()
		if len(told) != 1 || !slices.Equal(told, two.faults()) || !strings.Contains(told[0], fmt.Sprintf("drawn for %q", text)) {
			t.Fatalf("%s: told %q and then %q", text, told, two.told)
		}
		_, rest, _ := strings.Cut(told[0], "again: GOSHMEM_FAULT='")
		again, _, _ := strings.Cut(rest, "'")
		three := takeTour(t, 4, shmem.Options{Fault: again}, fault.Any)
		three.says(t, strings.SplitAfter(told[0], ")")[0])
		seen[again] = true
	}
	if len(seen) < 6 {
		t.Errorf("12 seeds draw only %d faults: %v", len(seen), seen)
	}
}

// TestFaultDoesNotHappen: a fault that waits for an operation that never comes is told.
func TestFaultDoesNotHappen(t *testing.T) {
	r := takeTour(t, 4, shmem.Options{Fault: "kill pe=2 op=put n=1000"}, fault.Any)
	if r.err != nil {
		t.Error(r.err)
	}
	r.says(t, "goshmem: fault: PE 2: kill pe=2 op=put n=1000, did not happen: there were 2 such operations; again: GOSHMEM_FAULT=")
}

// TestFaultContexts: what goes through a context counts with what does not, also in
// checked mode and to virtual nodes.
func TestFaultContexts(t *testing.T) {
	for name, o := range map[string]shmem.Options{"plain": {Check: shmem.CheckOff}, "checked": {Check: shmem.CheckOn}, "nodes of 1": {NodeSize: 1}} {
		o.HeapSize, o.Fault = 1<<20, "fail pe=0 op=put n=3"
		o.Logf = func(string, ...any) {}
		err := shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
			a, err := shmem.Alloc[int64](ctx, w, 1)
			if err != nil {
				return err
			}
			c, err := w.Team().NewContext(shmem.ContextOptions{})
			if err != nil {
				return err
			}
			via, err := a.Via(c)
			if err != nil {
				return err
			}
			if err := errors.Join(a.P(0, 1, 1), via.P(0, 2, w.MyPE())); err != nil {
				return fmt.Errorf("too early: %w", err)
			}
			if err := via.P(0, 3, 1); w.MyPE() == 0 || err != nil {
				return err
			}
			return w.Barrier(ctx)
		})
		if !errors.Is(err, shmem.ErrFault) || !strings.Contains(err.Error(), "PE 0: shmem: p: put #3 of PE 0 fails") || strings.Contains(err.Error(), "too early") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFaultStopAlone: a PE that nobody waits for does not hang for ever either.
func TestFaultStopAlone(t *testing.T) {
	o := shmem.Options{HeapSize: 1 << 20, Timeout: soon, Fault: "stop pe=0 op=quiet n=1", Logf: func(string, ...any) {}}
	err := shmem.RunLocal(t.Context(), 1, o, func(ctx context.Context, w *shmem.World) error { return w.Quiet(ctx) })
	if !errors.Is(err, shmem.ErrFault) || !errors.Is(err, shmem.ErrTimeout) {
		t.Error(err)
	}
}
