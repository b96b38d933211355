package mem

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Add64 adds v to the word at p and returns what was there.
func Add64(p unsafe.Pointer, v uint64) uint64 { return atomic.AddUint64((*uint64)(p), v) - v }

// Add32 is Add64 for 4 bytes.
func Add32(p unsafe.Pointer, v uint32) uint32 { return atomic.AddUint32((*uint32)(p), v) - v }

// Swap64 stores v at p and returns what was there.
func Swap64(p unsafe.Pointer, v uint64) uint64 { return atomic.SwapUint64((*uint64)(p), v) }

// Swap32 is Swap64 for 4 bytes.
func Swap32(p unsafe.Pointer, v uint32) uint32 { return atomic.SwapUint32((*uint32)(p), v) }

// CompareSwap64 stores v at p if cond is there, and returns what was there. It
// looks before it locks: a failing exchange costs a load.
func CompareSwap64(p unsafe.Pointer, cond, v uint64) uint64 {
	for {
		if old := Load64(p); old != cond {
			return old
		}
		if atomic.CompareAndSwapUint64((*uint64)(p), cond, v) {
			return cond
		}
	}
}

// CompareSwap32 is CompareSwap64 for 4 bytes.
func CompareSwap32(p unsafe.Pointer, cond, v uint32) uint32 {
	for {
		if old := Load32(p); old != cond {
			return old
		}
		if atomic.CompareAndSwapUint32((*uint32)(p), cond, v) {
			return cond
		}
	}
}

// AddFloat64 adds v to the float64 at p and returns the bits that were there.
func AddFloat64(p unsafe.Pointer, v float64) uint64 {
	for {
		old := Load64(p)
		sum := math.Float64bits(math.Float64frombits(old) + v)
		if atomic.CompareAndSwapUint64((*uint64)(p), old, sum) {
			return old
		}
	}
}

// AddFloat32 adds v to the float32 at p and returns the bits that were there.
func AddFloat32(p unsafe.Pointer, v float32) uint32 {
	for {
		old := Load32(p)
		sum := math.Float32bits(math.Float32frombits(old) + v)
		if atomic.CompareAndSwapUint32((*uint32)(p), old, sum) {
			return old
		}
	}
}

// And64, Or64 and their 4-byte forms apply v to the word at p and return what was there.
func And64(p unsafe.Pointer, v uint64) uint64 { return atomic.AndUint64((*uint64)(p), v) }

// Or64 applies a bitwise or; see And64.
func Or64(p unsafe.Pointer, v uint64) uint64 { return atomic.OrUint64((*uint64)(p), v) }

// And32 applies a bitwise and; see And64.
func And32(p unsafe.Pointer, v uint32) uint32 { return atomic.AndUint32((*uint32)(p), v) }

// Or32 applies a bitwise or; see And64.
func Or32(p unsafe.Pointer, v uint32) uint32 { return atomic.OrUint32((*uint32)(p), v) }

// Xor64 applies a bitwise exclusive or, for which there is no machine
// instruction that also returns the old value.
func Xor64(p unsafe.Pointer, v uint64) uint64 {
	for {
		old := Load64(p)
		if atomic.CompareAndSwapUint64((*uint64)(p), old, old^v) {
			return old
		}
	}
}

// Xor32 is Xor64 for 4 bytes.
func Xor32(p unsafe.Pointer, v uint32) uint32 {
	for {
		old := Load32(p)
		if atomic.CompareAndSwapUint32((*uint32)(p), old, old^v) {
			return old
		}
	}
}
