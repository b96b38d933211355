package provider_test

import (
	"context"
	_ "embed"
	"errors"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// ops is every operation on every type, as kernels in C++.
//
//go:embed testdata/ops.cu
var ops string

// launch runs a kernel of ops on this rank and waits for it.
type launch func(name string, a, b arg, peers gpu.KernelArg, peer, other, n, m int) error

// arg is memory of this rank.
type arg interface {
	gpu.KernelArg
	Address() uintptr
}

// numbers are the elements of a type as small whole numbers, which all types have.
type numbers[T provider.Element] struct {
	name string
	of   func(v int) T
	bits func(v T) uint64
}

func integer[T provider.Integer](name string) numbers[T] {
	return numbers[T]{name, func(v int) T { return T(v) }, func(v T) uint64 { return uint64(v) }}
}

// world is one rank of a test.
type world struct {
	t      testing.TB
	w      *shmem.World
	p      *provider.World
	launch launch
}

// The sizes of the usual test of a mask.
const (
	elements = 256
	masked   = 200
)

// everything checks all operations on all types.
func (c world) everything() {
	all(c, integer[int8]("i8"))
	all(c, integer[uint8]("u8"))
	all(c, integer[int16]("i16"))
	all(c, integer[uint16]("u16"))
	all(c, integer[int32]("i32"))
	all(c, integer[uint32]("u32"))
	all(c, integer[int64]("i64"))
	all(c, integer[uint64]("u64"))
	few(c)
	floats(c, numbers[dtype.Float16]{"f16", func(v int) dtype.Float16 { return dtype.F16(float32(v)) }, func(v dtype.Float16) uint64 { return uint64(v.Bits()) }})
	floats(c, numbers[dtype.BFloat16]{"bf16", func(v int) dtype.BFloat16 { return dtype.BF16(float32(v)) }, func(v dtype.BFloat16) uint64 { return uint64(v.Bits()) }})
	floats(c, numbers[float32]{"f32", func(v int) float32 { return float32(v) }, func(v float32) uint64 { return uint64(v) }})
	floats(c, numbers[float64]{"f64", func(v int) float64 { return float64(v) }, func(v float64) uint64 { return uint64(v) }})
}

func all[T provider.Integer](c world, k numbers[T]) {
	b := newBench(c, numbers[T]{k.name, k.of, k.bits})
	defer b.free()
	b.moves()
	b.arithmetic()
	b.atomic("atomic_and", func(old, v int) int { return old & v })
	b.atomic("atomic_or", func(old, v int) int { return old | v })
	b.atomic("atomic_xor", func(old, v int) int { return old ^ v })
}

func floats[T provider.Element](c world, k numbers[T]) {
	b := newBench(c, k)
	defer b.free()
	b.moves()
	b.arithmetic()
}

// bench has the memory of a rank: mine is what a is, there what b is.
type bench[T provider.Element] struct {
	world
	numbers[T]
	peers       *provider.AddressMap
	mine, there gpu.Slice[T]
	me, next    int
	after       int // the rank behind next
}

func newBench[T provider.Element](c world, k numbers[T]) *bench[T] {
	c.t.Helper()
	b := &bench[T]{world: c, numbers: k, me: c.p.Rank()}
	n := c.p.NumRanks()
	b.next, b.after = (b.me+1)%n, (b.me+2)%n
	var err error
	if b.there, b.peers, err = provider.AllocateSymmetric[T](c.t.Context(), c.p, 2*elements); err != nil {
		c.t.Fatal(err)
	}
	if b.mine, err = gpu.Alloc[T](c.p.Device(), 2*elements); err != nil {
		c.t.Fatal(err)
	}
	return b
}

func (b *bench[T]) free() {
	b.ok(b.mine.Close())
	b.ok(provider.Free(b.t.Context(), b.p, b.there))
}

func (b *bench[T]) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%s: %v", b.name, err)
	}
}

func (b *bench[T]) barrier() {
	b.t.Helper()
	b.ok(b.p.Barrier(b.t.Context()))
}

// a and v are what rank has in its two pieces of memory before each operation: whole numbers
// from 0 to 7.
func a(rank, i int) int { return (3*rank + 5*i + i/7) & 7 }
func v(rank, i int) int { return (rank + 3*i + i/5) & 7 }

// run prepares all memory, has all ranks do the operation at once, and compares.
func (b *bench[T]) run(op string, m int, mine, there func(i int) int) {
	b.t.Helper()
	x, y := make([]T, 2*elements), make([]T, 2*elements)
	for i := range x {
		x[i], y[i] = b.of(a(b.me, i)), b.of(v(b.me, i))
	}
	b.ok(b.mine.CopyFrom(x, nil))
	b.ok(b.there.CopyFrom(y, nil))
	b.barrier()
	b.ok(b.launch(op+"_"+b.name, b.mine, b.there, b.peers, b.next, b.after, elements, m))
	b.barrier()
	b.compare(op, b.mine, mine)
	b.compare(op, b.there, there)
	b.barrier()
}

