package gpu

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/mem"
)

// HostKernel is a kernel in Go, for platform host. It is called once for each block of a
// grid, at the same time on all cores, and does the work of all threads of the block in a
// loop. A panic in it is a fault of its stream ([ErrFault]).
type HostKernel func(b Block)

// Block is what one call of a HostKernel has to do.
type Block struct {
	Index   [3]int // of this block in the grid: blockIdx
	Grid    [3]int // in blocks: gridDim
	Threads [3]int // of a block: blockDim
	work    host.Block
	drv     device.Driver
}

// goModules is a driver whose kernels are Go functions.
type goModules interface {
	AddModule(dev int, kernels map[string]host.Kernel) (device.Handle, error)
}

// wrap makes kernels what the driver calls.
func wrap(drv device.Driver, kernels map[string]HostKernel) map[string]host.Kernel {
	list := make(map[string]host.Kernel, len(kernels))
	for name, k := range kernels {
		wrapped := host.Kernel{}
		if k != nil {
			wrapped.Run = func(b host.Block) { k(Block{ints(b.Index), ints(b.Grid), ints(b.Threads), b, drv}) }
		}
		list[name] = wrapped
	}
	return list
}

func ints(v [3]uint32) [3]int { return [3]int{int(v[0]), int(v[1]), int(v[2])} }

// Each gives the number of each thread of the block in the grid, along x, as long as it
// is below n: blockIdx.x*blockDim.x + threadIdx.x, and the usual comparison with n.
func (b Block) Each(n int) iter.Seq[int] {
	first := b.Index[0] * b.Threads[0]
	return func(yield func(int) bool) {
		for i := first; i < min(first+b.Threads[0], n); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Each3 gives the place in the grid of each thread of the block, as x, y, z.
func (b Block) Each3() iter.Seq[[3]int] {
	return func(yield func([3]int) bool) {
		t := b.Threads
		at := [3]int{b.Index[0] * t[0], b.Index[1] * t[1], b.Index[2] * t[2]}
		for i := range t[0] * t[1] * t[2] {
			if !yield([3]int{at[0] + i%t[0], at[1] + i/t[0]%t[1], at[2] + i/(t[0]*t[1])}) {
				return
			}
		}
	}
}

// perWord is how many kinds are in a word. Behind the arguments of a kernel in Go are words
// with their kinds: the driver does not know its parameters.
const perWord = 8

// kindWords are the kinds of n arguments.
func (l *launch) kindWords(n int) []uint64 {
	words := l.own[:(n+perWord-1)/perWord]
	clear(words)
	for i, kind := range l.kinds[:n] {
		words[i/perWord] |= uint64(kind) << (i % perWord * 8)
	}
	return words
}

// given is how many arguments there are before the words with their kinds.
func (b Block) given() int {
	all := len(b.work.Args)
	return all - (all+perWord)/(perWord+1)
}

// kind is that of argument i.
func (b Block) kind(i int) reflect.Kind {
	return reflect.Kind(b.work.Args[b.given()+i/perWord] >> (i % perWord * 8) & 0xff)
}

// Arg returns argument i of the launch, a number of exactly this type, or the address
// that memory has as a uintptr. To ask for another type, or for an argument that the launch
// did not give, is a fault of the stream.
func Arg[T any](b Block, i int) T {
	var v T
	if n := b.given(); i < 0 || i >= n || unsafe.Sizeof(v) > 8 {
		panic(fmt.Sprintf("argument %d as %T: the launch gave %d, each of at most 8 bytes", i, v, n))
	}
	switch is := b.kind(i); {
	case is == reflect.TypeFor[T]().Kind():
	case is == reflect.Uintptr:
		panic(fmt.Sprintf("argument %d as %T: the launch gave memory or an address, which is a uintptr", i, v))
	default:
		panic(fmt.Sprintf("argument %d as %T: the launch gave a number of type %v", i, v, is))
	}
	return host.Arg[T](b.work, i)
}

// ArgSlice returns argument i of the launch, which is memory, as the first n elements
// there.
func ArgSlice[T any](b Block, i, n int) []T { return PeerSlice[T](b, Arg[uintptr](b, i), n) }

// PeerSlice returns the n elements at an address that a kernel has found in memory, as
// in a table of addresses.
func PeerSlice[T any](b Block, address uintptr, n int) []T {
	var v T
	bytes := uintptr(max(n, 0)) * unsafe.Sizeof(v)
	a, err := b.drv.Attributes(device.Ptr(address))
	if err != nil || address == 0 || a.Known && address+bytes > uintptr(a.Base)+a.Size {
		panic(fmt.Sprintf("%d elements of %T at %#x: the memory ends before", n, v, address))
	}
	return mem.At[T](address, max(n, 0))
}
