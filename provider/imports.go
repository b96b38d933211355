package provider

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// Exchange is what ranks that have no world tell each other by: the program's own, over
// MPI, gRPC or anything else.
type Exchange = shmem.Exchange

// Imports is the Provider over memory that somebody else has allocated: another library,
// another process, or plain gpu.Alloc. Ranks of one process use each other's addresses;
// others map each other's memory by handles of the driver. A rank whose memory cannot be
// mapped here, such as one of another machine, is not Direct, and errors say why. Unlike
// those of a world the distances differ between allocations: a table translates pointers
// into its own allocation only. One goroutine of a rank uses it at a time.
type Imports struct {
	reg   register
	ranks int
	x     Exchange
	count uint64 // of imports: the same on all ranks
	held  map[*allocation]*holding
	probe bool
}

// holding is what an allocation has to give back.
type holding struct {
	number uint64
	mapped []gpu.Buffer // of other ranks
	own    gpu.Buffer   // the zero Buffer: it stays with whoever allocated it
}

// NewImports returns a provider whose ranks, 0 to ranks-1, have nothing in common but an
// exchange. Its tables are in the memory of d. At most one options value may be given.
// Local. Errors: ErrArgument.
func NewImports(d *gpu.Device, rank, ranks int, x Exchange, options ...Options) (*Imports, error) {
	const op = "new imports"
	o, err := atMostOne(options)
	switch {
	case err != nil:
	case d == nil || x == nil:
		err = problem(ErrArgument, "a device and an exchange are needed")
	case rank < 0 || rank >= ranks:
		err = problem(ErrArgument, "rank %d of %d", rank, ranks)
	}
	if err != nil {
		return nil, fail(op, err)
	}
	p := &Imports{ranks: ranks, x: x, held: map[*allocation]*holding{}, probe: o.SelfTest}
	p.reg.d, p.reg.rank = d, rank
	p.reg.tables.d, p.reg.tables.ranks = d, ranks
	return p, nil
}

// Rank is this rank. Local.
func (p *Imports) Rank() int { return p.reg.rank }

// NumRanks is how many ranks there are. Local.
func (p *Imports) NumRanks() int { return p.ranks }

// Device is where the tables are. Local.
func (p *Imports) Device() *gpu.Device { return p.reg.d }

// Barrier waits for all ranks, by the exchange. It does not wait for kernels. Blocking,
// collective.
func (p *Imports) Barrier(ctx context.Context) error { return fail("barrier", p.x.Barrier(ctx)) }

// Allocate allocates bytes of the device's memory, without defined contents, on every rank.
// Blocking, collective. Errors: as Import's.
func (p *Imports) Allocate(ctx context.Context, bytes int) (gpu.Buffer, *AddressMap, error) {
	whole, err := gpu.Alloc[byte](p.reg.d, allot(bytes))
	m, err := p.join(ctx, source{memory: whole, bytes: bytes, own: whole, err: err})
	if err != nil {
		return gpu.Buffer{}, nil, fail("allocate", cleared(err, whole))
	}
	part, err := whole.Slice(0, bytes)
	return part, m, err
}

// Import makes memory of this rank, and of all others as much of theirs, an allocation of
// the provider. Pointer and length become memory by gpu.Foreign. It stays whose it is, and
// must stay until Free. Blocking, collective. Errors: ErrArgument for memory of another
// device, or of another length than that of other ranks, or that is imported already;
// ErrElsewhere.
func (p *Imports) Import(ctx context.Context, memory gpu.Buffer) (*AddressMap, error) {
	s := source{memory: memory, bytes: memory.Len()}
	if memory.Len() == 0 || memory.Device() != p.reg.d {
		s.err = problem(ErrArgument, "%v: memory of %v is needed", memory, p.reg.d)
	}
	m, err := p.join(ctx, s)
	return m, fail("import", err)
}

// Import is [Imports.Import] for elements of any type.
func Import[T any](ctx context.Context, p *Imports, x gpu.Slice[T]) (*AddressMap, error) {
	whole, err := gpu.As[byte](x)
	if err != nil {
		m, met := p.join(ctx, source{err: err}) // the others hear of it
		return m, fail("import", met)
	}
	return p.Import(ctx, whole)
}

// ImportHandle is Import for memory that other processes have exported to this rank: it is
// mapped here, and by the other ranks. Free unmaps it. Blocking, collective. Errors: as
// Import's.
func (p *Imports) ImportHandle(ctx context.Context, h gpu.IPCHandle) (gpu.Buffer, *AddressMap, error) {
	memory, err := p.reg.d.Import(h)
	m, err := p.join(ctx, source{memory: memory, bytes: memory.Len(), own: memory, handle: &h, err: err})
	if err != nil {
		return gpu.Buffer{}, nil, fail("import handle", cleared(err, memory))
	}
	return memory, m, nil
}

// cleared is an error after which memory of ours is given back.
func cleared(err error, memory gpu.Buffer) error {
	if closed := memory.Close(); closed != nil {
		return joined(err, closed)
	}
	return err
}

// MapOf makes a new map of the allocation that an address of this rank is in. Local. Errors:
// ErrForeign.
func (p *Imports) MapOf(address uintptr) (*AddressMap, error) {
	m, err := p.reg.mapOf(address)
	return m, fail("map", err)
}

// Free ends an allocation that begins at an address: no rank's kernels may use it any more.
// What Allocate and ImportHandle have made is given back. Blocking, collective. Errors:
// ErrForeign for an address at which none begins; ErrFreed if one did; ErrArgument where ranks free different
// ones; ErrElsewhere. After these the allocation is still there.
func (p *Imports) Free(ctx context.Context, address uintptr) error {
	const op = "free"
	a, err := p.reg.starts(address)
	number := uint64(0)
	if err == nil {
		number = p.held[a].number
	}
	if err := p.same(ctx, number, err); err != nil {
		return fail(op, err)
	}
	h := p.held[a]
	delete(p.held, a)
	p.reg.forget(a)
	err = unmap(h.mapped)
	if met := p.x.Barrier(ctx); met != nil { // somebody may have it mapped still
		return fail(op, errors.Join(err, met))
	}
	return fail(op, errors.Join(err, h.own.Close()))
}

// same says what is wrong on any rank, or that their numbers differ.
func (p *Imports) same(ctx context.Context, number uint64, err error) error {
	if err := agree(ctx, p.x, p.Rank(), p.ranks, err); err != nil {
		return err
	}
	all, err := gather(ctx, p.x, p.Rank(), p.ranks, number)
	if err != nil {
		return err
	}
	for r, theirs := range all {
		if theirs != number {
			return problem(ErrArgument, "rank %d frees import %d, this one %d: all ranks free the same", r, theirs, number)
		}
	}
	return nil
}

func unmap(mapped []gpu.Buffer) error {
	var errs []error
	for _, b := range mapped {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// Close gives back what this rank holds: tables, mappings, and memory of Allocate. All ranks'
// kernels must be done. Local: other ranks that have this one's memory mapped must be closed
// before, or must not touch it any more.
func (p *Imports) Close() error {
	var errs []error
	for a, h := range p.held {
		p.reg.forget(a)
		errs = append(errs, unmap(h.mapped), h.own.Close())
	}
	clear(p.held)
	return fail("close", errors.Join(append(errs, p.reg.tables.close())...))
}
