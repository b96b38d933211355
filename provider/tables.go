package provider

import (
	"slices"
	"sync"

	"github.com/goshmem/goshmem/gpu"
)

// tables are those of a provider, in slabs of device memory: so a table costs one small
// copy, which waits for no kernel.
type tables struct {
	d       *gpu.Device
	ranks   int
	mu      sync.Mutex
	stream  *gpu.Stream
	slabs   []gpu.Slice[int64]
	vacant  []gpu.Slice[int64]
	retired bool
}

// perSlab is how many tables a slab has.
const perSlab = 64

// make puts bases into a table that nobody has.
func (t *tables) make(bases []uintptr) (gpu.Slice[int64], error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.vacant) == 0 {
		if err := t.grow(); err != nil {
			return gpu.Slice[int64]{}, err
		}
	}
	last := len(t.vacant) - 1
	table := t.vacant[last]
	if err := table.CopyFrom(words(bases), t.stream); err != nil {
		return gpu.Slice[int64]{}, err
	}
	t.vacant = t.vacant[:last]
	return table, nil
}

func (t *tables) grow() (err error) {
	if t.retired {
		return problem(ErrFreed, "the provider is closed")
	}
	if t.stream == nil {
		if t.stream, err = t.d.NewStream(); err != nil {
			return err
		}
	}
	slab, err := gpu.Alloc[int64](t.d, perSlab*t.ranks)
	if err != nil {
		return err
	}
	t.slabs = append(t.slabs, slab)
	for i := range perSlab {
		table, err := slab.Slice(i*t.ranks, (i+1)*t.ranks)
		if err != nil {
			return err
		}
		t.vacant = append(t.vacant, table)
	}
	return nil
}

// give takes tables back whose allocation is gone.
func (t *tables) give(back []gpu.Slice[int64]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.vacant = append(t.vacant, back...)
}

// close gives all memory back.
func (t *tables) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retired, t.vacant = true, nil
	var first error
	for _, slab := range t.slabs {
		if err := slab.Close(); first == nil {
			first = err
		}
	}
	if err := t.stream.Close(); first == nil {
		first = err
	}
	t.slabs = slices.Delete(t.slabs, 0, len(t.slabs))
	return first
}
