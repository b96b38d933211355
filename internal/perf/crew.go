package perf

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// An act is what all PEs of a crew do together, n times.
type act int64

const (
	quit    act = iota
	barrier     // World.Barrier
	sync        // World.Sync
	volley      // PE 0 and PE 1 hand a word to and fro with P and WaitUntil
	seen        // the same with PutSlice, and each looks at the word until it is there
	gather      // the first of the collectives, see collectives; then those with private vectors
)

// crew is one PE of a measuring job. PE 0 leads: it says what to do next and
// takes the time. The others sleep between its orders, outside the library, so
// that the cores are free for whatever else PE 0 measures, and so that nobody is
// there whom a signal would have to wake.
type crew struct {
	ctx     context.Context
	w       *shmem.World
	orders  shmem.Array[int64] // act, n and bytes
	call    shmem.Signal       // counts the orders
	count   uint64
	order   [3]int64
	ball    shmem.Array[int64]
	thrown  int64    // so often
	vectors *vectors // nil before the first collective
}

// newCrew joins the world and allocates. Collective.
func newCrew(ctx context.Context, o shmem.Options) (*crew, error) {
	w, err := shmem.Init(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &crew{ctx: ctx, w: w}
	if c.orders, err = shmem.Alloc[int64](ctx, w, len(c.order)); err != nil {
		return nil, err
	}
	if c.ball, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	c.call, err = shmem.AllocSignal(ctx, w)
	return c, err
}

// tell gives everybody an order.
func (c *crew) tell(a act, n, bytes int) error {
	c.count++
	c.order = [...]int64{int64(a), int64(n), int64(bytes)}
	for pe := 1; pe < c.w.NPEs(); pe++ {
		if err := c.orders.PutSliceSignal(c.order[:], pe, c.call, shmem.SignalSet, c.count); err != nil {
			return err
		}
	}
	return nil
}

// side is the leader's way of timing an act: when everybody has begun and is warm.
func (c *crew) side(a act) side { return c.sized(a, 0) }

// sized is side for an act on so many bytes.
func (c *crew) sized(a act, bytes int) side {
	return func(n int) (time.Duration, error) {
		if err := c.tell(a, n, bytes); err != nil {
			return 0, err
		}
		return c.perform(a, n, bytes)
	}
}

// perform is one PE's part in an act, timed after a warm-up.
func (c *crew) perform(a act, n, bytes int) (time.Duration, error) {
	if err := c.w.Barrier(c.ctx); err != nil {
		return 0, err
	}
	if a >= gather {
		return c.collective(a-gather, n, bytes)
	}
	return warm(loop(func(n int) error { return c.do(a, n) }))(n)
}

// idle is how long one PE sleeps between two looks for an order. All of them
// together look twice in a millisecond, however many there are.
func (c *crew) idle() { time.Sleep(time.Duration(c.w.NPEs()) * time.Millisecond / 2) }

// follow carries out orders until the order to quit.
func (c *crew) follow() error {
	for {
		err := c.next()
		if err != nil || c.order[0] == int64(quit) {
			return err
		}
		if _, err := c.perform(act(c.order[0]), int(c.order[1]), int(c.order[2])); err != nil {
			return err
		}
	}
}

// next waits for an order.
func (c *crew) next() error {
	c.count++
	for {
		here, err := c.call.Test(shmem.GE, c.count)
		switch {
		case err != nil:
			return err
		case here:
			return c.orders.CopyTo(c.order[:])
		}
		c.idle()
	}
}

// do carries out an act n times.
func (c *crew) do(a act, n int) error {
	switch a {
	case barrier:
		return barrierLoop(c.ctx, c.w, n)
	case sync:
		return syncLoop(c.ctx, c.w, n)
	case volley, seen:
		first := c.thrown + 1
		c.thrown += int64(n)
		if a == seen {
			return seenLoop(c.ctx, c.ball, c.w.MyPE(), first, c.thrown)
		}
		return volleyLoop(c.ctx, c.ball, c.w.MyPE(), first, c.thrown)
	}
	return fmt.Errorf("order %d: there is no such act", a)
}

func barrierLoop(ctx context.Context, w *shmem.World, n int) error {
	for range n {
		if err := w.Barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

func syncLoop(ctx context.Context, w *shmem.World, n int) error {
	for range n {
		if err := w.Sync(ctx); err != nil {
			return err
		}
	}
	return nil
}

func volleyLoop(ctx context.Context, ball shmem.Array[int64], me int, first, last int64) error {
	for i := first; i <= last; i++ {
		if me == 0 {
			if err := ball.P(0, i, 1); err != nil {
				return err
			}
		}
		if err := shmem.WaitUntil(ctx, ball, 0, shmem.GE, i); err != nil {
			return err
		}
		if me != 0 {
			if err := ball.P(0, i, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenLoop waits by looking at the word, without the library.
func seenLoop(ctx context.Context, ball shmem.Array[int64], me int, first, last int64) error {
	here, err := ball.Local()
	if err != nil {
		return err
	}
	hand := make([]int64, 1)
	for hand[0] = first; hand[0] <= last; hand[0]++ {
		if me == 0 {
			if err := ball.PutSlice(hand, 1); err != nil {
				return err
			}
		}
		if err := look(ctx, &here[0], hand[0]); err != nil {
			return err
		}
		if me != 0 {
			if err := ball.PutSlice(hand, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// looks is how often a word is looked at between two looks at the context.
const looks = 1 << 16

func look(ctx context.Context, word *int64, want int64) error {
	for {
		for range looks {
			if atomic.LoadInt64(word) >= want {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("look for a word: %w", err)
		}
	}
}
