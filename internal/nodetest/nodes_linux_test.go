package nodetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
// long before their time is over.
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
		if line := lineOf(text, fmt.Sprintf("told: PE %d:", pe)); !strings.Contains(line, want) {
			t.Errorf("PE %d: %q does not say %q", pe, line, want)
		}
	}
}

// untilBroken meets the others until that fails, and says how.
func untilBroken(t *testing.T, o shmem.Options) {
	w, err := shmem.Init(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Barrier(context.Background()); err != nil {
		t.Fatal(err)
	}
	fmt.Println("test: PE is ready")
	for err == nil {
		err = w.Barrier(context.Background())
	}
	if !errors.Is(err, shmem.ErrDied) {
		t.Errorf("PE %d: %v: not one that is %v", w.MyPE(), err, shmem.ErrDied)
	}
	fmt.Printf("told: PE %d: %v\n", w.MyPE(), err)
}

func lineOf(text, prefix string) string {
	_, rest, found := strings.Cut(text, prefix)
	if !found {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
