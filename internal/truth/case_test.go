//go:build race

package truth

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/shmem"
)

// program is one labelled program: what each PE does between two barriers.
type program struct {
	name string // operations that meet, and where they meet
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
	ctx  context.Context
	me   int
	x, y shmem.Array[int64] // symmetric objects in which accesses meet
	flag shmem.Signal
	lock *shmem.Lock
	same *shmem.Team // of all PEs, but not the world's
	buf  []int64     // the local buffer in which accesses meet
}

// trial runs a program once and returns how many races were reported. With a seed it does
// so in weak mode as well.
func (c program) trial(seed uint64) (int, error) {
	before := runtime.RaceErrors()
	o := shmem.Options{HeapSize: 1 << 20, Check: shmem.CheckOff, Race: shmem.RaceOn, Weak: seed}
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
	p = &pe{World: w, ctx: ctx, me: w.MyPE(), buf: make([]int64, 1)}
	if p.x, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	if p.y, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	if p.flag, err = shmem.AllocSignal(ctx, w); err != nil {
		return nil, err
	}
	if p.lock, err = shmem.AllocLock(ctx, w); err != nil {
		return nil, err
	}
	p.same, err = w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{})
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

// discard takes a value that was only to be loaded, which no compiler leaves out.
//
//go:noinline
func discard(int64) {}

// on runs f on one PE.
func (p *pe) on(pe int, f func()) {
	if p.me == pe {
		f()
	}
}

// What the programs do to x of PE 1, and PE 1 by itself.

func (p *pe) put()   { must(p.x.PutSlice(p.buf, 1)) }
func (p *pe) get()   { must(p.x.GetSlice(make([]int64, 1), 1)) }
func (p *pe) load()  { discard(is(p.x.Local())[0]) }
func (p *pe) store() { is(p.x.Local())[0] = 42 }
func (p *pe) set()   { must(shmem.AtomicSet(p.x, 0, 7, 1)) }
func (p *pe) fetch() { discard(is(shmem.AtomicFetch(p.x, 0, 1))) }

func (p *pe) fence()   { must(p.Fence()) }
func (p *pe) quiet()   { must(p.Quiet(p.ctx)) }
func (p *pe) sync()    { must(p.Sync(p.ctx)) }
func (p *pe) barrier() { must(p.Barrier(p.ctx)) }

// awaitFlag waits until the own flag is v.
func (p *pe) awaitFlag(v uint64) { is(p.flag.WaitUntil(p.ctx, shmem.EQ, v)) }

// later starts an operation that has no non-blocking form here: in Go a goroutine is one.
// It returns what waits for it.
func later(f func()) (wait func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	return func() { <-done }
}

// as is x seen as an array of another type.
func as[T any](p *pe) shmem.Array[T] {
	return is(shmem.ObjectAt[T](p.World, uintptr(unsafe.Pointer(&is(p.x.Local())[0])), 1))
}
