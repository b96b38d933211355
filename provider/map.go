package provider

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
)

// Capability is what kernels can do with a peer's memory; they are bits.
type Capability uint

// The capabilities.
const (
	RemoteLoadStore Capability = 1 << iota // loads and stores
	RemoteAtomics                          // atomics that hold against those of the peer
)

// AddressMap says where every rank has one allocation. It does not change, and is refused
// as an argument of a kernel after the allocation was freed.
type AddressMap struct {
	table  gpu.Slice[int64] // on the device
	bases  []uintptr
	rank   int
	bytes  uintptr
	able   []Capability
	direct bool // all ranks are
	own    bool // the table is nobody else's
	why    string
	stale  *atomic.Bool
	checks *checks // of a checked table
}

// Spec is what an AddressMap is made of: see [NewAddressMap].
type Spec struct {
	Device       *gpu.Device
	LocalRank    int
	Bytes        int          // of the allocation, on every rank
	Bases        []uintptr    // of each rank; 0: not reachable
	Capabilities []Capability // of each rank; nil: loads, stores and atomics of all that have a base
}

// NewAddressMap makes the map of an allocation, for providers of one's own; the table
// goes to the device's memory. The map is valid until [AddressMap.Close]. Local. Errors:
// ErrArgument for numbers that contradict each other.
func NewAddressMap(s Spec) (*AddressMap, error) {
	if err := s.valid(); err != nil {
		return nil, fail("map", err)
	}
	m, err := s.build(new(atomic.Bool))
	if err != nil {
		return nil, fail("map", err)
	}
	m.own = true
	if m.table, err = place(s.Device, m.bases); err != nil {
		return nil, fail("map", err)
	}
	return m, nil
}

// valid says what contradicts itself.
func (s Spec) valid() error {
	n := len(s.Bases)
	switch {
	case s.Device == nil:
		return problem(ErrArgument, "no device")
	case s.LocalRank < 0 || s.LocalRank >= n:
		return problem(ErrArgument, "rank %d: the table has %d entries", s.LocalRank, n)
	case s.Bases[s.LocalRank] == 0:
		return problem(ErrArgument, "the own entry, of rank %d, is 0", s.LocalRank)
	case s.Bytes < 0:
		return problem(ErrArgument, "%d bytes", s.Bytes)
	case s.Capabilities != nil && len(s.Capabilities) != n:
		return problem(ErrArgument, "capabilities of %d ranks, bases of %d", len(s.Capabilities), n)
	}
	for r, c := range s.Capabilities {
		if (s.Bases[r] != 0) != (c&RemoteLoadStore != 0) {
			return problem(ErrArgument, "rank %d has the base %#x and the capabilities %d: a base is for ranks that can be loaded and stored", r, s.Bases[r], c)
		}
	}
	return nil
}

// build makes the map without its table.
func (s Spec) build(stale *atomic.Bool) (*AddressMap, error) {
	m := &AddressMap{rank: s.LocalRank, bytes: uintptr(s.Bytes), bases: slices.Clone(s.Bases), able: slices.Clone(s.Capabilities), stale: stale}
	if m.able == nil {
		for _, base := range m.bases {
			c := RemoteLoadStore | RemoteAtomics
			if base == 0 {
				c = 0
			}
			m.able = append(m.able, c)
		}
	}
	m.direct = !slices.Contains(m.bases, 0)
	return m, nil
}

// place puts bases into memory of a device.
func place(d *gpu.Device, bases []uintptr) (gpu.Slice[int64], error) {
	table, err := gpu.Alloc[int64](d, len(bases))
	if err != nil {
		return table, err
	}
	return table, table.CopyFrom(words(bases), nil)
}

func words(bases []uintptr) []int64 {
	list := make([]int64, len(bases))
	for i, b := range bases {
		list[i] = int64(b)
	}
	return list
}

// Close ends the use of a map of NewAddressMap or Checked. Maps of a Provider need none: Free
// does it. Local.
func (m *AddressMap) Close() error {
	switch {
	case m == nil:
		return nil
	case m.checks != nil:
		return m.checks.close()
	case m.own && !m.stale.Swap(true):
		return m.table.Close()
	}
	return nil
}

// NumRanks is how many entries there are. Local.
func (m *AddressMap) NumRanks() int { return len(m.bases) }

// LocalRank is the rank that the map is for. Local.
func (m *AddressMap) LocalRank() int { return m.rank }

