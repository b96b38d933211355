package nodetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// small is a heap that is enough for the checks.
var small = shmem.Options{HeapSize: 4 << 20, Timeout: 20 * time.Second, Check: shmem.CheckOff}

// long says whether there is time for everything.
func long() bool { return os.Getenv("NODETEST_LONG") != "" }

// TestConformance runs checks over two nodes, or all of them over four.
func TestConformance(t *testing.T) {
	nodes, checks := 2, some(conformance.All(), "team:", "collective:", "reduction:", "node:", "signal: every comparison")
	if long() {
		nodes, checks = 4, conformance.All()
	}
	if isRank() {
		shmemtest.RunWith(t, 2*nodes, small, func(t testing.TB, w *shmem.World) { conformance.RunAll(t, w, checks) })
		return
	}
	j := jobOf(t, nodes, 2, 0, 0)
	j.start(t)
	j.finish(t)
	if j.wires.passed.Load() == 0 {
		t.Error("nothing went from node to node")
	}
}

// some are the checks whose names begin in one of these ways.
func some(all []conformance.Check, prefixes ...string) (list []conformance.Check) {
	for _, c := range all {
		for _, p := range prefixes {
			if strings.HasPrefix(c.Name, p) {
				list = append(list, c)
			}
		}
	}
	return list
}

// TestLossyNetwork: a slow network that loses packets makes a world slow, and nothing else.
func TestLossyNetwork(t *testing.T) {
	nodes := 2
	if long() {
		nodes = 4
	}
	if isRank() {
		shmemtest.RunWith(t, 2*nodes, small, rounds)
		return
	}
	j := jobOf(t, nodes, 2, 20*time.Millisecond, 0.01)
	j.start(t)
	j.finish(t)
}

// rounds does some of everything.
func rounds(t testing.TB, w *shmem.World) {
	ctx, n, me := t.Context(), w.NPEs(), w.MyPE()
	ok := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	a, err := shmem.Alloc[uint64](ctx, w, 1000)
	ok(err)
	sum, err := shmem.Alloc[uint64](ctx, w, 1000)
	ok(err)
	mine, err := a.Local()
	ok(err)
	sums, err := sum.Local()
	ok(err)
	for round := range 3 {
		for i := range mine {
			mine[i] = uint64(i*(me+1) + round)
		}
		ok(shmem.AllReduce(ctx, w.Team(), sum, a, shmem.Sum[uint64]))
		for i, got := range sums {
			if want := uint64(i*n*(n+1)/2 + n*round); got != want {
				t.Fatalf("round %d: element %d is %d, want %d", round, i, got, want)
			}
		}
		ok(a.Put(sum, (me+n/2)%n))
		ok(w.Barrier(ctx))
		for i, got := range mine {
			if got != sums[i] {
				t.Fatalf("round %d: element %d is %d after a put of %d", round, i, got, sums[i])
			}
		}
	}
}

// TestNodeCutOff: when a node is cut off in the middle all learn of that, on both sides,
// long before their time is over: who meets the others, and who changes their memory as
// fast as it can.
func TestNodeCutOff(t *testing.T) {
	const nodes = 3
	if isRank() {
		o := small
		o.Timeout = 4 * time.Second
		untilBroken(t, o)
		return
	}
	j := jobOf(t, nodes, 2, 0, 0)
	j.start(t)
	j.await(t, 2*nodes)
	j.wires.cut[1].Store(true)
	j.finish(t)
	text := j.text()
	for pe := range 2 * nodes {
		want := "node 1 (host node1, PEs 2, 3)"
		if pe/2 == 1 {
			want = "(host node"
		}
		for _, does := range []string{"meets", "adds"} {
			if line := lineOf(text, fmt.Sprintf("told: PE %d %s:", pe, does)); !strings.Contains(line, want) {
				t.Errorf("PE %d, which %s: %q does not say %q", pe, does, line, want)
			}
		}
	}
}

// untilBroken meets the others and adds to their words until that fails, and says how.
func untilBroken(t *testing.T, o shmem.Options) {
	ctx := context.Background()
	w, err := shmem.Init(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	words, err := shmem.Alloc[uint64](ctx, w, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Barrier(ctx); err != nil {
		t.Fatal(err)
	}
	fmt.Println("test: PE is ready")
	var both sync.WaitGroup
	both.Go(func() { until(t, w, "meets", func(int) error { return w.Barrier(ctx) }) })
	both.Go(func() {
		until(t, w, "adds", func(i int) error { return shmem.AtomicAdd(words, i%64, 1, i%w.NPEs()) })
	})
	both.Wait()
}

// until repeats something until it fails because a PE is gone.
func until(t *testing.T, w *shmem.World, does string, do func(i int) error) {
	var err error
	for i := 0; err == nil; i++ {
		err = do(i)
	}
	if !errors.Is(err, shmem.ErrDied) {
		t.Errorf("PE %d, which %s: %v: not one that is %v", w.MyPE(), does, err, shmem.ErrDied)
	}
	fmt.Printf("told: PE %d %s: %v\n", w.MyPE(), does, err)
}

func lineOf(text, prefix string) string {
	_, rest, found := strings.Cut(text, prefix)
	if !found {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
