package provider_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// on runs body on n PEs with a provider.
func on(t *testing.T, n int, o shmem.Options, body func(c world)) {
	t.Helper()
	shmemtest.RunWith(t, n, o, func(t testing.TB, w *shmem.World) {
		body(world{t: t, w: w, p: newProvider(t, w)})
	})
}

// allocate is AllocateSymmetric that must succeed.
func allocate[T any](c world, n int) (gpu.Slice[T], *provider.AddressMap) {
	c.t.Helper()
	x, m, err := provider.AllocateSymmetric[T](c.t.Context(), c.p, n)
	if err != nil {
		c.t.Fatal(err)
	}
	return x, m
}

func (c world) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// wants checks an error's kind and words.
func (c world) wants(err, is error, words string) {
	c.t.Helper()
	if !errors.Is(err, is) || !strings.Contains(err.Error(), words) {
		c.t.Errorf("PE %d: %v, want %v with %q", c.p.Rank(), err, is, words)
	}
}

// onDevice is the table as kernels see it.
func (c world) onDevice(m *provider.AddressMap) []int64 {
	c.t.Helper()
	got := make([]int64, m.NumRanks())
	c.ok(m.Table().CopyTo(got, nil))
	return got
}

// TestTable: the own entry is the address of the own memory; the others are where the
// engine has them, on the device and on the host alike.
func TestTable(t *testing.T) {
	on(t, 4, shmem.Options{}, func(c world) {
		n := c.w.NPEs()
		x, m := allocate[float32](c, 100)
		table := c.onDevice(m)
		if len(table) != n || m.LocalRank() != c.w.MyPE() || m.AllocationBytes() != 400 || !m.AllDirect() || len(m.IndirectPeers()) != 0 {
			c.t.Errorf("%v: table %v", m, table)
		}
		if uintptr(table[m.LocalRank()]) != x.Address() || m.AllocationBase() != x.Address() {
			c.t.Errorf("own entry %#x, base %#x, memory at %#x", table[m.LocalRank()], m.AllocationBase(), x.Address())
		}
		for pe, at := range m.Bases() {
			if uintptr(table[pe]) != at {
				c.t.Errorf("on the device %x, on the host %x", table, m.Bases())
			}
		}
		c.ok(x.Fill(float32(c.w.MyPE())))
		c.ok(c.p.Barrier(c.t.Context()))
		for pe := range n {
			theirs, err := provider.AsRemote(m, x, pe)
			c.ok(err)
			if got := contents(c, theirs); got[0] != float32(pe) || got[99] != float32(pe) {
				c.t.Errorf("the memory of PE %d at %#x has %v", pe, m.Bases()[pe], got[0])
			}
			if m.Capabilities(pe) != provider.RemoteLoadStore|provider.RemoteAtomics || !m.Direct(pe) {
				c.t.Errorf("PE %d can %d", pe, m.Capabilities(pe))
			}
		}
		if !m.Supports(provider.RemoteAtomics) || m.Capabilities(n) != 0 || m.Direct(-1) {
			c.t.Error("capabilities")
		}
		c.ok(c.p.Barrier(c.t.Context()))
	})
}

// TestSharedOffsets: a table translates pointers into other allocations; ranks were asked
// once.
func TestSharedOffsets(t *testing.T) {
	on(t, 3, shmem.Options{}, func(c world) {
		_, first := allocate[int32](c, 7)
		for range 5 {
			y, second := allocate[int64](c, 1000)
			for pe := range c.w.NPEs() {
				delta := first.Bases()[pe] - first.AllocationBase()
				if got := second.Bases()[pe] - second.AllocationBase(); got != delta {
					c.t.Errorf("PE %d is %#x away, then %#x", pe, delta, got)
				}
				if at := provider.Translate(y.Address()+8, c.p.Rank(), pe, c.onDevice(first)); at != second.Bases()[pe]+8 {
					c.t.Errorf("translated to %#x, want %#x", at, second.Bases()[pe]+8)
				}
			}
		}
		if c.p.Asked() != c.w.NPEs() {
			c.t.Errorf("ranks were asked %d times", c.p.Asked())
		}
	})
}

// TestIndirect: on virtual nodes a table has zeros for the ranks of other nodes, and no
// kernel gets it unless it asks for that.
func TestIndirect(t *testing.T) {
	on(t, 4, shmem.Options{NodeSize: 2}, func(c world) {
		x, m := allocate[uint64](c, 4)
		near := c.w.MyPE() / 2 * 2
		far := []int{2 - near, 3 - near}
		if m.AllDirect() || !slices.Equal(m.IndirectPeers(), far) || m.Supports(provider.RemoteLoadStore) {
			c.t.Errorf("%v: indirect %v, want %v", m, m.IndirectPeers(), far)
		}
		table := c.onDevice(m)
		for pe := range 4 {
			if direct := pe/2 == c.w.MyPE()/2; direct != m.Direct(pe) || direct != (table[pe] != 0) || direct != (m.Capabilities(pe) != 0) {
				c.t.Errorf("PE %d: direct %v, entry %#x", pe, m.Direct(pe), table[pe])
			}
		}
		f := probe(c)
		c.wants(f.Launch(nil, gpu.Grid(1, 1), x, m, uint64(4)), provider.ErrIndirect, "the memory of ranks [")
		c.ok(f.Launch(nil, gpu.Grid(1, 1), x, m.Partial(), uint64(4)))
		c.ok(c.p.Device().DefaultStream().Synchronize(c.t.Context()))
		seen := make([]uint64, 4)
		c.ok(x.CopyTo(seen, nil))
		for pe, entry := range seen {
			if entry != uint64(table[pe]) {
				c.t.Errorf("the kernel saw %#x for PE %d, want %#x", entry, pe, table[pe])
			}
		}
		_, err := m.Translate(x.Address(), c.w.MyPE(), far[0])
		c.wants(err, provider.ErrIndirect, "use Put and Get for them")
	})
}