func (b *bench[T]) compare(op string, x gpu.Slice[T], want func(i int) int) {
	b.t.Helper()
	got := make([]T, x.Len())
	b.ok(x.CopyTo(got, nil))
	for i := range got {
		if w := b.of(want(i)); b.bits(got[i]) != b.bits(w) {
			b.t.Fatalf("rank %d of %d: %s on %s, element %d: %v, want %v", b.me, b.p.NumRanks(), op, b.name, i, got[i], w)
		}
	}
}

// moves checks what does not combine.
func (b *bench[T]) moves() {
	b.t.Helper()
	n := b.p.NumRanks()
	before, twice := (b.me+n-1)%n, (b.me+2*n-2)%n
	unchanged := func(of func(rank, i int) int) func(int) int { return func(i int) int { return of(b.me, i) } }
	upTo := func(m int, first, rest func(i int) int) func(int) int {
		return func(i int) int {
			if i < m {
				return first(i)
			}
			return rest(i)
		}
	}
	for _, m := range []int{masked, elements} {
		fetched := upTo(m, func(i int) int { return v(b.next, i) }, unchanged(a))
		for _, op := range []string{"load", "load_through", "load_stream", "load_global", "get", "get_block"} {
			b.run(op, m, fetched, unchanged(v))
		}
		stored := upTo(m, func(i int) int { return a(before, i) }, unchanged(v))
		for _, op := range []string{"store", "store_through", "store_stream", "store_global", "put", "put_block"} {
			b.run(op, m, unchanged(a), stored)
		}
		// Rank r copies from r+1 to r+2, so we get what the rank before us had.
		b.run("copy", m, unchanged(a), func(i int) int {
			if j := i - elements; j >= 0 && j < m {
				return v((twice+1)%n, j)
			}
			return v(b.me, i)
		})
	}
}

// arithmetic checks the atomics that all types have.
func (b *bench[T]) arithmetic() {
	b.t.Helper()
	b.atomic("atomic_add", func(old, v int) int { return old + v })
	b.atomic("atomic_sub", func(old, v int) int { return old - v })
	b.atomic("atomic_min", func(old, v int) int { return min(old, v) })
	b.atomic("atomic_max", func(old, v int) int { return max(old, v) })
	b.atomic("atomic_xchg", func(_, v int) int { return v })
	n := b.p.NumRanks()
	before := (b.me + n - 1) % n
	for _, m := range []int{masked, elements} {
		b.run("atomic_cas", m, func(i int) int {
			if i < m {
				return v(b.next, i)
			}
			return a(b.me, i)
		}, func(i int) int {
			if i < m && v(b.me, i) == a(before, i) {
				return a(before, elements+i)
			}
			return v(b.me, i)
		})
	}
	b.sum(n)
}

// atomic checks old values and new ones.
func (b *bench[T]) atomic(op string, f func(old, v int) int) {
	b.t.Helper()
	n := b.p.NumRanks()
	before := (b.me + n - 1) % n
	for _, m := range []int{masked, elements} {
		b.run(op, m, func(i int) int {
			if i < m {
				return v(b.next, i)
			}
			return a(b.me, i)
		}, func(i int) int {
			if i < m {
				return f(v(b.me, i), a(before, i))
			}
			return v(b.me, i)
		})
	}
}

// sum has all ranks add 1 to one element of rank 0 so often that every type can count it,
// at once.
func (b *bench[T]) sum(n int) {
	b.t.Helper()
	const times = 12
	b.ok(b.there.Fill(b.of(0)))
	b.ok(b.mine.Fill(b.of(1)))
	b.barrier()
	b.ok(b.launch("atomic_add_one_"+b.name, b.mine, b.there, b.peers, 0, 0, times, times))
	b.barrier()
	if b.me == 0 {
		got := make([]T, 1)
		first, err := b.there.Slice(0, 1)
		b.ok(err)
		b.ok(first.CopyTo(got, nil))
		if want := b.of(n * times); b.bits(got[0]) != b.bits(want) {
			b.t.Fatalf("%s: %d ranks counted to %v, want %v", b.name, n, got[0], want)
		}
	}
	b.barrier()
}

// hostKernels are ops in Go: only what Go has.
func hostKernels() map[string]gpu.HostKernel {
	list := map[string]gpu.HostKernel{}
	addInteger[int8](list, "i8")
	addInteger[uint8](list, "u8")
	addInteger[int16](list, "i16")
	addInteger[uint16](list, "u16")
	addInteger[int32](list, "i32")
	addInteger[uint32](list, "u32")
	addInteger[int64](list, "i64")
	addInteger[uint64](list, "u64")
	addNumber[dtype.Float16](list, "f16")
	addNumber[dtype.BFloat16](list, "bf16")
	addNumber[float32](list, "f32")
	addNumber[float64](list, "f64")
	fewKernels(list)
	return list
}

