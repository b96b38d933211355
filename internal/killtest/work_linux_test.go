package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/goshmem/goshmem/shmem"
)

// stormProgram is: seed. It does random work until it is over or a PE dies.
func stormProgram(args []string) {
	fmt.Println("stage main")
	ctx := context.Background()
	w, err := shmem.Init(ctx, shmem.Options{HeapSize: 4 << 20})
	if err == nil {
		fmt.Println("stage work")
		err = work(ctx, w, must(strconv.ParseUint(args[0], 10, 64)))
	}
	if err == nil {
		fmt.Println("stage finalize")
		err = w.Finalize(ctx)
	}
	if err != nil {
		fmt.Printf("now %d\nkind %s\nerror %v\n", now(), kind(err), err)
		os.Exit(1)
	}
	fmt.Println("stage done")
}

// worker is a PE that works at random. All PEs draw the same collectives from the
// same source.
type worker struct {
	w      *shmem.World
	rng    *rand.Rand
	arrays []shmem.Array[uint64]
	teams  []*shmem.Team
	sig    shmem.Signal
	rounds uint64 // of signals so far
}

// steps is how much there is to do: it takes about 50 ms with two cores.
const steps = 3000

func work(ctx context.Context, w *shmem.World, seed uint64) error {
	x := &worker{w: w, rng: rand.New(rand.NewPCG(seed, 1))}
	var err error
	if x.sig, err = shmem.AllocSignal(ctx, w); err != nil {
		return err
	}
	chores := []func(context.Context) error{x.barrier, x.barrier, x.barrier, x.sync, x.alloc, x.free, x.split, x.teamBarrier, x.destroy, x.puts, x.puts, x.adds, x.signals, x.signals, x.collective, x.collective, x.started}
	for range steps {
		if err := chores[x.rng.IntN(len(chores))](ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *worker) barrier(ctx context.Context) error { return x.w.Barrier(ctx) }

func (x *worker) sync(ctx context.Context) error { return x.w.Sync(ctx) }

func (x *worker) alloc(ctx context.Context) error {
	if len(x.arrays) == 8 {
		return nil
	}
	a, err := shmem.Alloc[uint64](ctx, x.w, 1+x.rng.IntN(10_000))
	x.arrays = append(x.arrays, a)
	return err
}

func (x *worker) free(ctx context.Context) error {
	if len(x.arrays) == 0 {
		return nil
	}
	i := x.rng.IntN(len(x.arrays))
	a := x.arrays[i]
	x.arrays = append(x.arrays[:i], x.arrays[i+1:]...)
	return a.Free(ctx)
}

func (x *worker) split(ctx context.Context) error {
	if len(x.teams) == 8 {
		return nil
	}
	start := x.rng.IntN(x.w.NPEs())
	t, err := x.w.Team().SplitStrided(ctx, start, 1, 1+x.rng.IntN(x.w.NPEs()-start), shmem.TeamConfig{})
	x.teams = append(x.teams, t)
	return err
}

func (x *worker) teamBarrier(ctx context.Context) error {
	if len(x.teams) == 0 {
		return nil
	}
	return x.teams[x.rng.IntN(len(x.teams))].Barrier(ctx)
}

func (x *worker) destroy(ctx context.Context) error {
	if len(x.teams) == 0 {
		return nil
	}
	i := x.rng.IntN(len(x.teams))
	t := x.teams[i]
	x.teams = append(x.teams[:i], x.teams[i+1:]...)
	return t.Destroy(ctx)
}

// puts stores this PE's number into a part of an array on all PEs.
func (x *worker) puts(context.Context) error {
	if len(x.arrays) == 0 {
		return nil
	}
	a := x.arrays[x.rng.IntN(len(x.arrays))]
	data := make([]uint64, 1+x.rng.IntN(a.Len()))
	var err error
	for pe := range x.w.NPEs() {
		part, sliceErr := a.Slice(0, len(data))
		err = errors.Join(err, sliceErr, part.PutSlice(data, pe))
	}
	return err
}

func (x *worker) adds(context.Context) error {
	if len(x.arrays) == 0 {
		return nil
	}
	a := x.arrays[x.rng.IntN(len(x.arrays))]
	_, err := shmem.AtomicFetchAdd(a, x.rng.IntN(a.Len()), 1, x.rng.IntN(x.w.NPEs()))
	return err
}

// signals rings round: every PE signals the next one and waits for the one before.
func (x *worker) signals(ctx context.Context) error {
	x.rounds++
	if err := x.sig.Add(1, (x.w.MyPE()+1)%x.w.NPEs()); err != nil {
		return err
	}
	_, err := x.sig.WaitUntil(ctx, shmem.GE, x.rounds)
	return err
}

// collective does one of an array that there is, with itself: what it holds is of no
// interest.
func (x *worker) collective(ctx context.Context) error {
	if len(x.arrays) == 0 {
		return nil
	}
	a, root, t := x.arrays[x.rng.IntN(len(x.arrays))], x.rng.IntN(x.w.NPEs()), x.w.Team()
	switch x.rng.IntN(4) {
	case 0:
		return shmem.Broadcast(ctx, t, a, a, root)
	case 1:
		return shmem.AllReduce(ctx, t, a, a, shmem.Sum)
	case 2:
		return shmem.Reduce(ctx, t, a, a, shmem.Sum, root)
	}
	return shmem.InScan(ctx, t, a, a, shmem.Sum)
}

// started has a collective go on by itself, while signals ring.
func (x *worker) started(ctx context.Context) error {
	if len(x.arrays) == 0 {
		return nil
	}
	a := x.arrays[x.rng.IntN(len(x.arrays))]
	h, err := shmem.StartAllReduce(x.w.Team(), a, a, shmem.Max)
	if err != nil {
		return err
	}
	return errors.Join(x.signals(ctx), h.Wait(ctx))
}
