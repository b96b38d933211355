package nccl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// TestCompare: ranks that cannot go together are found, and named.
func TestCompare(t *testing.T) {
	a := card{Host: "one", Library: "nccl", Version: 22809, Path: "/a", Device: "cuda:0", PCI: "0000:01:00.0"}
	b := a
	b.Device, b.PCI = "cuda:1", "0000:02:00.0"
	if err := compare([]card{a, b}); err != nil {
		t.Error(err)
	}
	elsewhere, older, broken, none := a, b, b, b
	elsewhere.Host = "two"
	older.Version, older.Path = 22703, "/b"
	broken.Problem = "no libnccl"
	none.PCI = ""
	if err := compare([]card{a, elsewhere, none, none}); err != nil {
		t.Error(err)
	}
	for says, cards := range map[string][]card{
		"rank 0 on one has nccl 2.28.9 (/a), rank 1 on one has nccl 2.27.3 (/b): all need the same": {a, older},
		"rank 1 on one cannot start: no libnccl":                                                    {a, broken},
		"ranks 0 and 2 both have the GPU 0000:01:00.0 of one (cuda:0)":                              {a, b, a},
	} {
		if err := compare(cards); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	a.Variables, b.Variables = map[string]string{"NCCL_X": "1", "NCCL_Y": "same"}, map[string]string{"NCCL_Y": "same", "NCCL_Z": "2"}
	var told []string
	differences([]card{a, b, b}, func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	if len(told) != 2 || !strings.Contains(strings.Join(told, ";"), `NCCL_X is "1" on rank 0 and "" on rank 1`) {
		t.Errorf("told %q", told)
	}
	long := []string{"PATH=x", "NCCL_B=" + strings.Repeat("x", 100), "NCCL_A=1", "RCCL_C=2"}
	if got := variables(long, 60); len(got) != 1 || got["NCCL_A"] != "1" {
		t.Errorf("variables %v", got)
	}
}

// circle lets goroutines broadcast to each other.
type circle struct {
	mu      sync.Mutex
	size    int
	arrived int
	text    []byte
	done    chan struct{}
}

// member is the Exchange of one of them.
type member struct {
	c    *circle
	rank int
}

func (m member) Broadcast(ctx context.Context, buf []byte, root int) error {
	if m.rank == root {
		m.c.mu.Lock()
		m.c.text = append([]byte(nil), buf...)
		m.c.mu.Unlock()
	}
	if err := m.Barrier(ctx); err != nil {
		return err
	}
	m.c.mu.Lock()
	copy(buf, m.c.text)
	m.c.mu.Unlock()
	return m.Barrier(ctx)
}

func (m member) Barrier(ctx context.Context) error {
	c := m.c
	c.mu.Lock()
	done := c.done
	if c.arrived++; c.arrived == c.size {
		c.arrived, c.done = 0, make(chan struct{})
		close(done)
	}
	c.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestExchange: ranks start over an exchange of the program's own, in checked mode; one
// that cannot start is named by the others.
func TestExchange(t *testing.T) {
	run := func(o func(rank int) Options, body func(c *Comm) error) []error {
		shared := &circle{size: 3, done: make(chan struct{})}
		errs := make([]error, shared.size)
		var all sync.WaitGroup
		for rank := range shared.size {
			all.Go(func() {
				options := o(rank)
				options.Exchange, options.Rank, options.Size = member{shared, rank}, rank, shared.size
				c, err := Init(t.Context(), options)
				if err == nil {
					err = body(c)
				}
				errs[rank] = err
			})
		}
		all.Wait()
		return errs
	}
	d, err := gpu.Open("host")
	must(t, err)
	for _, err := range run(func(int) Options { return Options{Device: d, Check: CheckOn, Timeout: time.Minute} }, func(c *Comm) error {
		x, y := []int32{int32(c.Rank())}, []int32{0}
		s, good := d.NewStream() // ranks that share a stream would wait for themselves
		good = errors.Join(good, AllReduce(c, Host(x), Host(y), Sum, s), c.Synchronize(t.Context(), s))
		root := 0
		if c.Rank() == 2 {
			root = 1
		}
		bad := Broadcast(c, Host(x), Host(y), root, s)
		if !errors.Is(bad, ErrMismatch) || !strings.Contains(bad.Error(), "ranks 0, 1: broadcast of 1 int32 with root 0 (meet_test.go:") {
			good = errors.Join(good, fmt.Errorf("different roots: %w", bad))
		}
		if y[0] != 3 {
			good = errors.Join(good, fmt.Errorf("sum %d", y[0]))
		}
		return errors.Join(good, c.Close(), s.Close())
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for rank, err := range run(func(rank int) Options {
		o := Options{Device: d, Timeout: time.Minute}
		if rank == 1 {
			o.Library, o.Device = nameNCCL, d
		}
		return o
	}, func(c *Comm) error { return c.Close() }) {
		switch {
		case rank == 1 && !errors.Is(err, ErrArgument), rank != 1 && !errors.Is(err, ErrMismatch), !strings.Contains(err.Error(), "library nccl was asked for"):
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
