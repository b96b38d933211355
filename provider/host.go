package provider

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/mem"
)

// The same operations for kernels in Go (gpu.HostKernel), by the names of goshmem.h. A
// pointer is a uintptr, as gpu.Arg gives it; peers is the table, as [Peers] gives it. Ranks
// and addresses are not checked, as in a kernel on a GPU: a zero entry is a fault of the
// stream.

// Element is what can be loaded, stored and combined.
type Element interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | dtype.Float16 | dtype.BFloat16
}

// Integer is what the bitwise operations take.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Peers is argument i of a launch, a table of n ranks.
func Peers(b gpu.Block, i, n int) []int64 { return gpu.ArgSlice[int64](b, i, n) }

// Translate returns rank to's pointer for rank from's.
func Translate(p uintptr, from, to int, peers []int64) uintptr {
	if peers[to] == 0 || peers[from] == 0 {
		panic("a rank that kernels cannot reach")
	}
	return p + uintptr(peers[to]-peers[from])
}

// pointer is where an address is. The memory is not Go's, or is held elsewhere.
func pointer(p uintptr) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(mem.At[byte](p, 1))) }

// Load returns element i from p of rank from; p is a pointer of rank me.
func Load[T Element](p uintptr, i, me, from int, peers []int64) T {
	return mem.Load[T](pointer(element[T](Translate(p, me, from, peers), i)))
}

// Store makes element i from p of rank to v; p is a pointer of rank me.
func Store[T Element](p uintptr, i int, v T, me, to int, peers []int64) {
	mem.Store(pointer(element[T](Translate(p, me, to, peers), i)), v)
}

// Get copies n elements of rank from at src to this rank's at dst.
func Get[T Element](dst, src uintptr, n, me, from int, peers []int64) {
	span(dst, Translate(src, me, from, peers), uintptr(n)*unsafe.Sizeof(*new(T)))
}

// Put copies n elements of this rank at src to rank to's at dst.
func Put[T Element](dst, src uintptr, n, me, to int, peers []int64) {
	span(Translate(dst, me, to, peers), src, uintptr(n)*unsafe.Sizeof(*new(T)))
}

// Copy copies n elements of rank from at src to rank to's at dst; both are pointers of rank
// me.
func Copy[T Element](dst, src uintptr, n, from, to, me int, peers []int64) {
	span(Translate(dst, me, to, peers), Translate(src, me, from, peers), uintptr(n)*unsafe.Sizeof(*new(T)))
}

func span(dst, src, n uintptr) {
	if n > 0 {
		mem.Put(pointer(dst), pointer(src), n)
	}
}

func element[T any](p uintptr, i int) uintptr { return p + uintptr(i)*unsafe.Sizeof(*new(T)) }

// WaitUntil returns true when the word at p of this rank is at least v, false after so many
// looks. What was stored before the signal can be loaded afterwards. Longer waits leave the
// core to others.
func WaitUntil(p uintptr, v uint64, looks int) bool {
	for look := range looks {
		if mem.Load64(pointer(p)) >= v {
			return true
		}
		switch {
		case look < eager:
			mem.Pause()
		case look < patient:
			runtime.Gosched()
		default:
			time.Sleep(nap)
		}
	}
	return false
}

// A wait looks often, then gives other goroutines a turn, then other processes.
const (
	eager   = 200
	patient = 2000
	nap     = 20 * time.Microsecond
)