// probe copies a table to memory.
func probe(c world) *gpu.Function {
	c.t.Helper()
	m, err := c.p.Device().Compile(gpu.Program{
		Device: `extern "C" __global__ void probe(unsigned long long *out, const unsigned long long *peers, unsigned long long n) {
	for (unsigned long long i = 0; i < n; i++) out[i] = peers[i];
}`,
		Host: map[string]gpu.HostKernel{"probe": func(b gpu.Block) {
			n := int(gpu.Arg[uint64](b, 2))
			copy(gpu.ArgSlice[uint64](b, 0, n), gpu.ArgSlice[uint64](b, 1, n))
		}},
	})
	c.ok(err)
	c.t.Cleanup(func() { c.ok(m.Close()) })
	f, err := m.Function("probe")
	c.ok(err)
	return f
}

// TestFresh: every map is one of its own, also of an address that was used before.
func TestFresh(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		x, first := allocate[int32](c, 64)
		again, err := provider.MapOf(c.p, x)
		c.ok(err)
		if again == first || again.Table().Address() == first.Table().Address() {
			c.t.Error("a map was given twice")
		}
		if !slices.Equal(again.Bases(), first.Bases()) {
			c.t.Errorf("%x, then %x", first.Bases(), again.Bases())
		}
		c.ok(provider.Free(c.t.Context(), c.p, x))
		y, second := allocate[int32](c, 32)
		if y.Address() != x.Address() {
			c.t.Fatalf("this test needs the same address: %#x, then %#x", x.Address(), y.Address())
		}
		if second.AllocationBytes() != 128 || second.Owns(y.Address(), 129) {
			c.t.Errorf("the map of the new allocation is %v", second)
		}
		f := probe(c)
		for _, old := range []*provider.AddressMap{first, again} {
			c.wants(f.Launch(nil, gpu.Grid(1, 1), y, old, uint64(0)), provider.ErrFreed, "was freed")
		}
		c.ok(f.Launch(nil, gpu.Grid(1, 1), y, second, uint64(0)))
		c.ok(c.p.Device().DefaultStream().Synchronize(c.t.Context()))
	})
}

// TestFree: what is freed must begin an allocation of this provider; if not, all hear of it.
func TestFree(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		x, _ := allocate[int32](c, 64)
		at := x.Address()
		if c.w.MyPE() == 1 {
			at += 4
		}
		err := c.p.Free(c.t.Context(), at)
		if c.w.MyPE() == 1 {
			c.wants(err, provider.ErrForeign, "no allocation of this provider begins at")
		} else if !errors.Is(err, shmem.ErrFailed) && !errors.Is(err, shmem.ErrMismatch) {
			c.t.Errorf("PE 0: %v", err)
		}
		if _, err := provider.MapOf(c.p, x); err != nil {
			c.t.Errorf("after a refused free: %v", err)
		}
	})
	on(t, 1, shmem.Options{}, func(c world) {
		x, _ := allocate[int32](c, 64)
		c.ok(c.p.Free(c.t.Context(), x.Address()))
		c.wants(c.p.Free(c.t.Context(), x.Address()), provider.ErrFreed, "it was freed")
		_, err := c.p.MapOf(x.Address() + 4)
		c.wants(err, provider.ErrFreed, "it was freed")
		_, err = c.p.MapOf(8)
		c.wants(err, provider.ErrForeign, "this is not what was allocated")
	})
}

// TestDisagree: ranks that ask for different sizes all get an error.
func TestDisagree(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		_, _, err := provider.AllocateSymmetric[int32](c.t.Context(), c.p, 10+c.w.MyPE())
		c.wants(err, shmem.ErrMismatch, "PE")
	})
}

