package shmem

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
)

// turns lets the goroutines of one PE do something one at a time, in the order in
// which they came.
type turns struct {
	w     *World
	mu    sync.Mutex
	taken bool
	queue []*turn
}

// turn is that of one goroutine, which may have come.
type turn struct{ come atomic.Bool }

// try takes the turn if nobody has it.
func (t *turns) try() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken {
		return false
	}
	t.taken = true
	return true
}

// take waits for the turn.
func (t *turns) take(ctx context.Context, call engine.Call) error {
	mine := t.join()
	if mine == nil {
		return nil
	}
	err := t.w.heap.Wait(orBackground(ctx), call, mine.come.Load)
	if err != nil && t.leave(mine) {
		return err
	}
	return nil
}

// join takes the turn, or a place in the queue.
func (t *turns) join() *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.taken {
		t.taken = true
		return nil
	}
	mine := &turn{}
	t.queue = append(t.queue, mine)
	return mine
}

// leave leaves the queue, unless the turn has come.
func (t *turns) leave(mine *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.come.Load() {
		return false
	}
	t.queue = slices.DeleteFunc(t.queue, func(other *turn) bool { return other == mine })
	return true
}

// pass ends a turn, and begins that of the first in the queue.
func (t *turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.taken = false
		return
	}
	t.queue[0].come.Store(true)
	t.queue = slices.Delete(t.queue, 0, 1)
	t.w.heap.Ring(t.w.rank)
}
