package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestStore: everybody joins, broadcasts from each rank and meets, in rounds.
func TestStore(t *testing.T) {
	for _, network := range kindsOfPlace() {
		for _, size := range []int{1, 2, 4, 8, 64} {
			t.Run(fmt.Sprintf("%s/%d", network, size), func(t *testing.T) {
				stores := members(t, newJob(t, network, size), defaultLimits())
				ctx := testContext(t)
				for r, err := range onRanks(size, func(r int) error { return rounds(ctx, stores[r], r, size) }) {
					if err != nil {
						t.Errorf("rank %d: %v", r, err)
					}
				}
			})
		}
	}
}

// rounds broadcasts from the first ranks, with lengths from nothing to the limit.
func rounds(ctx context.Context, s *Store, rank, size int) error {
	for root := range min(size, 4) {
		for _, n := range []int{0, 1, 100, 5000, MaxBroadcast} {
			want := bytes.Repeat([]byte{byte(root + n)}, n)
			buf := make([]byte, n)
			if rank == root {
				copy(buf, want)
			}
			if err := s.Broadcast(ctx, buf, root); err != nil {
				return err
			}
			if !bytes.Equal(buf, want) {
				return fmt.Errorf("%d bytes from %d did not arrive", n, root)
			}
		}
		if err := s.Barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestBarrierHolds: nobody passes before the last has come.
func TestBarrierHolds(t *testing.T) {
	const size = 4
	stores := members(t, newJob(t, kindsOfPlace()[0], size), defaultLimits())
	ctx := testContext(t)
	passed := make(chan error, size)
	for _, s := range stores[1:] {
		go func() { passed <- s.Barrier(ctx) }()
	}
	waitFor(t, "three in the barrier", func() bool {
		h := stores[0].hub
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.gate.come == size-1
	})
	if len(passed) != 0 {
		t.Error("somebody passed without rank 0")
	}
	if err := stores[0].Barrier(ctx); err != nil {
		t.Error(err)
	}
	for range size - 1 {
		if err := <-passed; err != nil {
			t.Error(err)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	tests := map[string]struct{ n, root int }{
		"root too large": {8, 2}, "root negative": {8, -1}, "too many bytes": {MaxBroadcast + 1, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			stores := members(t, newJob(t, kindsOfPlace()[0], 2), defaultLimits())
			ctx := testContext(t)
			errs := onRanks(2, func(r int) error {
				if r == 0 {
					return stores[0].Barrier(ctx) // must not wait for rank 1
				}
				return stores[1].Broadcast(ctx, make([]byte, tt.n), tt.root)
			})
			wantError(t, errs[1], ErrDisagree, "launch: broadcast", fmt.Sprint(tt.root))
			wantError(t, errs[0], ErrMissing, "rank 1", "broadcast of", fmt.Sprint(tt.root))
			wantError(t, stores[1].Barrier(ctx), ErrDisagree)
		})
	}
}

// TestDifferentCalls: all members learn who is in which call.
func TestDifferentCalls(t *testing.T) {
	tests := map[string]struct {
		second   func(ctx context.Context, s *Store) error
		mentions []string
	}{
		"kind":   {func(ctx context.Context, s *Store) error { return s.Barrier(ctx) }, []string{"in barrier", "broadcast of 8 bytes from rank 0"}},
		"root":   {func(ctx context.Context, s *Store) error { return s.Broadcast(ctx, make([]byte, 8), 1) }, []string{"from rank 1", "from rank 0"}},
		"length": {func(ctx context.Context, s *Store) error { return s.Broadcast(ctx, make([]byte, 9), 0) }, []string{"of 9 bytes", "of 8 bytes"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			stores := members(t, newJob(t, kindsOfPlace()[0], 3), defaultLimits())
			ctx := testContext(t)
			errs := onRanks(3, func(r int) error {
				if r == 1 {
					return tt.second(ctx, stores[1])
				}
				return stores[r].Broadcast(ctx, make([]byte, 8), 0)
			})
			for _, err := range errs {
				wantError(t, err, ErrDisagree, append(tt.mentions, "rank 1 (host ")...)
			}
		})
	}
}

func TestClosed(t *testing.T) {
	stores := members(t, newJob(t, kindsOfPlace()[0], 2), defaultLimits())
	ctx := testContext(t)
	for range 2 {
		if err := stores[1].Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	wantError(t, stores[1].Barrier(ctx), ErrClosed)
	wantError(t, stores[0].Barrier(ctx), ErrLost, "rank 1", "closed its store")
}

// TestJoinRefusesBadJobs: jobs that were not made by Detect.
func TestJoinRefusesBadJobs(t *testing.T) {
	tests := map[string]struct {
		job      Job
		mentions string
	}{
		"size":              {Job{Size: 0}, "size 0"},
		"rank":              {Job{Rank: 2, Size: 2}, "rank 2"},
		"no place":          {Job{Family: "slurm", Size: 4, LocalSize: 2}, "4 processes, 2 of them on this machine, were started by slurm"},
		"no place, torch":   {Job{Family: "torchrun", Size: 4, LocalSize: -1}, "or MASTER_ADDR and MASTER_PORT"},
		"place is no place": {Job{Size: 4, Rendezvous: "here"}, "want unix:@name"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Join(testContext(t), tt.job)
			wantError(t, err, ErrRendezvous, "launch: join: ", tt.mentions)
		})
	}
}

// TestContextEnds: an operation that was cut short says so, and the store is
// broken for the others too.
func TestContextEnds(t *testing.T) {
	stores := members(t, newJob(t, kindsOfPlace()[0], 3), defaultLimits())
	ctx, cancel := context.WithCancel(testContext(t))
	errs := onRanks(3, func(r int) error {
		switch r {
		case 1:
			return stores[1].Barrier(testContext(t))
		case 2:
			waitFor(t, "two in the barrier", func() bool {
				h := stores[0].hub
				h.mu.Lock()
				defer h.mu.Unlock()
				return h.gate.come == 2
			})
			cancel()
			return nil
		}
		return stores[0].Barrier(ctx)
	})
	wantError(t, errs[0], context.Canceled, "in barrier: 0-1", "not there: 2")
	wantError(t, errs[1], ErrMissing, "rank 0", "context canceled", "not there: 2")
	err := stores[2].Barrier(testContext(t))
	wantError(t, err, ErrMissing, "not there: 2")
	var typed *Error
	if !errors.As(err, &typed) || typed.Op != "barrier" {
		t.Errorf("not an *Error of barrier: %#v", err)
	}
}

// BenchmarkJoin is the whole life of a job of goroutine ranks.
func BenchmarkJoin(b *testing.B) {
	j := newJob(b, kindsOfPlace()[0], 4)
	ctx := context.Background()
	for b.Loop() {
		for r, err := range onRanks(4, func(r int) error {
			s, err := Join(ctx, j.at(r))
			if err != nil {
				return err
			}
			return errors.Join(s.Barrier(ctx), s.Barrier(ctx), s.Close())
		}) {
			if err != nil && !errors.Is(err, ErrLost) { // rank 0 may close while others come out of the barrier
				b.Fatalf("rank %d: %v", r, err)
			}
		}
	}
}
