package host

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// forever is a limit that only a lost wake-up reaches.
const forever = time.Hour

// TestRungBeforeSleep rings a PE at the worst moment: after it has looked for the
// last time and before it sleeps. Its sleep must end at once.
func TestRungBeforeSleep(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		for range 1000 {
			looks := 0
			heaps[0].policy.sleep(forever, func() bool {
				looks++
				heaps[1].Ring(0)
				return false
			})
			if looks != 1 {
				t.Fatalf("looked %d times before it slept", looks)
			}
		}
		if n := heaps[0].own.sleepers.Load(); n != 0 {
			t.Errorf("%d sleepers are left", n)
		}
	})
}

// TestNoSleepWhenReady: what has come before the sleep is announced ends it.
func TestNoSleepWhenReady(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		heaps[0].policy.sleep(forever, func() bool { return true })
		if n := heaps[0].own.sleepers.Load(); n != 0 {
			t.Errorf("%d sleepers are left", n)
		}
	})
}

// TestPingPongAsleep passes a ball between two PEs that do nothing but sleep until
// they are rung: one lost wake-up, and the test never ends.
func TestPingPongAsleep(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		var ball atomic.Int64
		const rounds = 5000
		none(t, each(heaps, func(h *Heap) error {
			for i := int64(h.rank); i < rounds; i += 2 {
				mine := func() bool { return ball.Load() == i }
				for !mine() {
					h.policy.sleep(forever, mine)
				}
				ball.Store(i + 1)
				h.Ring(1 - h.rank)
			}
			return nil
		}))
		if got := ball.Load(); got != rounds {
			t.Errorf("the ball is at %d, want %d", got, rounds)
		}
	})
}

// TestRingWakesAll rings a PE on which many goroutines sleep.
func TestRingWakesAll(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		var open atomic.Bool
		const sleepers = 20
		done := make(chan struct{})
		for range sleepers {
			go func() {
				for !open.Load() {
					heaps[0].policy.sleep(forever, open.Load)
				}
				done <- struct{}{}
			}()
		}
		for heaps[0].own.sleepers.Load() < sleepers {
			heaps[1].policy.yield(func() bool { return true })
		}
		open.Store(true)
		heaps[1].Ring(0)
		for range sleepers {
			<-done
		}
	})
}

// TestYieldTellsWhatItSaw: yield ends with the first look that is good, and gives
// up after a while.
func TestYieldTellsWhatItSaw(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		looks := 0
		good := heaps[0].policy.yield(func() bool { looks++; return looks == 3 })
		if good != (looks == 3) { // under load it may give up before
			t.Errorf("good at the third look; yield looked %d times and said %v", looks, good)
		}
		looks = 0
		if heaps[0].policy.yield(func() bool { looks++; return false }) || looks == 0 || looks > 10000 {
			t.Errorf("nothing came, and yield looked %d times", looks)
		}
	})
}

// TestWait covers the ends of a wait: it comes, time is over, cancelled, a failure,
// and a failure together with what is waited for.
func TestWait(t *testing.T) {
	onBoth(t, []int{3}, func(t *testing.T, heaps []*Heap) {
		h, call := heaps[0], engine.Call{Kind: engine.KindWait, Seq: 5}
		never := func() bool { return false }
		looks := 0
		if err := h.Wait(t.Context(), call, func() bool { looks++; return looks > 300 }); err != nil {
			t.Errorf("it came, but: %v", err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var s *engine.Stall
		if err := h.Wait(short, call, never); !errors.Is(err, engine.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &s) || len(s.PEs) != 3 {
			t.Errorf("time was over: %v", err)
		}
		gone, end := context.WithCancel(t.Context())
		end()
		if err := h.Wait(gone, call, never); !errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrTimeout) {
			t.Errorf("cancelled: %v", err)
		}
		if err := h.Wait(gone, call, func() bool { return true }); err != nil {
			t.Errorf("cancelled, but it is there: %v", err)
		}
		heaps[2].Fail("out of ideas", -1)
		if err := h.Wait(t.Context(), call, never); !errors.Is(err, engine.ErrFailed) || !strings.Contains(err.Error(), "PE 2") || !strings.Contains(err.Error(), "failed: out of ideas") {
			t.Errorf("PE 2 has failed: %v", err)
		}
		if err := h.Wait(t.Context(), call, func() bool { return true }); err != nil {
			t.Errorf("PE 2 has failed, but it is there: %v", err)
		}
	})
}

// TestFailWakes fails one PE while all others sleep in a wait without an end.
func TestFailWakes(t *testing.T) {
	onBoth(t, []int{4}, func(t *testing.T, heaps []*Heap) {
		errs := each(heaps, func(h *Heap) error {
			if h.rank != 3 {
				ctx, cancel := context.WithTimeout(context.Background(), forever)
				defer cancel()
				return h.Wait(ctx, engine.Call{Kind: engine.KindWait, Seq: 1}, func() bool { return false })
			}
			for _, other := range heaps[:3] {
				for other.own.sleepers.Load() == 0 {
					h.policy.yield(func() bool { return true })
				}
			}
			h.Fail("enough", -1)
			return nil
		})
		for pe, err := range errs[:3] {
			if !errors.Is(err, engine.ErrFailed) {
				t.Errorf("PE %d: %v", pe, err)
			}
		}
	})
}
