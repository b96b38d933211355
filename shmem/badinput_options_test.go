package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// alone hides the launcher that may have started this process, and what the user
// has set: an empty variable is as good as none.
func alone(t *testing.T) {
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		for _, prefix := range []string{"GOSHMEM_", "ROCSHMEM_", "OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "JOB_COMPLETION_INDEX"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "")
			}
		}
	}
}

// nobody is the body of a world that must not come into being.
func nobody(t *testing.T) func(context.Context, *shmem.World) error {
	return func(_ context.Context, w *shmem.World) error {
		t.Errorf("there is a world of %d PEs", w.NPEs())
		return nil
	}
}

// TestBadEnvironment sets variables that no world can follow.
func TestBadEnvironment(t *testing.T) {
	for _, c := range []struct {
		name, value, text string
		processesOnly     bool
	}{
		{name: "GOSHMEM_HEAP_SIZE", value: "lots", text: `GOSHMEM_HEAP_SIZE="lots" is not a size: use bytes, or a number with KiB, MiB or GiB`},
		{name: "GOSHMEM_HEAP_SIZE", value: "-1", text: `GOSHMEM_HEAP_SIZE="-1" is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "1.5GiB", text: `GOSHMEM_HEAP_SIZE="1.5GiB" is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "12kib", text: `GOSHMEM_HEAP_SIZE="12kib" is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "GiB", text: `GOSHMEM_HEAP_SIZE="GiB" is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "18446744073709551616", text: `is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "17179869184GiB", text: `is not a size`},
		{name: "GOSHMEM_HEAP_SIZE", value: "0", text: "GOSHMEM_HEAP_SIZE: a heap of 0 bytes per PE: at least 4096, at most"},
		{name: "GOSHMEM_HEAP_SIZE", value: "4095", text: "GOSHMEM_HEAP_SIZE: a heap of 4095 bytes per PE: at least 4096"},
		{name: "GOSHMEM_HEAP_SIZE", value: "1048576GiB", text: "GOSHMEM_HEAP_SIZE: a heap of 1125899906842624 bytes per PE: at least 4096, at most 70368744177664"},
		{name: "ROCSHMEM_HEAP_SIZE", value: "many", text: `ROCSHMEM_HEAP_SIZE="many" is not a size`},
		{name: "ROCSHMEM_HEAP_SIZE", value: "17", text: "ROCSHMEM_HEAP_SIZE: a heap of 17 bytes"},
		{name: "GOSHMEM_TIMEOUT", value: "soon", text: `GOSHMEM_TIMEOUT="soon" is not a positive duration such as 30s or 5m`},
		{name: "GOSHMEM_TIMEOUT", value: "30", text: `GOSHMEM_TIMEOUT="30" is not a positive duration`},
		{name: "GOSHMEM_TIMEOUT", value: "0s", text: `GOSHMEM_TIMEOUT="0s" is not a positive duration`},
		{name: "GOSHMEM_TIMEOUT", value: "-5m", text: `GOSHMEM_TIMEOUT="-5m" is not a positive duration`},
		{name: "GOSHMEM_NODE_SIZE", value: "two", text: `GOSHMEM_NODE_SIZE="two" is not a number of PEs`},
		{name: "GOSHMEM_NODE_SIZE", value: "0", text: `GOSHMEM_NODE_SIZE="0" is not a number of PEs`},
		{name: "GOSHMEM_NODE_SIZE", value: "-2", text: `GOSHMEM_NODE_SIZE="-2" is not a number of PEs`},
		{name: "GOSHMEM_CHECK", value: "yes", text: `GOSHMEM_CHECK="yes" is neither 0 nor 1`},
		{name: "GOSHMEM_CHECK", value: "2", text: `GOSHMEM_CHECK="2" is neither 0 nor 1`},
		{name: "GOSHMEM_FAULT", value: "maim pe=0", text: `GOSHMEM_FAULT: in "maim pe=0": "maim" is neither a fault (delay, stop, kill, fail, slow, exhaust, lose) nor key=value (go doc `},
		{name: "GOSHMEM_FAULT", value: "kill pe=9 op=put", text: `GOSHMEM_FAULT: in "kill pe=9 op=put": there is no PE 9: the world has `},
		{name: "GOSHMEM_RACE", value: "yes", text: `GOSHMEM_RACE="yes" is neither 0 nor 1`},
		{name: "GOSHMEM_WEAK", value: "yes", text: `GOSHMEM_WEAK="yes" is not a seed: use a number from 1 on, or 0 for none`},
		{name: "GOSHMEM_HEAPSIZE", value: "1GiB", text: "unknown variable GOSHMEM_HEAPSIZE (`goshmem info` lists those that exist)"},
		{name: "GOSHMEM_", value: "1", text: "unknown variable GOSHMEM_ ("},
		{name: "GOSHMEM_ENGINE", value: "teleport", text: "engine teleport was asked for but cannot run: there is no such engine; engines that can: host", processesOnly: true},
		{name: "GOSHMEM_ENGINE", value: "HOST", text: "engine HOST was asked for but cannot run", processesOnly: true},
		{name: "GOSHMEM_RANK", value: "0", text: "GOSHMEM_SIZE", processesOnly: true},
		{name: "GOSHMEM_SIZE", value: "4", text: "GOSHMEM_RANK", processesOnly: true},
		{name: "WORLD_SIZE", value: "many", text: "RANK", processesOnly: true},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			alone(t)
			t.Setenv(c.name, c.value)
			x := wrong{is: shmem.ErrArgument, op: "init", peer: -1, pe: -1, text: c.text}
			x.check(t, second(shmem.Init(t.Context(), shmem.Options{})))
			if !c.processesOnly {
				x.op = "run local"
				x.check(t, shmem.RunLocal(t.Context(), 2, shmem.Options{}, nobody(t)))
			}
		})
	}
}

// noExchange is an exchange of one PE.
type noExchange struct{}

func (noExchange) Broadcast(context.Context, []byte, int) error { return nil }
func (noExchange) Barrier(context.Context) error                { return nil }

// TestBadOptions passes options that contradict each other or the launcher.
func TestBadOptions(t *testing.T) {
	alone(t)
	ex := noExchange{}
	for _, c := range []struct {
		o    shmem.Options
		text string
	}{
		{shmem.Options{Rank: 1}, "Options.Rank is 1 but Options.Size is 0"},
		{shmem.Options{Rank: -1}, "Options.Rank is -1 but Options.Size is 0"},
		{shmem.Options{Size: 2}, "Options say rank 0 of 2, the launcher (none) says rank 0 of 1: name a subset of the processes in Options.Group"},
		{shmem.Options{Rank: 3, Size: 4}, "Options say rank 3 of 4, the launcher (none) says rank 0 of 1"},
		{shmem.Options{Rank: 4, Size: 4}, "Options say rank 4 of 4"},
		{shmem.Options{Size: -1}, "Options say rank 0 of -1"},
		{shmem.Options{Rank: math.MinInt, Size: math.MaxInt}, "Options say rank"},
		{shmem.Options{Exchange: ex}, "rank 0 of 0: Options.Exchange needs Options.Rank and Options.Size"},
		{shmem.Options{Exchange: ex, Size: -2}, "rank 0 of -2: Options.Exchange needs"},
		{shmem.Options{Exchange: ex, Rank: 1, Size: 1}, "rank 1 of 1: Options.Exchange needs"},
		{shmem.Options{Exchange: ex, Rank: -1, Size: 1}, "rank -1 of 1: Options.Exchange needs"},
		{shmem.Options{Group: "odd"}, `group "odd": size 0 is not within 1 and`},
		{shmem.Options{Group: "odd", Size: -1}, `group "odd": size -1 is not within 1 and`},
		{shmem.Options{Group: "odd", Size: math.MaxInt}, `is not within 1 and`},
		{shmem.Options{Group: "odd", Rank: 2, Size: 2}, `group "odd": rank 2 is not within 0 and 1`},
		{shmem.Options{Group: "odd", Rank: -1, Size: 2}, `group "odd": rank -1 is not within 0 and 1`},
		{shmem.Options{HeapSize: -1}, "Options.HeapSize: a heap of -1 bytes per PE: at least 4096"},
		{shmem.Options{HeapSize: 100}, "Options.HeapSize: a heap of 100 bytes per PE: at least 4096"},
		{shmem.Options{HeapSize: math.MaxInt}, "Options.HeapSize: a heap of 9223372036854775807 bytes per PE"},
		{shmem.Options{HeapSize: math.MinInt}, "Options.HeapSize: a heap of -9223372036854775808 bytes per PE"},
		{shmem.Options{Timeout: -time.Second}, "Options.Timeout of -1s is negative"},
		{shmem.Options{NodeSize: -3}, "Options.NodeSize of -3 is negative"},
		{shmem.Options{Fault: "kill pe=0"}, `Options.Fault: in "kill pe=0": kill needs op=, or seed= to draw it`},
		{shmem.Options{Fault: "lose node=1 op=put"}, "there is no virtual node 1: there are 1 (GOSHMEM_NODE_SIZE)"},
		{shmem.Options{Check: 7}, "Options.Check of 7: use CheckOn or CheckOff"},
		{shmem.Options{Check: -1}, "Options.Check of -1: use CheckOn or CheckOff"},
		{shmem.Options{Engine: "teleport"}, "engine teleport was asked for but cannot run: there is no such engine; engines that can: host"},
	} {
		wrong{is: shmem.ErrArgument, op: "init", peer: -1, pe: -1, text: c.text}.check(t, second(shmem.Init(t.Context(), c.o)))
	}
	for _, o := range []shmem.Options{{HeapSize: -1}, {HeapSize: 100}, {HeapSize: math.MaxInt}, {Timeout: -1}, {NodeSize: -1}, {Check: -1}, {Check: 3}, {Fault: "kill"}, {Fault: "exhaust pe=1"}} {
		wrong{is: shmem.ErrArgument, op: "run local", peer: -1, pe: -1}.check(t, shmem.RunLocal(t.Context(), 1, o, nobody(t)))
	}
}

// TestHeapSizeSources: options before our variable, ours before rocSHMEM's.
func TestHeapSizeSources(t *testing.T) {
	for _, c := range []struct {
		ours, theirs string
		option, want int
	}{
		{"", "", 0, 64 << 20},
		{"", "2097152", 0, 2 << 20},
		{"3MiB", "2097152", 0, 3 << 20},
		{"64KiB", "junk that nobody reads", 0, 64 << 10},
		{"3 MiB", "2097152", 1 << 20, 1 << 20},
		{"", "", 4096 + 4095, 4096}, // whole pages
	} {
		alone(t)
		t.Setenv("GOSHMEM_HEAP_SIZE", c.ours)
		t.Setenv("ROCSHMEM_HEAP_SIZE", c.theirs)
		must(t, shmem.RunLocal(t.Context(), 2, shmem.Options{HeapSize: c.option}, func(_ context.Context, w *shmem.World) error {
			if got := w.Info().HeapSize; got != c.want || w.HeapStats().Size != c.want {
				t.Errorf("%+v: the heap has %d bytes, the allocator %d", c, got, w.HeapStats().Size)
			}
			return nil
		}))
	}
}

// TestTimeoutSources: a context's deadline before options, options before the variable.
func TestTimeoutSources(t *testing.T) {
	alone(t)
	for _, c := range []struct {
		variable        string
		option, context time.Duration
	}{
		{"30ms", 0, 0},
		{"1h", 30 * time.Millisecond, 0},
		{"1h", time.Hour, 30 * time.Millisecond},
	} {
		t.Setenv("GOSHMEM_TIMEOUT", c.variable)
		ctx := t.Context()
		if c.context != 0 {
			limited, cancel := context.WithTimeout(ctx, c.context)
			defer cancel()
			ctx = limited
		}
		must(t, shmem.RunLocal(t.Context(), 1, shmem.Options{Timeout: c.option}, func(_ context.Context, w *shmem.World) error {
			a := must1(shmem.Alloc[int64](t.Context(), w, 1))(t)
			err := shmem.WaitUntil(ctx, a, 0, shmem.EQ, 7)
			wrong{is: shmem.ErrTimeout, op: "wait until", peer: -1, text: "for a value == 7, the last value was 0: timed out after "}.in(w).check(t, err)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v: is no context.DeadlineExceeded", err)
			}
			return nil
		}))
	}
}

// TestBadHeapSizesDiffer gives the PEs of one world heaps of different sizes.
func TestBadHeapSizesDiffer(t *testing.T) {
	for _, err := range initDifferent(t, func(o *shmem.Options) { o.HeapSize = 2 << 20 }) {
		wrong{is: shmem.ErrMismatch, op: "init", peer: -1, pe: -1, text: "2097152"}.check(t, err)
		for _, part := range []string{"PE", "1048576", "GOSHMEM_HEAP_SIZE"} {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%v: does not say %s", err, part)
			}
		}
	}
}

// initDifferent lets three PEs make one world, the last with other options.
func initDifferent(t *testing.T, last func(*shmem.Options)) []error {
	const n = 3
	inboxes := make([][]chan []byte, n)
	for root := range inboxes {
		for range n {
			inboxes[root] = append(inboxes[root], make(chan []byte, 8))
		}
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		wg.Go(func() {
			o := shmem.Options{Rank: rank, Size: n, Exchange: exchange{rank, inboxes}, HeapSize: 1 << 20, Timeout: 5 * time.Second, Check: shmem.CheckOff}
			if rank == n-1 {
				last(&o)
			}
			errs[rank] = second(shmem.Init(t.Context(), o))
		})
	}
	wg.Wait()
	return errs
}

// TestBadModesDiffer gives the PEs of one world different virtual nodes, and puts one of
// them in checked mode, or in weak mode: all are told.
func TestBadModesDiffer(t *testing.T) {
	const everywhere = "GOSHMEM_HEAP_SIZE, GOSHMEM_NODE_SIZE, GOSHMEM_CHECK and GOSHMEM_WEAK must be the same everywhere"
	for text, last := range map[string]func(*shmem.Options){
		" on virtual nodes of 2":    func(o *shmem.Options) { o.NodeSize = 2 },
		" in checked mode":          func(o *shmem.Options) { o.Check = shmem.CheckOn },
		" in weak mode with seed 9": func(o *shmem.Options) { o.Weak = 9 },
	} {
		for _, err := range initDifferent(t, last) {
			wrong{is: shmem.ErrMismatch, op: "init", peer: -1, pe: -1, text: "PE 2 asked a heap of 1048576 bytes" + text + ", PEs 0, 1 asked a heap of 1048576 bytes (init #1"}.check(t, err)
			if !strings.HasSuffix(err.Error(), everywhere) {
				t.Errorf("%v: does not end with %s", err, everywhere)
			}
		}
	}
}

// TestModeSources: the options before the variables, and what the world then says.
func TestModeSources(t *testing.T) {
	for _, c := range []struct {
		check, node string
		o           shmem.Options
		checked     bool
		size        int
	}{
		{"", "", shmem.Options{}, false, 0},
		{"0", "", shmem.Options{}, false, 0},
		{"1", "2", shmem.Options{}, true, 2},
		{"1", "2", shmem.Options{Check: shmem.CheckOff, NodeSize: 3}, false, 3},
		{"0", "", shmem.Options{Check: shmem.CheckOn}, true, 0},
	} {
		alone(t)
		t.Setenv("GOSHMEM_CHECK", c.check)
		t.Setenv("GOSHMEM_NODE_SIZE", c.node)
		must(t, shmem.RunLocal(t.Context(), 4, c.o, func(_ context.Context, w *shmem.World) error {
			if i := w.Info(); i.Checked != c.checked || i.NodeSize != c.size {
				t.Errorf("%+v: checked %v, nodes of %d", c, i.Checked, i.NodeSize)
			}
			near := map[int]int{0: 4, 2: 2, 3: 3 - w.MyPE()/3*2}[c.size]
			if got := w.SharedTeam().NPEs(); got != near {
				t.Errorf("%+v: the shared team of PE %d has %d members, want %d", c, w.MyPE(), got, near)
			}
			return nil
		}))
	}
}

// TestNodeTexts: who cannot be loaded and stored is called by the number that the caller
// has used, and by the world's.
func TestNodeTexts(t *testing.T) {
	o := badOptions()
	o.NodeSize = 2
	must(t, shmem.RunLocal(t.Context(), 4, o, func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 4))(t)
		far := 3 - w.MyPE()
		exactly(t, second(a.Peer(far)), fmt.Sprintf("shmem: peer: PE %d cannot be loaded and stored directly: use Put and Get", far))
		if team := must1(w.Team().SplitStrided(ctx, 1, 2, 2, shmem.TeamConfig{}))(t); team != nil {
			c := must1(team.NewContext(shmem.ContextOptions{}))(t)
			far := 1 - team.MyPE()
			err := second(must1(a.Via(c))(t).Peer(far))
			exactly(t, err, fmt.Sprintf("shmem: peer: PE %d of the team (PE %d of the world) cannot be loaded and stored directly: use Put and Get", far, 1+2*far))
			wrong{is: shmem.ErrNoPeerAccess, op: "peer", peer: far}.in(w).check(t, err)
			return team.Destroy(ctx)
		}
		return nil
	}))
}

// exchange joins goroutines of a test that play the processes of a job.
type exchange struct {
	rank    int
	inboxes [][]chan []byte // for what each root sends to each rank: two roots must not get mixed up
}

// Broadcast sends root's buffer to everybody's inbox for it.
func (e exchange) Broadcast(ctx context.Context, buf []byte, root int) error {
	if e.rank == root {
		for rank, inbox := range e.inboxes[root] {
			if rank != root {
				inbox <- slices.Clone(buf)
			}
		}
		return nil
	}
	select {
	case got := <-e.inboxes[root][e.rank]:
		copy(buf, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Barrier hears from everybody.
func (e exchange) Barrier(ctx context.Context) error {
	for root := range e.inboxes {
		if err := e.Broadcast(ctx, nil, root); err != nil {
			return err
		}
	}
	return nil
}
