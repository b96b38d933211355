package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/goshmem/goshmem/internal/perf/first"
	"github.com/goshmem/goshmem/internal/perf/loops"
	"github.com/goshmem/goshmem/shmem"
)

// What a worker process is: its first argument.
const (
	workPair  = "pair"  // one of two PEs: one-sided operations, barriers of two
	workMany  = "many"  // one of many PEs: barriers
	workOrder = "order" // one of many PEs that take orders (Compare)
	workShare = "share" // one of two PEs that share the work of a reduction
	workBound = "bound" // after workOrder: each PE has a core of its own
	workFirst = "first" // stands in for programs/first
	workHello = "hello" // stands in for programs/hello
	workLoops = "loops" // stands in for programs/loops
)

// task is what the leading process tells its workers: their second argument.
type task struct {
	Rounds   int
	Batch    time.Duration
	Cores    []int  // two to probe and to play on
	PingPong string // path of the C program; "": there is none
	Missing  string // why
	Vector   int    // bytes of the vectors that are combined
}

// Work is a worker process of a measurement: args are what Options.Worker was
// extended by. PE 0 writes its figures to out, as JSON.
func Work(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case len(args) == 0:
	case args[0] == workHello:
		_, err := fmt.Fprintln(out, "hello")
		return err
	case args[0] == workFirst:
		return first.Run(args[1:], out)
	case args[0] == workLoops:
		return loops.Run(args[1:], out)
	case args[0] == workOrder && len(args) >= 2:
		return serve(ctx, args[1], slices.Contains(args[2:], workBound))
	case args[0] == workPair, args[0] == workMany, args[0] == workShare:
		var t task
		if len(args) != 2 {
			break
		}
		if err := json.Unmarshal([]byte(args[1]), &t); err != nil {
			return fmt.Errorf("task of a worker: %w", err)
		}
		if args[0] == workShare {
			return t.share(ctx, out)
		}
		return t.work(ctx, args[0], out)
	}
	return errors.New("workers of a measurement are started by the measurement only")
}

// work measures as PE 0, and follows as any other.
func (t task) work(ctx context.Context, kind string, out io.Writer) error {
	debug.SetGCPercent(-1) // little is allocated here; a collection would be part of a sample
	c, err := newCrew(ctx, shmem.Options{})
	if err != nil {
		return err
	}
	benches, err := t.benches(c, kind)
	if err != nil {
		return err
	}
	runtime.GC()
	if c.w.MyPE() != 0 {
		err = c.follow()
	} else {
		err = errors.Join(t.lead(c, benches, out), c.tell(quit, 0, 0))
	}
	return errors.Join(err, c.w.Finalize(ctx))
}

// lead measures and writes the rows.
func (t task) lead(c *crew, benches []bench, out io.Writer) error {
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // the probe needs two threads, also in a process that is bound to a core
	rows, err := contest{t.Rounds, t.Batch, t.Cores}.run(benches)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(rows)
}

// benches allocates what the rows of a kind need. Collective.
func (t task) benches(c *crew, kind string) ([]bench, error) {
	if kind == workMany {
		return []bench{{name: fmt.Sprintf("barrier, %d PEs", c.w.NPEs()), ours: c.side(barrier), allocs: true}}, nil
	}
	r, err := newRMA(c.ctx, c.w)
	if err != nil {
		return nil, err
	}
	return append(r.benches(), t.meetings(c)...), nil
}