// TestViews: parts keep their place in the allocation; empty and odd ones too.
func TestViews(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		x, m := allocate[int8](c, 1001)
		for _, cut := range [][2]int{{0, 1001}, {3, 10}, {1000, 1001}, {17, 17}} {
			part, err := x.Slice(cut[0], cut[1])
			c.ok(err)
			of, err := provider.MapOf(c.p, part)
			c.ok(err)
			if of.AllocationBase() != x.Address() || of.AllocationBytes() != 1001 {
				c.t.Errorf("%v: %v", cut, of)
			}
			at, err := of.Translate(part.Address(), c.w.MyPE(), 1-c.w.MyPE())
			c.ok(err)
			if at != m.Bases()[1-c.w.MyPE()]+uintptr(cut[0]) {
				c.t.Errorf("%v is at %#x", cut, at)
			}
		}
		empty, none := allocate[float64](c, 0)
		if empty.Len() != 0 || none.AllocationBytes() != 0 || empty.Address() == 0 || !none.Owns(empty.Address(), 0) || none.Owns(empty.Address(), 1) {
			c.t.Errorf("nothing: %v, %v", empty, none)
		}
		c.ok(provider.Free(c.t.Context(), c.p, empty))
	})
}

// TestForeign: memory of others is no allocation.
func TestForeign(t *testing.T) {
	on(t, 1, shmem.Options{}, func(c world) {
		y, err := gpu.Alloc[int32](c.p.Device(), 4)
		c.ok(err)
		defer y.Close()
		_, err = provider.MapOf(c.p, y)
		c.wants(err, provider.ErrForeign, "is in no allocation of this provider")
		x, _ := allocate[int32](c, 4)
		beyond, err := gpu.Foreign[int32](c.p.Device(), x.Address(), 5, gpu.DeviceMemory)
		c.ok(err)
		_, err = provider.MapOf(c.p, beyond)
		c.wants(err, provider.ErrForeign, "reach beyond")
		_, _, err = provider.AllocateSymmetric[int32](c.t.Context(), c.p, -1)
		c.wants(err, provider.ErrArgument, "-1 elements")
		_, err = provider.New(nil)
		c.wants(err, provider.ErrArgument, "nil")
	})
}

// TestLarge: more than 2 GiB, of which the far end is used.
func TestLarge(t *testing.T) {
	const n = 1<<31 + 4096
	on(t, 1, shmem.Options{HeapSize: 3 << 30}, func(c world) {
		x, m := allocate[byte](c, n)
		end, err := x.Slice(n-8, n)
		c.ok(err)
		c.ok(end.Fill(7))
		at, err := m.Translate(end.Address(), 0, 0)
		c.ok(err)
		table := c.onDevice(m)
		provider.Put[byte](x.Address(), end.Address(), 4, 0, 0, table)
		if provider.Store(x.Address(), n-2, byte(8), 0, 0, table); provider.Load[byte](x.Address(), 3, 0, 0, table) != 7 || provider.Load[byte](x.Address(), n-2, 0, 0, table) != 8 {
			c.t.Error("a kernel does not find the end")
		}
		if got := mem.At[byte](at, 8); got[7] != 7 || !m.Owns(end.Address(), 8) || m.Owns(end.Address(), 9) {
			c.t.Errorf("the end of %v has %v", m, got)
		}
	})
}

// TestSpec: a map whose numbers contradict each other is not made.
func TestSpec(t *testing.T) {
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	good := provider.Spec{Device: d, LocalRank: 1, Bytes: 16, Bases: []uintptr{0, 4096}, Capabilities: []provider.Capability{0, provider.RemoteLoadStore}}
	for says, change := range map[string]func(*provider.Spec){
		"no device":                       func(s *provider.Spec) { s.Device = nil },
		"rank 2: the table has 2 entries": func(s *provider.Spec) { s.LocalRank = 2 },
		"rank -1":                         func(s *provider.Spec) { s.LocalRank = -1 },
		"the own entry, of rank 0, is 0":  func(s *provider.Spec) { s.LocalRank = 0 },
		"-1 bytes":                        func(s *provider.Spec) { s.Bytes = -1 },
		"capabilities of 1 ranks":         func(s *provider.Spec) { s.Capabilities = s.Capabilities[:1] },
		"a base is for ranks that can be": func(s *provider.Spec) { s.Capabilities = []provider.Capability{1, 1} },
	} {
		s := good
		change(&s)
		if _, err := provider.NewAddressMap(s); !errors.Is(err, provider.ErrArgument) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	m, err := provider.NewAddressMap(good)
	if err != nil {
		t.Fatal(err)
	}
	if m.Supports(provider.RemoteLoadStore) || !m.Direct(1) {
		t.Errorf("%v", m)
	}
	if a := m.Partial().KernelArgument(); a.Err != nil || uintptr(a.Ptr) != m.Table().Address() {
		t.Errorf("argument %+v", a)
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	if a := m.Partial().KernelArgument(); !errors.Is(a.Err, provider.ErrFreed) {
		t.Errorf("closed: %+v", a)
	}
	for _, at := range [][3]int{{1, 2, 4096}, {-1, 1, 4096}, {1, 1, 4095}, {1, 1, 4096 + 17}} {
		if _, err := m.Translate(uintptr(at[2]), at[0], at[1]); !errors.Is(err, provider.ErrArgument) {
			t.Errorf("%v: %v", at, err)
		}
	}
	if at, err := m.Translate(4096+16, 1, 1); err != nil || at != 4096+16 {
		t.Errorf("the end: %#x, %v", at, err)
	}
}
