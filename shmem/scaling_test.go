package shmem_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/shmem"
)

var updateScaling = flag.Bool("update-scaling", false, "write the table of docs/scaling.md anew")

// scalingPage has, between two lines, the table that TestScaling counts.
const scalingPage, tableBegins, tableEnds = "../docs/scaling.md", "<!-- counted -->\n", "<!-- end -->\n"

// traffic is what one PE did in one collective.
type traffic struct{ rounds, slips, gets, puts int }

// busiest is the most of anything that a PE did.
func (a traffic) busiest(b traffic) traffic {
	return traffic{max(a.rounds, b.rounds), max(a.slips, b.slips), max(a.gets, b.gets), max(a.puts, b.puts)}
}

// countedHeap counts what its PE does to others; one goroutine uses it.
type countedHeap struct {
	engine.Heap
	done *traffic
}

func (h countedHeap) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	h.done.gets++
	return h.Heap.Get(pe, dst, src, n)
}

func (l countedLane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	l.done.gets++
	return l.Lane.GetNBI(pe, dst, src, n)
}

func (h countedHeap) NewLane() engine.Lane { return countedLane{h.Heap.NewLane(), h.done} }

func (h countedHeap) Gate(slot int, members []int, generation uint64) engine.Gate {
	return &countedGate{Gate: h.Heap.Gate(slot, members, generation), self: h.Rank(), done: h.done, read: map[int]bool{}}
}

type countedLane struct {
	engine.Lane
	done *traffic
}

func (l countedLane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	l.done.puts++
	return l.Lane.Put(pe, dst, src, n)
}

// countedGate is one of the world, where a member's number is that of its PE.
type countedGate struct {
	engine.Gate
	self int
	done *traffic
	read map[int]bool // whose slips of this meeting
}

func (g *countedGate) Meet(ctx context.Context, call engine.Call) error {
	g.done.rounds++
	return g.Gate.Meet(ctx, call)
}

func (g *countedGate) Open(ctx context.Context, call engine.Call) error {
	g.done.rounds++
	clear(g.read)
	return g.Gate.Open(ctx, call)
}

func (g *countedGate) Slip(i int) *engine.Slip {
	if i != g.self && !g.read[i] {
		g.read[i] = true
		g.done.slips++
	}
	return g.Gate.Slip(i)
}

// collectiveCase is a collective of arrays with so many lines for n PEs, and what the
// busiest of them has to do by the theory.
type collectiveCase struct {
	name     string
	dst, src func(n int) int
	needs    func(n int) traffic
	run      func(ctx context.Context, t *shmem.Team, dst, src shmem.Array[float64]) error
}

// line is elements enough to need a get: 64 bytes.
const line = 8

func collectiveCases() []collectiveCase {
	one, short := func(int) int { return 1 }, func(int) int { return line }
	each, long := func(n int) int { return n }, func(n int) int { return line * n }
	from0 := func(ctx context.Context, t *shmem.Team, dst, src shmem.Array[float64]) error {
		return shmem.Broadcast(ctx, t, dst, src, 0)
	}
	return []collectiveCase{
		{"sync", one, one, func(n int) traffic { return traffic{rounds: 1} },
			func(ctx context.Context, t *shmem.Team, _, _ shmem.Array[float64]) error { return t.Sync(ctx) }},
		{"broadcast, 8 B", one, one, func(n int) traffic { return traffic{rounds: 1, slips: 1} }, from0},
		{"broadcast, 64 B", short, short, func(n int) traffic { return traffic{rounds: 2, slips: 1, gets: 1} }, from0},
		{"fcollect, 8 B each", each, one, func(n int) traffic { return traffic{rounds: 1, slips: n - 1} }, shmem.FCollect[float64]},
		{"fcollect, 64 B each", long, short, gathered, shmem.FCollect[float64]},
		{"alltoall, 64 B each", long, long, gathered, shmem.AllToAll[float64]},
		{"all-reduce, 64 B for each", long, long, func(n int) traffic { return traffic{rounds: 2, slips: n - 1, gets: n - 1, puts: n - 1} },
			func(ctx context.Context, t *shmem.Team, dst, src shmem.Array[float64]) error {
				return shmem.AllReduce(ctx, t, dst, src, shmem.Sum)
			}},
		{"reduce, 64 B for each", long, long, func(n int) traffic { return traffic{rounds: 2, slips: n - 1, gets: n - 1, puts: 1} },
			func(ctx context.Context, t *shmem.Team, dst, src shmem.Array[float64]) error {
				return shmem.Reduce(ctx, t, dst, src, shmem.Sum, 0)
			}},
		{"reduce-scatter, 64 B each", short, long, gathered,
			func(ctx context.Context, t *shmem.Team, dst, src shmem.Array[float64]) error {
				return shmem.ReduceScatter(ctx, t, dst, src, shmem.Sum)
			}},
	}
}

