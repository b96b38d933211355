//go:build race

package truth

import (
	"context"
	"runtime"

	"github.com/goshmem/goshmem/shmem"
)

// program is one labelled program: what each PE does between two barriers.
type program struct {
	name string // operations that meet / where they meet
	race bool
	pes  int
	run  func(p *pe)
}

const (
	clean = false
	racy  = true
)

// pe is a PE with what the programs use.
type pe struct {
	*shmem.World
	ctx    context.Context
	me     int
	x      shmem.Array[int64] // the symmetric object in which accesses meet
	y      shmem.Array[int64]
	narrow shmem.Array[int32] // the same memory as x
	real   shmem.Array[float64]
	short  shmem.Array[float32]
	flag   shmem.Signal
	lock   *shmem.Lock
	buf    []int64 // the local buffer in which accesses meet
	other  []int64
	sink   int64
}

// trial runs a program once and returns how many races were reported.
func (c program) trial() (int, error) {
	before := runtime.RaceErrors()
	o := shmem.Options{HeapSize: 1 << 20, Check: shmem.CheckOff}
	err := shmem.RunLocal(context.Background(), c.pes, o, func(ctx context.Context, w *shmem.World) error {
		p, err := newPE(ctx, w)
		if err == nil {
			err = w.Barrier(ctx)
		}
		if err != nil {
			return err
		}
		c.run(p)
		return w.Barrier(ctx)
	})
	return runtime.RaceErrors() - before, err
}

func newPE(ctx context.Context, w *shmem.World) (p *pe, err error) {
	p = &pe{World: w, ctx: ctx, me: w.MyPE(), buf: make([]int64, 1), other: make([]int64, 1)}
	if p.x, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	if p.y, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	if p.flag, err = shmem.AllocSignal(ctx, w); err != nil {
		return nil, err
	}
	p.lock, err = shmem.AllocLock(ctx, w)
	return p, err
}

// must ends the PE if an operation failed: the program is wrong then.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// is takes the value of an operation.
func is[T any](v T, err error) T {
	must(err)
	return v
}

// load and store are plain accesses to this PE's own x.
func (p *pe) load() { p.sink += is(p.x.Local())[0] }

func (p *pe) store() { is(p.x.Local())[0] = 42 }

// on runs f on one PE.
func (p *pe) on(pe int, f func()) {
	if p.me == pe {
		f()
	}
}
