package block

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
)

// Door is the way into a library that wants one thread at a time, and that nothing enters
// any more after a call that did not come back.
type Door struct {
	engine, library string                // as errors call them
	token           chan struct{}         // whoever has put one in is in the library
	lost            chan struct{}         // closed when dead is set
	dead            atomic.Pointer[error] // why nothing enters any more
}

// NewDoor makes the door of an engine to a library.
func NewDoor(engine, library string) *Door {
	return &Door{engine: engine, library: library, token: make(chan struct{}, 1), lost: make(chan struct{})}
}

// Enter waits for the library to be free. Leave must follow unless it fails.
func (d *Door) Enter() error {
	select {
	case d.token <- struct{}{}:
	case <-d.lost:
		return d.Poisoned()
	}
	if err := d.Poisoned(); err != nil { // which is not said to whoever came at the same moment
		d.Leave()
		return err
	}
	return nil
}

// Leave lets the next one in.
func (d *Door) Leave() { <-d.token }

// Watched does what may wait for other PEs. If they die, or time is over, the thread in
// the library is given up, and the library with it: nobody knows when it comes back.
func (d *Door) Watched(ctx context.Context, world engine.Heap, call engine.Call, what string, do func()) error {
	if err := d.Enter(); err != nil {
		return err
	}
	var back atomic.Bool
	go func() {
		do()
		d.Leave()
		back.Store(true)
		world.Ring(world.Rank())
	}()
	if why := world.Wait(ctx, call, back.Load); why != nil {
		return d.Poison(what, why)
	}
	return nil
}

// Poison has nothing enter the library from now on, because something has not come to
// its end. The first reason stays.
func (d *Door) Poison(what string, why error) error {
	err := fmt.Errorf("%s: %s, so %s cannot be used any more in this process: %w", d.engine, what, d.library, why)
	if d.dead.CompareAndSwap(nil, &err) {
		close(d.lost)
	}
	return d.Poisoned()
}

// Poisoned is why nothing enters the library; nil if it is in order.
func (d *Door) Poisoned() error {
	if why := d.dead.Load(); why != nil {
		return *why
	}
	return nil
}