// call is the arguments of a kernel of ops.
type call struct {
	a, b            uintptr
	peers           []int64
	me, peer, other int
	n, m            int
}

func argsOf(b gpu.Block) call {
	me, peer, other := int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4)), int(gpu.Arg[int32](b, 5))
	return call{gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), provider.Peers(b, 2, max(me, peer, other)+1), me, peer, other, int(gpu.Arg[int64](b, 6)), int(gpu.Arg[int64](b, 7))}
}

// each makes a kernel of what one thread does with one element that is not masked.
func each(f func(c call, i int)) gpu.HostKernel {
	return func(b gpu.Block) {
		c := argsOf(b)
		for i := range b.Each(c.m) {
			f(c, i)
		}
	}
}

// own is this rank's elements at a.
func own[T provider.Element](c call) []T { return mem.At[T](c.a, 2*elements) }

func sizeOf[T any]() uintptr { return unsafe.Sizeof(*new(T)) }

func addInteger[T provider.Integer](list map[string]gpu.HostKernel, name string) {
	addNumber[T](list, name)
	atomics(list, "atomic_and_"+name, provider.AtomicAnd[T])
	atomics(list, "atomic_or_"+name, provider.AtomicOr[T])
	atomics(list, "atomic_xor_"+name, provider.AtomicXor[T])
}

func addNumber[T provider.Element](list map[string]gpu.HostKernel, name string) {
	for _, hint := range []string{"", "_through", "_stream", "_global"} {
		list["load"+hint+"_"+name] = each(func(c call, i int) { own[T](c)[i] = provider.Load[T](c.b, i, c.me, c.peer, c.peers) })
		list["store"+hint+"_"+name] = each(func(c call, i int) { provider.Store(c.b, i, own[T](c)[i], c.me, c.peer, c.peers) })
	}
	for _, form := range []string{"", "_block"} {
		list["get"+form+"_"+name] = once(func(c call) { provider.Get[T](c.a, c.b, c.m, c.me, c.peer, c.peers) })
		list["put"+form+"_"+name] = once(func(c call) { provider.Put[T](c.b, c.a, c.m, c.me, c.peer, c.peers) })
	}
	list["copy_"+name] = once(func(c call) {
		provider.Copy[T](c.b+uintptr(c.n)*sizeOf[T](), c.b, c.m, c.peer, c.other, c.me, c.peers)
	})
	atomics(list, "atomic_add_"+name, provider.AtomicAdd[T])
	atomics(list, "atomic_sub_"+name, provider.AtomicSub[T])
	atomics(list, "atomic_min_"+name, provider.AtomicMin[T])
	atomics(list, "atomic_max_"+name, provider.AtomicMax[T])
	atomics(list, "atomic_xchg_"+name, provider.AtomicXchg[T])
	list["atomic_add_one_"+name] = each(func(c call, _ int) { provider.AtomicAdd(c.b, 0, own[T](c)[0], c.me, c.peer, c.peers) })
	list["atomic_cas_"+name] = each(func(c call, i int) {
		x := own[T](c)
		x[i] = provider.AtomicCAS(c.b, i, x[i], x[c.n+i], c.me, c.peer, c.peers)
	})
}

// once is a kernel whose first block does all.
func once(f func(c call)) gpu.HostKernel {
	return func(b gpu.Block) {
		if b.Index == [3]int{} {
			f(argsOf(b))
		}
	}
}

func atomics[T provider.Element](list map[string]gpu.HostKernel, name string, f func(p uintptr, i int, v T, me, to int, peers []int64) T) {
	list[name] = each(func(c call, i int) {
		x := own[T](c)
		x[i] = f(c.b, i, x[i], c.me, c.peer, c.peers)
	})
}

// compiled runs ops as the platform of the device compiles it: on a GPU from the C++, on
// platform host from the Go functions.
func compiled(d *gpu.Device, me int) (launch, func() error, error) {
	m, err := d.Compile(gpu.Program{Name: "ops.cu", Device: ops, Headers: provider.Headers(), Host: hostKernels()})
	if err != nil {
		return nil, nil, err
	}
	s, err := d.NewStream() // kernels of one rank wait for those of another
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	run := func(name string, a, b arg, peers gpu.KernelArg, peer, other, n, most int) error {
		f, err := m.Function(name)
		if err != nil {
			return err
		}
		if err := f.Launch(s, gpu.Grid(n, 64), a, b, peers, int32(me), int32(peer), int32(other), int64(n), int64(most)); err != nil {
			return err
		}
		return s.Synchronize(context.Background())
	}
	return run, func() error { return errors.Join(s.Close(), m.Close()) }, nil
}
