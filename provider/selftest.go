package provider

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // the kernel is a file
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
)

// EntryError is a table in which the entry of a rank leads to other memory than that rank's
// copy of the allocation.
type EntryError struct {
	Rank          int // whose entry is wrong
	By            int // whose table it is
	Entry         uintptr
	Found, Wanted []byte // the first bytes there, and what that rank has there
}

// Error says whose entry is wrong.
func (e *EntryError) Error() string {
	return fmt.Sprintf("the table of rank %d: the entry %#x of rank %d leads elsewhere: the bytes there are %x, that rank has written %x", e.By, e.Entry, e.Rank, e.Found, e.Wanted)
}

// selfTestText is the kernel of SelfTest.
//
//go:embed selftest.cu
var selfTestText string

// nonce is what is looked for: so many random bytes, which nothing else has by accident.
type nonce [16]byte

// SelfTest finds out whether the entries of an allocation's table are right: each rank
// writes random bytes of its own to the beginning of its copy, a kernel loads those of all
// ranks that are Direct through the table, and what it found is compared with what they
// wrote. memory is this rank's copy; its contents are afterwards what they were. Nobody
// else may use the allocation meanwhile. An allocation of fewer than 16 bytes is told apart
// by fewer. An entry that leads to no memory at all is a fault of the kernel's, as such a
// pointer always is. Blocking, collective, over an exchange of the map's ranks. Errors:
// *EntryError on the rank whose table is wrong, ErrElsewhere on the others.
func SelfTest(ctx context.Context, x Exchange, memory gpu.Buffer, m *AddressMap) error {
	n := min(len(nonce{}), m.AllocationBytes(), memory.Len())
	if n == 0 {
		return nil
	}
	t := tester{x: x, m: m, before: make([]byte, n)}
	err := t.begin(memory)
	return fail("self-test", errors.Join(t.compare(ctx, err), t.s.Close()))
}

// tester is a SelfTest under way.
type tester struct {
	x      Exchange
	m      *AddressMap
	s      *gpu.Stream // of its own: the default one may wait for kernels that wait for us
	head   gpu.Buffer
	mine   nonce
	before []byte // what was there
}

// begin writes the own bytes.
func (t *tester) begin(memory gpu.Buffer) (err error) {
	if t.s, err = memory.Device().NewStream(); err != nil {
		return err
	}
	if _, err := rand.Read(t.mine[:]); err != nil {
		return err
	}
	if t.head, err = memory.Slice(0, len(t.before)); err != nil {
		return err
	}
	if err := t.head.CopyTo(t.before, t.s); err != nil {
		return err
	}
	return t.head.CopyFrom(t.mine[:t.head.Len()], t.s)
}

// compare is the part in which all ranks take part, whatever has happened to them.
func (t *tester) compare(ctx context.Context, err error) error {
	me, ranks := t.m.LocalRank(), t.m.NumRanks()
	if err := agree(ctx, t.x, me, ranks, err); err != nil {
		return err
	}
	written, err := gather(ctx, t.x, me, ranks, t.mine)
	if err != nil {
		return err
	}
	err = t.look(ctx, written)
	if met := t.x.Barrier(ctx); met != nil { // all have looked
		return errors.Join(err, met)
	}
	return agree(ctx, t.x, me, ranks, errors.Join(err, t.head.CopyFrom(t.before, t.s)))
}

// look loads what all ranks have, and compares.
func (t *tester) look(ctx context.Context, written []nonce) error {
	d, n, m := t.head.Device(), t.head.Len(), t.m
	found, err := gpu.Alloc[byte](d, n*len(written))
	if err != nil {
		return err
	}
	defer found.Close() //nolint:errcheck // it is read no more
	module, err := d.Compile(gpu.Program{Name: "selftest.cu", Device: selfTestText, Headers: Headers(), Host: map[string]gpu.HostKernel{"selftest": loadAll}})
	if err != nil {
		return err
	}
	defer module.Close() //nolint:errcheck // the same
	f, err := module.Function("selftest")
	if err != nil {
		return err
	}
	if err := f.Launch(t.s, gpu.Grid(found.Len(), 128), found, t.head, m.Partial(), int32(m.rank), int32(len(written)), int32(n)); err != nil {
		return err
	}
	if err := t.s.Synchronize(ctx); err != nil {
		return err
	}
	all := make([]byte, found.Len())
	if err := found.CopyTo(all, t.s); err != nil {
		return err
	}
	for r, want := range written {
		if got := all[r*n : (r+1)*n]; m.Direct(r) && !bytes.Equal(got, want[:n]) {
			return &EntryError{Rank: r, By: m.rank, Entry: m.bases[r], Found: got, Wanted: want[:n]}
		}
	}
	return nil
}

// loadAll is the kernel in Go.
func loadAll(b gpu.Block) {
	me, ranks, n := int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4)), int(gpu.Arg[int32](b, 5))
	out, x, peers := gpu.ArgSlice[uint8](b, 0, ranks*n), gpu.Arg[uintptr](b, 1), Peers(b, 2, ranks)
	for i := range b.Each(ranks * n) {
		if peers[i/n] != 0 {
			out[i] = Load[uint8](x, i%n, me, i/n, peers)
		}
	}
}