// gathered is what it takes to get something from everybody else.
func gathered(n int) traffic { return traffic{rounds: 2, slips: n - 1, gets: n - 1} }

// TestScaling counts the meetings and messages of collectives of PEs that cannot load and
// store each other's memory, and compares with the theory and with docs/scaling.md.
func TestScaling(t *testing.T) {
	counts := []int{64, 256, 1024}
	if raced { // the detector follows 8,128 goroutines at most
		counts = counts[:2]
	}
	seen := map[string][]traffic{}
	for _, n := range counts {
		for name, done := range countCollectives(t, n) {
			seen[name] = append(seen[name], done)
		}
	}
	for _, c := range collectiveCases() {
		for i, n := range counts {
			if got, want := seen[c.name][i], c.needs(n); got != want {
				t.Errorf("%s, %d PEs: %+v, want %+v", c.name, n, got, want)
			}
		}
	}
	if !raced {
		comparePage(t, scalingTable(seen, counts))
	}
}

// countCollectives returns what the busiest of n PEs did in each of them.
func countCollectives(t *testing.T, n int) map[string]traffic {
	counters := make([]traffic, n)
	o := shmem.WithHeap(shmem.Options{NodeSize: 1, HeapSize: 2*8*line*n + 1<<16, Timeout: time.Minute, Check: shmem.CheckOff}, func(h engine.Heap) engine.Heap {
		return countedHeap{h, &counters[h.Rank()]}
	})
	var mu sync.Mutex
	all := map[string]traffic{}
	err := shmem.RunLocal(context.Background(), n, o, func(ctx context.Context, w *shmem.World) error {
		long, err := shmem.Alloc[float64](ctx, w, line*n)
		if err != nil {
			return err
		}
		other, err := shmem.Alloc[float64](ctx, w, line*n)
		if err != nil {
			return err
		}
		for _, c := range collectiveCases() {
			counters[w.MyPE()] = traffic{}
			dst, dstErr := long.Slice(0, c.dst(n))
			src, srcErr := other.Slice(0, c.src(n))
			if err := errors.Join(dstErr, srcErr); err != nil {
				return err
			}
			if err := c.run(ctx, w.Team(), dst, src); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			mu.Lock()
			all[c.name] = all[c.name].busiest(counters[w.MyPE()])
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// scalingTable is the table of docs/scaling.md.
func scalingTable(seen map[string][]traffic, counts []int) string {
	b := &strings.Builder{}
	fmt.Fprint(b, "| collective |")
	for _, n := range counts {
		fmt.Fprintf(b, " %d PEs: rounds, slips, gets, puts |", n)
	}
	fmt.Fprintf(b, "\n|---%s|\n", strings.Repeat("|---", len(counts)))
	for _, c := range collectiveCases() {
		fmt.Fprintf(b, "| %s |", c.name)
		for _, d := range seen[c.name] {
			fmt.Fprintf(b, " %d, %d, %d, %d |", d.rounds, d.slips, d.gets, d.puts)
		}
		fmt.Fprintln(b)
	}
	return b.String()
}

// comparePage compares the table with the page, or writes it there.
func comparePage(t *testing.T, table string) {
	old, err := os.ReadFile(scalingPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), tableBegins)
	_, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", scalingPage)
	}
	page := before + tableBegins + table + tableEnds + after
	if page == string(old) {
		return
	}
	if !*updateScaling {
		t.Fatalf("%s is not what was counted: go test ./shmem -run TestScaling -update-scaling", scalingPage)
	}
	if err := os.WriteFile(scalingPage, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}
