package provider

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// World is the Provider over the symmetric heap of a world, with any engine.
type World struct {
	w      *shmem.World
	reg    register
	arrays map[*allocation]shmem.Array[byte]
	deltas []int64 // of each rank: its copy of anything is so far from ours
	near   []bool  // which ranks have one
	asked  int     // how often a rank was asked where it has something
	probe  bool
}

// Options say how a provider works. The zero value is right.
type Options struct {
	// SelfTest has every allocation followed by a [SelfTest]; where that fails there is no
	// allocation. All ranks must want it, or none.
	SelfTest bool
}

// atMostOne is the options that were given, or none.
func atMostOne(given []Options) (o Options, err error) {
	if len(given) > 1 {
		return o, problem(ErrArgument, "%d options values: at most one is read", len(given))
	}
	return append(given, o)[0], nil
}

// New returns the provider of a world, whose memory it allocates. It owns nothing but small
// tables, which Close gives back. At most one options value may be given. Local.
func New(w *shmem.World, options ...Options) (*World, error) {
	o, err := atMostOne(options)
	if err != nil {
		return nil, fail("new", err)
	}
	if w == nil {
		return nil, fail("new", problem(ErrArgument, "the world is nil"))
	}
	d := w.Device()
	if d == nil {
		return nil, fail("new", problem(ErrArgument, "the device of the world cannot be opened"))
	}
	p := &World{w: w, arrays: map[*allocation]shmem.Array[byte]{}, probe: o.SelfTest}
	p.reg.d, p.reg.rank = d, w.MyPE()
	p.reg.tables.d, p.reg.tables.ranks = d, w.NPEs()
	return p, nil
}

// Rank is the PE of this process. Local.
func (p *World) Rank() int { return p.w.MyPE() }

// NumRanks is how many PEs there are. Local.
func (p *World) NumRanks() int { return p.w.NPEs() }

// Device is where the memory and the tables are. Local.
func (p *World) Device() *gpu.Device { return p.reg.d }

// Barrier completes this PE's puts and waits for all PEs, as the world's. It does not wait
// for kernels. Blocking, collective.
func (p *World) Barrier(ctx context.Context) error { return p.w.Barrier(ctx) }

// Allocate allocates zeroed bytes in the symmetric heap. Blocking, collective. Errors: as
// [shmem.Alloc]'s.
func (p *World) Allocate(ctx context.Context, bytes int) (gpu.Buffer, *AddressMap, error) {
	a, err := shmem.Alloc[byte](ctx, p.w, allot(bytes)) // which refuses what is negative, for all
	if err != nil {
		return gpu.Buffer{}, nil, err
	}
	base, err := a.Address(p.w.MyPE())
	if err != nil {
		return gpu.Buffer{}, nil, err
	}
	bases, err := p.bases(a, base)
	if err != nil {
		return gpu.Buffer{}, nil, err
	}
	whole, err := gpu.Foreign[byte](p.reg.d, base, a.Len(), gpu.DeviceMemory)
	if err != nil {
		return gpu.Buffer{}, nil, err
	}
	known := &allocation{base: base, bytes: bytes, bases: bases, able: capabilities(bases)}
	m, err := p.reg.add(known)
	if err != nil {
		return gpu.Buffer{}, nil, err
	}
	p.arrays[known] = a
	if p.probe {
		if err := SelfTest(ctx, meeting{p.w}, whole, m); err != nil {
			return gpu.Buffer{}, nil, errors.Join(err, p.Free(ctx, base))
		}
	}
	part, err := whole.Slice(0, bytes)
	return part, m, err
}

// allot is at least one byte: no rank can have nothing at a place of its own.
func allot(bytes int) int {
	if bytes == 0 {
		return 1
	}
	return bytes
}

// bases are where all ranks have an array. The distances are the same for all arrays: the
// other ranks are asked once.
func (p *World) bases(a shmem.Array[byte], base uintptr) ([]uintptr, error) {
	if p.deltas == nil {
		if err := p.learn(a, base); err != nil {
			return nil, err
		}
	}
	bases := make([]uintptr, len(p.deltas))
	for r, delta := range p.deltas {
		if p.near[r] {
			bases[r] = base + uintptr(delta)
		}
	}
	return bases, nil
}

func (p *World) learn(a shmem.Array[byte], base uintptr) error {
	deltas, near := make([]int64, p.w.NPEs()), make([]bool, p.w.NPEs())
	for pe := range deltas {
		at, err := a.Address(pe)
		p.asked++
		if err != nil && !errors.Is(err, shmem.ErrNoPeerAccess) {
			return err
		}
		if near[pe] = at != 0; near[pe] {
			deltas[pe] = int64(at - base)
		}
	}
	near[p.w.MyPE()] = true // the own memory, also where modes hide it
	p.deltas, p.near = deltas, near
	return nil
}

// capabilities of memory that kernels reach: on one node that is everything.
func capabilities(bases []uintptr) []Capability {
	able := make([]Capability, len(bases))
	for r, base := range bases {
		if base != 0 {
			able[r] = RemoteLoadStore | RemoteAtomics
		}
	}
	return able
}

// MapOf makes a new map of the allocation that an address of this PE is in. Local. Errors:
// ErrForeign, ErrFreed.
func (p *World) MapOf(address uintptr) (*AddressMap, error) {
	m, err := p.reg.mapOf(address)
	return m, fail("map", err)
}

// Free gives an allocation back. Blocking, collective. Errors: ErrForeign for an address at
// which none begins, ErrFreed for one at which none begins any more, and then on the other
// PEs ErrFailed of package shmem.
func (p *World) Free(ctx context.Context, address uintptr) error {
	a, err := p.reg.starts(address)
	if err != nil {
		return fail("free", joined(err, shmem.FreeAt(ctx, p.w, address)))
	}
	if err := p.arrays[a].Free(ctx); err != nil {
		return fail("free", err)
	}
	delete(p.arrays, a)
	p.reg.forget(a)
	return nil
}

// Close gives the tables back: all maps are refused from now on. Allocations stay until
// they are freed with the world. Local.
func (p *World) Close() error {
	for a := range p.arrays {
		p.reg.forget(a)
	}
	clear(p.arrays)
	return fail("close", p.reg.tables.close())
}

// meeting is a world as an exchange.
type meeting struct{ w *shmem.World }

func (m meeting) Broadcast(ctx context.Context, buf []byte, root int) error {
	return shmem.BroadcastSlice(ctx, m.w.Team(), buf, root)
}

func (m meeting) Barrier(ctx context.Context) error { return m.w.Barrier(ctx) }
