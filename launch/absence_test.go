package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
)

// waitFor polls for something that another goroutine or process brings about.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if done() {
			return
		}
	}
	t.Errorf("waited in vain for %s", what)
}

// TestMissing: when ranks do not come, all that came learn who did not.
func TestMissing(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			j := newJob(t, network, 7)
			present := []int{0, 1, 3}
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			errs := onRanks(len(present), func(i int) error {
				_, err := Join(ctx, j.at(present[i]))
				return err
			})
			want := fmt.Sprintf("joined: 0-1 (%s), 3 (%s); not joined: 2, 4-6", host, host)
			for i, err := range errs {
				if err == nil {
					t.Errorf("rank %d joined", present[i])
					continue
				}
				wantError(t, err, ErrMissing, "launch: join: ", "context deadline exceeded", want)
			}
			if err := errors.Join(errs...); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("nobody says that its own time is over: %v", err)
			}
		})
	}
}

// TestMissingForOthers: one rank loses patience before the others do.
func TestMissingForOthers(t *testing.T) {
	j := newJob(t, kindsOfPlace()[0], 4)
	ctx := testContext(t)
	errs := onRanks(3, func(r int) error {
		mine := ctx
		if r == 2 {
			short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			mine = short
		}
		_, err := Join(mine, j.at(r))
		return err
	})
	wantError(t, errs[2], context.DeadlineExceeded, "not joined: 3")
	wantError(t, errs[2], ErrMissing)
	for _, err := range errs[:2] {
		wantError(t, err, ErrMissing, "rank 2 (host ", "gave up", "not joined: 3")
	}
}

// TestNoServer: rank 0 does not come.
func TestNoServer(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			j := newJob(t, network, 2)
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			_, err := Join(ctx, j.at(1))
			wantError(t, err, context.DeadlineExceeded, "rank 1", "found no server at "+j.Rendezvous, "last attempt", "refused")
		})
	}
}

// TestLateServer: the others may start long before rank 0.
func TestLateServer(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			j := newJob(t, network, 3)
			ctx := testContext(t)
			errs := onRanks(3, func(r int) error {
				if r == 0 {
					time.Sleep(50 * time.Millisecond) // being late is what is tested
				}
				s, err := Join(ctx, j.at(r))
				if err == nil {
					t.Cleanup(func() { _ = s.Close() })
				}
				return err
			})
			for r, err := range errs {
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
				}
			}
		})
	}
}

// TestDeath: a client dies while others wait for it; all of them learn its name.
func TestDeath(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			stores := members(t, newJob(t, network, 4), defaultLimits())
			ctx := testContext(t)
			errs := onRanks(4, func(r int) error {
				if r == 2 {
					return stores[2].link.conn.Close() // what the kernel does for a process that is killed
				}
				if r == 1 {
					return stores[1].Broadcast(ctx, make([]byte, 8), 1)
				}
				return stores[r].Broadcast(ctx, make([]byte, 8), 1)
			})
			for _, r := range []int{0, 1, 3} {
				wantError(t, errs[r], ErrLost, "launch: broadcast: rank 2 (host ", "died")
			}
			wantError(t, stores[0].Barrier(ctx), ErrLost, "rank 2")
		})
	}
}

// TestDeathOfServer: rank 0 dies; the others name it.
func TestDeathOfServer(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			stores := members(t, newJob(t, network, 3), defaultLimits())
			ctx := testContext(t)
			errs := onRanks(3, func(r int) error {
				if r > 0 {
					return stores[r].Barrier(ctx)
				}
				h := stores[0].hub
				h.mu.Lock()
				defer h.mu.Unlock()
				for l := range h.links {
					_ = l.conn.Close()
				}
				return nil
			})
			for _, err := range errs[1:] {
				wantError(t, err, ErrLost, "rank 0")
			}
		})
	}
}

// TestServerCloses: rank 0 leaves in good order while others wait.
func TestServerCloses(t *testing.T) {
	stores := members(t, newJob(t, kindsOfPlace()[0], 3), defaultLimits())
	ctx := testContext(t)
	errs := onRanks(3, func(r int) error {
		if r == 0 {
			return stores[0].Close()
		}
		return stores[r].Barrier(ctx)
	})
	for _, err := range errs[1:] {
		wantError(t, err, ErrLost, "rank 0 (host ", "closed its store")
	}
}
