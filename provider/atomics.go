package provider

import (
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/mem"
)

// AtomicAdd adds v to element i from p of rank to, and returns what was there; p is a pointer
// of rank me. All atomics here order everything, for everybody.
func AtomicAdd[T Element](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return combine(opAdd, old, v) })
}

// AtomicSub subtracts; otherwise as AtomicAdd.
func AtomicSub[T Element](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return combine(opSub, old, v) })
}

// AtomicMin keeps the smaller; otherwise as AtomicAdd.
func AtomicMin[T Element](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return combine(opMin, old, v) })
}

// AtomicMax keeps the larger; otherwise as AtomicAdd.
func AtomicMax[T Element](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return combine(opMax, old, v) })
}

// AtomicXchg stores v; otherwise as AtomicAdd.
func AtomicXchg[T Element](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(T) T { return v })
}

// AtomicCAS stores v where expected is, compared by its bits; otherwise as AtomicAdd.
func AtomicCAS[T Element](p uintptr, i int, expected, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T {
		if bitsOf(old) == bitsOf(expected) {
			return v
		}
		return old
	})
}

// AtomicAnd is the bitwise and; otherwise as AtomicAdd.
func AtomicAnd[T Integer](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return old & v })
}

// AtomicOr is the bitwise or; otherwise as AtomicAdd.
func AtomicOr[T Integer](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return old | v })
}

// AtomicXor is the bitwise exclusive or; otherwise as AtomicAdd.
func AtomicXor[T Integer](p uintptr, i int, v T, me, to int, peers []int64) T {
	return update(p, i, me, to, peers, func(old T) T { return old ^ v })
}

// update exchanges the word that an element is in until nobody came between.
func update[T Element](p uintptr, i, me, to int, peers []int64, f func(old T) T) T {
	at := element[T](Translate(p, me, to, peers), i)
	size := unsafe.Sizeof(*new(T))
	if size == 8 {
		return update64(pointer(at), f)
	}
	shift := at % 4 * 8 // of an element that is a part of its word
	mask := uint32(1<<(8*size) - 1)
	word := pointer(at - at%4)
	for old := mem.Load32(word); ; {
		was := ofBits[T](uint64(old >> shift & mask))
		seen := mem.CompareSwap32(word, old, old&^(mask<<shift)|uint32(bitsOf(f(was)))<<shift)
		if seen == old {
			return was
		}
		old = seen
	}
}

func update64[T Element](word unsafe.Pointer, f func(old T) T) T {
	for old := mem.Load64(word); ; {
		was := ofBits[T](old)
		seen := mem.CompareSwap64(word, old, bitsOf(f(was)))
		if seen == old {
			return was
		}
		old = seen
	}
}

// bitsOf are the bits of an element in the low end of a word, and ofBits the element.
func bitsOf[T Element](v T) (w uint64) {
	*(*T)(unsafe.Pointer(&w)) = v // all machines that this runs on have the low end first
	return w
}

func ofBits[T Element](w uint64) T { return *(*T)(unsafe.Pointer(&w)) }

// arithmetic is what combine does.
type arithmetic uint8

const (
	opAdd arithmetic = iota
	opSub
	opMin
	opMax
)

// combine knows how numbers of each type are combined; those of 16 bits are in float32, and
// rounded once.
func combine[T Element](op arithmetic, a, b T) T {
	switch x := any(a).(type) {
	case dtype.Float16:
		return any(dtype.F16(number(op, x.Float32(), any(b).(dtype.Float16).Float32()))).(T)
	case dtype.BFloat16:
		return any(dtype.BF16(number(op, x.Float32(), any(b).(dtype.BFloat16).Float32()))).(T)
	case float32:
		return any(number(op, x, any(b).(float32))).(T)
	case float64:
		return any(number(op, x, any(b).(float64))).(T)
	}
	return whole(op, a, b)
}

// whole is combine for whole numbers.
func whole[T Element](op arithmetic, a, b T) T {
	switch x := any(a).(type) {
	case int8:
		return any(number(op, x, any(b).(int8))).(T)
	case int16:
		return any(number(op, x, any(b).(int16))).(T)
	case int32:
		return any(number(op, x, any(b).(int32))).(T)
	case int64:
		return any(number(op, x, any(b).(int64))).(T)
	case uint8:
		return any(number(op, x, any(b).(uint8))).(T)
	case uint16:
		return any(number(op, x, any(b).(uint16))).(T)
	case uint32:
		return any(number(op, x, any(b).(uint32))).(T)
	case uint64:
		return any(number(op, x, any(b).(uint64))).(T)
	}
	return a
}

func number[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](op arithmetic, a, b T) T {
	switch op {
	case opAdd:
		return a + b
	case opSub:
		return a - b
	case opMin:
		if b < a {
			return b
		}
		return a
	}
	if b > a {
		return b
	}
	return a
}