// AllocationBase is where this rank has the allocation: the own entry. Local.
func (m *AddressMap) AllocationBase() uintptr { return m.bases[m.rank] }

// AllocationBytes is how large it is. Local.
func (m *AddressMap) AllocationBytes() int { return int(m.bytes) }

// Bases are the entries, one for each rank: 0 for those that cannot be reached. Local.
func (m *AddressMap) Bases() []uintptr { return slices.Clone(m.bases) }

// Table is the entries as kernels get them, int64 in the device's memory. It is valid as
// long as the allocation. Local.
func (m *AddressMap) Table() gpu.Slice[int64] { return m.table }

// Direct says whether kernels can load and store the memory of a rank. Local.
func (m *AddressMap) Direct(rank int) bool {
	return rank >= 0 && rank < len(m.bases) && m.bases[rank] != 0
}

// AllDirect says whether kernels can load and store the memory of all ranks. Local.
func (m *AddressMap) AllDirect() bool { return m.direct }

// IndirectPeers are the ranks whose memory kernels cannot load and store. Local.
func (m *AddressMap) IndirectPeers() (ranks []int) {
	for r, base := range m.bases {
		if base == 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// Supports says whether all ranks have all of these capabilities. Local.
func (m *AddressMap) Supports(c Capability) bool {
	return !slices.ContainsFunc(m.able, func(has Capability) bool { return has&c != c })
}

// Capabilities are those of a rank's memory. Local.
func (m *AddressMap) Capabilities(rank int) Capability {
	if rank < 0 || rank >= len(m.able) {
		return 0
	}
	return m.able[rank]
}

// Owns says whether n bytes at an address of this rank are in the allocation. Local.
func (m *AddressMap) Owns(address uintptr, n int) bool {
	at := address - m.AllocationBase()
	return n >= 0 && at <= m.bytes && uintptr(n) <= m.bytes-at
}

// Translate returns rank to's address for rank from's, which must be in the allocation,
// or at its end. Local. Iris: translate. Errors: ErrArgument, ErrIndirect.
func (m *AddressMap) Translate(address uintptr, from, to int) (uintptr, error) {
	n := len(m.bases)
	switch {
	case from < 0 || from >= n || to < 0 || to >= n:
		return 0, fail("translate", problem(ErrArgument, "from rank %d to %d: there are %d ranks", from, to, n))
	case m.bases[from] == 0 || m.bases[to] == 0:
		return 0, fail("translate", m.indirect())
	case address-m.bases[from] > m.bytes:
		return 0, fail("translate", problem(ErrArgument, "%#x is not in the %d bytes that rank %d has at %#x", address, m.bytes, from, m.bases[from]))
	}
	return m.bases[to] + (address - m.bases[from]), nil
}

// KernelArgument makes the table an argument of kernels: the address of its entry 0. A
// stale table, and one with ranks that kernels cannot reach, are errors of the launch.
func (m *AddressMap) KernelArgument() device.Argument {
	if m != nil && !m.direct {
		return device.Argument{Err: fail("launch", m.indirect())}
	}
	return m.argument()
}

func (m *AddressMap) argument() device.Argument {
	switch {
	case m == nil:
		return device.Argument{Err: fail("launch", problem(ErrArgument, "the address map is nil"))}
	case m.stale.Load():
		return device.Argument{Err: fail("launch", problem(ErrFreed, "the allocation of this address map was freed"))}
	case m.checks != nil:
		return m.checks.argument()
	}
	return m.table.KernelArgument()
}

func (m *AddressMap) indirect() error {
	return problem(ErrIndirect, "kernels cannot load and store the memory of ranks %v: %suse Put and Get for them, and AddressMap.Partial for kernels that look at the table's zeros", m.IndirectPeers(), m.why)
}

// Partial makes the table an argument of kernels that look for entries of 0 by themselves.
func (m *AddressMap) Partial() Partial { return Partial{m} }

// Partial is a table in which some ranks may have the entry 0, as an argument of kernels.
type Partial struct{ m *AddressMap }

// KernelArgument is the address of entry 0.
func (p Partial) KernelArgument() device.Argument { return p.m.argument() }

// String says whose map it is.
func (m *AddressMap) String() string {
	return fmt.Sprintf("%d bytes at %#x of rank %d, %d of %d ranks direct", m.bytes, m.AllocationBase(), m.rank, len(m.bases)-len(m.IndirectPeers()), len(m.bases))
}
