// Package vendor does collectives through NCCL or RCCL. All calls go through package raw;
// what is here is which of its functions does what, on which device, and what stands in
// for those that an older library lacks.
package vendor

import (
	"slices"
	"sync"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// library is a loaded NCCL or RCCL.
type library struct {
	raw    *raw.Library
	native [ccl.Kinds]bool // there is a function for it

	mu     sync.Mutex
	groups map[int]*group // by thread
}

// group is what belongs to the groups that are open on a thread.
type group struct {
	depth int
	descs []*raw.Descs // which the library reads until the end
}

// Open loads a library, "nccl" or "rccl"; a path is for one that is somewhere else.
func Open(name, path string) (ccl.Library, error) {
	r, err := raw.Open(name, path)
	if err != nil {
		return nil, err
	}
	l := &library{raw: r, groups: map[int]*group{}}
	for k, names := range map[ccl.Kind][]string{
		ccl.AllToAll:  {"ncclAlltoAll", "ncclAllToAll"},
		ccl.AllToAllV: {"ncclAlltoAllv", "ncclAllToAllv"},
		ccl.Gather:    {"ncclGather"},
		ccl.Scatter:   {"ncclScatter"},
	} {
		l.native[k] = slices.ContainsFunc(names, r.Has)
	}
	return l, nil
}

// Raw is the library behind one of Open's.
func Raw(l ccl.Library) *raw.Library {
	if v, ok := l.(*library); ok {
		return v.raw
	}
	return nil
}

// Name is "nccl" or "rccl".
func (l *library) Name() string { return l.raw.Name() }

// Version is that of ncclGetVersion.
func (l *library) Version() int { return l.raw.Version() }

// Path is the file that was loaded.
func (l *library) Path() string { return l.raw.Path() }

// Lacks says why calls of a kind are not possible. Most of those that an old library
// lacks are done by sends and receives.
func (l *library) Lacks(k ccl.Kind) error {
	if k == ccl.AllReduceBias {
		return l.raw.Need("ncclAllReduceWithBias")
	}
	return nil
}

// UniqueID makes an id.
func (l *library) UniqueID() (ccl.ID, error) { return l.raw.GetUniqueID() }

// Init makes the communicator of one rank.
func (l *library) Init(spec ccl.Init) (ccl.Comm, error) {
	c := &comm{lib: l, dev: spec.Device, slot: raw.NewSlot()}
	before, err := spec.Device.Enter()
	if err != nil {
		return nil, err
	}
	defer spec.Device.Leave(before)
	return c.begun(l.init(c, spec, configOf(spec.Config)))
}

func (l *library) init(c *comm, spec ccl.Init, config *raw.Config) error {
	switch {
	case spec.Grow:
		return l.raw.CommGrow(0, spec.Size, &spec.IDs[0], spec.Rank, c.slot, config)
	case len(spec.IDs) > 1:
		return l.raw.CommInitRankScalable(c.slot, spec.Size, spec.Rank, spec.IDs, config)
	}
	return l.raw.CommInitRankConfig(c.slot, spec.Size, spec.IDs[0], spec.Rank, config)
}

// Alloc allocates memory of a device that can be registered.
func (l *library) Alloc(d ccl.Device, bytes uintptr) (uintptr, error) {
	before, err := d.Enter()
	if err != nil {
		return 0, err
	}
	defer d.Leave(before)
	return l.raw.MemAlloc(bytes)
}

// Free gives it back.
func (l *library) Free(d ccl.Device, addr uintptr) error {
	before, err := d.Enter()
	if err != nil {
		return err
	}
	defer d.Leave(before)
	return l.raw.MemFree(addr)
}
