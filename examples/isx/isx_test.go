package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, pes := range []int{1, 3, 4} {
		for _, p := range []problem{
			{keys: 5000, bits: 12, iterations: 2, seed: 1},
			{keys: 1000, bits: 2, iterations: 1, seed: 2}, // each key hundreds of times, buckets of different widths
			{keys: 10, bits: 16, iterations: 1, seed: 3},
			{keys: 1, bits: 8, iterations: 3, seed: 4},
		} {
			if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
				t.Errorf("%+v on %d PEs: %v", p, pes, err)
			}
		}
	}
}

// TestChecked runs with every promise checked, and with the others on other nodes.
func TestChecked(t *testing.T) {
	p := problem{keys: 300, bits: 10, iterations: 2, seed: 1}
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, p.run); err != nil {
		t.Error(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."), "-keys", "2000", "-bits", "11", "-iterations", "3")
	if want := "8000 keys on 4 PEs: sorted, none lost; "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("the job wrote %q, want one line that begins with %q", got, want)
	}
}

// TestBucketsMeet looks at the edges of the buckets: no key is left out.
func TestBucketsMeet(t *testing.T) {
	for _, pes := range []uint64{1, 2, 3, 7, 64} {
		s := &sorter{pes: pes, bits: 6}
		for key := range uint32(64) {
			if pe := s.owner(key); key < s.lowest(pe) || key >= s.lowest(pe+1) {
				t.Errorf("%d PEs: PE %d owns key %d, but has those from %d to below %d", pes, pe, key, s.lowest(pe), s.lowest(pe+1))
			}
		}
	}
}

// TestWrongResultIsNoticed spoils the keys of PE 2 when they have come or when they are
// sorted.
func TestWrongResultIsNoticed(t *testing.T) {
	nothing := func(*sorter) error { return nil }
	for want, spoil := range map[string]struct{ came, sorted func(*sorter) error }{
		"PE 2 got key 0, but its bucket has those from 512 to 767": {func(s *sorter) error { return s.bucket.Set(5, 0) }, nothing},
		"the checksum of all keys was":                             {neighbour, nothing},
		"there were 400 keys, now there are 399":                   {func(s *sorter) error { _, err := shmem.AtomicFetchAdd(s.filled, 0, -1, 2); return err }, nothing},
		"are sorted":                                               {nothing, func(s *sorter) error { s.sorted = s.sorted[1:]; return nil }},
		"the keys of PE 2 are not in order":                        {nothing, func(s *sorter) error { slices.Reverse(s.sorted); return nil }},
	} {
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
			if w.MyPE() != 2 {
				return inSteps(ctx, w, nothing, nothing)
			}
			return inSteps(ctx, w, spoil.came, spoil.sorted)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// neighbour makes one key another one of the same bucket.
func neighbour(s *sorter) error {
	key, err := s.bucket.At(5)
	if err != nil {
		return err
	}
	return s.bucket.Set(5, key^1)
}

// inSteps is once with something else to do between the steps.
func inSteps(ctx context.Context, w *shmem.World, came, sorted func(*sorter) error) error {
	s, err := newSorter(ctx, w, problem{keys: 100, bits: 10, seed: 1})
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return s.empty(ctx) },
		func() error { return s.exchange(ctx) },
		func() error { return came(s) },
		s.sort,
		func() error { return sorted(s) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.verify(ctx)
}

// TestFullBucket sends more keys than there is room for.
func TestFullBucket(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		s, err := newSorter(ctx, w, problem{keys: 100, bits: 10, seed: 1})
		if err != nil {
			return err
		}
		clear(s.keys)
		if err := s.empty(ctx); err != nil {
			return err
		}
		return s.exchange(ctx)
	})
	if want := "the bucket of PE 0 has room for 200 keys and was sent"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBadArguments(t *testing.T) {
	good := problem{keys: 16, bits: 4, iterations: 1}
	for want, spoil := range map[string]func(*problem){
		"-keys 0: use 1 to 1073741824":                             func(p *problem) { p.keys = 0 },
		"-bits 29: use 1 to 28":                                    func(p *problem) { p.bits = 29 },
		"-bits 1 gives fewer keys than there are PEs, which are 4": func(p *problem) { p.bits = 1 },
		"-iterations 0: use at least 1":                            func(p *problem) { p.iterations = 0 },
		`unexpected argument "16"`:                                 func(p *problem) { p.rest = []string{"16"} },
		"symmetric heap":                                           func(p *problem) { p.keys = 1 << 30 },
	} {
		p := good
		spoil(&p)
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) < 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
