package provider

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
)

// register is the allocations of a provider, sorted by where this rank has them.
type register struct {
	d      *gpu.Device
	rank   int
	tables tables
	mu     sync.Mutex
	list   []*allocation
	gone   []gone // freed lately
}

// gone is memory that was an allocation.
type gone struct{ base, bytes uintptr }

func (g gone) holds(address uintptr) bool {
	return address == g.base || address-g.base < g.bytes
}

// maxGone is how many freed allocations are remembered.
const maxGone = 64

// allocation is one that is not freed.
type allocation struct {
	base   uintptr
	bytes  int
	bases  []uintptr
	able   []Capability
	why    string // kernels do not reach a rank; "": it is on another node
	stale  *atomic.Bool
	tables []gpu.Slice[int64] // of all its maps
}

func (a *allocation) holds(address uintptr) bool {
	return gone{a.base, uintptr(a.bytes)}.holds(address)
}

// add makes an allocation known, and its first map.
func (r *register) add(a *allocation) (*AddressMap, error) {
	r.mu.Lock()
	a.stale = new(atomic.Bool)
	i, _ := r.find(a.base)
	r.gone = slices.DeleteFunc(r.gone, func(g gone) bool { return g.holds(a.base) || a.holds(g.base) })
	r.list = slices.Insert(r.list, i, a)
	r.mu.Unlock()
	m, err := r.mapOf(a.base)
	if err != nil {
		r.forget(a)
	}
	return m, err
}

// vacant says that nobody has allocated any of n bytes.
func (r *register) vacant(base uintptr, n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.list {
		if base < a.base+uintptr(a.bytes) && a.base < base+uintptr(n) {
			return problem(ErrArgument, "%d bytes at %#x: of them, %d at %#x are an allocation already", n, base, a.bytes, a.base)
		}
	}
	return nil
}

// find is where an allocation that begins at base is or would be.
func (r *register) find(base uintptr) (int, bool) {
	return slices.BinarySearchFunc(r.list, base, func(a *allocation, base uintptr) int { return cmp.Compare(a.base, base) })
}

// holder is the allocation that an address is in.
func (r *register) holder(address uintptr) (*allocation, error) {
	i, found := r.find(address)
	if !found {
		i--
	}
	if i < 0 || !r.list[i].holds(address) {
		return nil, r.unknown(address, "%#x is in no allocation of this provider: %s", address)
	}
	return r.list[i], nil
}

// mapOf makes a map of the allocation that an address is in.
func (r *register) mapOf(address uintptr) (*AddressMap, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, err := r.holder(address)
	if err != nil {
		return nil, err
	}
	spec := Spec{Device: r.d, LocalRank: r.rank, Bytes: a.bytes, Bases: a.bases, Capabilities: a.able}
	if err := spec.valid(); err != nil {
		return nil, err
	}
	m, err := spec.build(a.stale)
	if err != nil {
		return nil, err
	}
	m.why = a.why
	if m.table, err = r.tables.make(a.bases); err != nil {
		return nil, err
	}
	a.tables = append(a.tables, m.table)
	return m, nil
}

// starts is the allocation that begins at an address.
func (r *register) starts(address uintptr) (*allocation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := r.find(address); found {
		return r.list[i], nil
	}
	return nil, r.unknown(address, "no allocation of this provider begins at %#x: %s", address)
}

// unknown is the error for an address that means nothing any more, or never did. The caller
// holds mu.
func (r *register) unknown(address uintptr, format string, args ...any) error {
	if slices.ContainsFunc(r.gone, func(g gone) bool { return g.holds(address) }) {
		return problem(ErrFreed, format, append(args, "it was freed")...)
	}
	return problem(ErrForeign, format, append(args, "this is not what was allocated")...)
}

// forget ends an allocation and its maps.
func (r *register) forget(a *allocation) {
	r.mu.Lock()
	a.stale.Store(true)
	if i, found := r.find(a.base); found {
		r.list = slices.Delete(r.list, i, i+1)
		r.gone = append(r.gone[max(0, len(r.gone)+1-maxGone):], gone{a.base, uintptr(a.bytes)})
	}
	r.mu.Unlock()
	r.tables.give(a.tables)
}
