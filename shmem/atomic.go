package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// The element types of atomic operations, after the matrix of rocSHMEM and
// OpenSHMEM. C's int is Go's int32, long, long long and ptrdiff_t are int64 or
// int, unsigned int is uint32, unsigned long and unsigned long long are uint64 or
// uint, size_t is uint64 or uintptr. A type that an operation does not have does
// not compile.
type (
	// AtomicInteger has every operation but the bitwise ones.
	AtomicInteger interface {
		int | int32 | int64 | uint | uint32 | uint64 | uintptr
	}
	// AtomicBits has the bitwise operations as well.
	AtomicBits interface {
		int32 | int64 | uint | uint32 | uint64
	}
	// AtomicNumber has fetch, set and swap; adding floating-point numbers is an
	// extension of ours.
	AtomicNumber interface {
		AtomicInteger | float32 | float64
	}
)

// AtomicFetch returns element i of pe's copy of a. Not collective. OpenSHMEM:
// shmem_atomic_fetch.
func AtomicFetch[T AtomicNumber](a Array[T], i, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		return mem.Load[T](p), nil
	}
	return farAtomic(a, i, pe, "atomic fetch", engine.AMOFetch, 0, 0)
}

// AtomicSet writes v to element i of pe's copy of a. Not collective. OpenSHMEM:
// shmem_atomic_set.
func AtomicSet[T AtomicNumber](a Array[T], i int, v T, pe int) error {
	if p := a.word(i, pe); p != nil {
		swap(p, v)
		return nil
	}
	_, err := farAtomic(a, i, pe, "atomic set", engine.AMOSet, v, 0)
	return err
}

// AtomicSwap writes v to element i of pe's copy of a and returns the old value. Not
// collective. OpenSHMEM: shmem_atomic_swap.
func AtomicSwap[T AtomicNumber](a Array[T], i int, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		return swap(p, v), nil
	}
	return farAtomic(a, i, pe, "atomic swap", engine.AMOSwap, v, 0)
}

// AtomicCompareSwap writes v to element i of pe's copy of a if cond is there, and
// returns the old value. Not collective. OpenSHMEM: shmem_atomic_compare_swap.
func AtomicCompareSwap[T AtomicInteger](a Array[T], i int, cond, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		if unsafe.Sizeof(v) == 8 {
			return T(mem.CompareSwap64(p, uint64(cond), uint64(v))), nil
		}
		return T(mem.CompareSwap32(p, uint32(cond), uint32(v))), nil
	}
	return farAtomic(a, i, pe, "atomic compare swap", engine.AMOCompareSwap, v, cond)
}

// AtomicFetchAdd adds v to element i of pe's copy of a and returns the old value. Not
// collective. OpenSHMEM: shmem_atomic_fetch_add.
func AtomicFetchAdd[T AtomicNumber](a Array[T], i int, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		return add(p, v), nil
	}
	return farAtomic(a, i, pe, "atomic fetch add", engine.AMOAdd, v, 0)
}

// AtomicAdd adds v to element i of pe's copy of a. Not collective. OpenSHMEM:
// shmem_atomic_add.
func AtomicAdd[T AtomicNumber](a Array[T], i int, v T, pe int) error {
	if p := a.word(i, pe); p != nil {
		add(p, v)
		return nil
	}
	_, err := farAtomic(a, i, pe, "atomic add", engine.AMOAdd, v, 0)
	return err
}

// AtomicFetchInc adds 1 to element i of pe's copy of a and returns the old value. Not
// collective. OpenSHMEM: shmem_atomic_fetch_inc.
func AtomicFetchInc[T AtomicInteger](a Array[T], i, pe int) (T, error) {
	old, err := AtomicFetchAdd(a, i, 1, pe)
	return old, rename(err, "atomic fetch inc")
}

// AtomicInc adds 1 to element i of pe's copy of a. Not collective. OpenSHMEM:
// shmem_atomic_inc.
func AtomicInc[T AtomicInteger](a Array[T], i, pe int) error {
	return rename(AtomicAdd(a, i, 1, pe), "atomic inc")
}

// AtomicFetchAnd replaces element i of pe's copy of a by its bitwise and with v and
// returns the old value. Not collective. OpenSHMEM: shmem_atomic_fetch_and.
func AtomicFetchAnd[T AtomicBits](a Array[T], i int, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		if unsafe.Sizeof(v) == 8 {
			return T(mem.And64(p, uint64(v))), nil
		}
		return T(mem.And32(p, uint32(v))), nil
	}
	return farAtomic(a, i, pe, "atomic fetch and", engine.AMOAnd, v, 0)
}

// AtomicFetchOr replaces element i of pe's copy of a by its bitwise or with v and
// returns the old value. Not collective. OpenSHMEM: shmem_atomic_fetch_or.
func AtomicFetchOr[T AtomicBits](a Array[T], i int, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		if unsafe.Sizeof(v) == 8 {
			return T(mem.Or64(p, uint64(v))), nil
		}
		return T(mem.Or32(p, uint32(v))), nil
	}
	return farAtomic(a, i, pe, "atomic fetch or", engine.AMOOr, v, 0)
}

// AtomicFetchXor replaces element i of pe's copy of a by its exclusive or with v and
// returns the old value. Not collective. OpenSHMEM: shmem_atomic_fetch_xor.
func AtomicFetchXor[T AtomicBits](a Array[T], i int, v T, pe int) (T, error) {
	if p := a.word(i, pe); p != nil {
		if unsafe.Sizeof(v) == 8 {
			return T(mem.Xor64(p, uint64(v))), nil
		}
		return T(mem.Xor32(p, uint32(v))), nil
	}
	return farAtomic(a, i, pe, "atomic fetch xor", engine.AMOXor, v, 0)
}

// AtomicAnd is AtomicFetchAnd without the old value. Not collective. OpenSHMEM:
// shmem_atomic_and.
func AtomicAnd[T AtomicBits](a Array[T], i int, v T, pe int) error {
	_, err := AtomicFetchAnd(a, i, v, pe)
	return rename(err, "atomic and")
}

// AtomicOr is AtomicFetchOr without the old value. Not collective. OpenSHMEM:
// shmem_atomic_or.
func AtomicOr[T AtomicBits](a Array[T], i int, v T, pe int) error {
	_, err := AtomicFetchOr(a, i, v, pe)
	return rename(err, "atomic or")
}

// AtomicXor is AtomicFetchXor without the old value. Not collective. OpenSHMEM:
// shmem_atomic_xor.
func AtomicXor[T AtomicBits](a Array[T], i int, v T, pe int) error {
	_, err := AtomicFetchXor(a, i, v, pe)
	return rename(err, "atomic xor")
}

// swap and add work on raw words, since generic code cannot name the atomic type.
// The tests on T cost nothing: they are decided when T is compiled.

func swap[T AtomicNumber](p unsafe.Pointer, v T) T {
	if unsafe.Sizeof(v) == 8 {
		old := mem.Swap64(p, *(*uint64)(unsafe.Pointer(&v)))
		return *(*T)(unsafe.Pointer(&old))
	}
	old := mem.Swap32(p, *(*uint32)(unsafe.Pointer(&v)))
	return *(*T)(unsafe.Pointer(&old))
}

func add[T AtomicNumber](p unsafe.Pointer, v T) T {
	switch {
	case isFloat[T]() && unsafe.Sizeof(v) == 8:
		old := mem.AddFloat64(p, float64(v))
		return *(*T)(unsafe.Pointer(&old))
	case isFloat[T]():
		old := mem.AddFloat32(p, float32(v))
		return *(*T)(unsafe.Pointer(&old))
	case unsafe.Sizeof(v) == 8:
		return T(mem.Add64(p, uint64(v)))
	}
	return T(mem.Add32(p, uint32(v)))
}

// isFloat says whether T keeps fractions.
func isFloat[T AtomicNumber]() bool {
	half := T(1)
	half /= 2
	return half != 0
}

// farAtomic is what the fast paths leave: errors, and PEs that only the engine reaches.
func farAtomic[T AtomicNumber](a Array[T], i, pe int, op string, kind engine.AMOKind, v, cond T) (old T, err error) {
	if err := a.reach(i, pe); err != nil {
		return old, fail(a.World(), op, pe, err)
	}
	amo := engine.AMO{Kind: kind, Blind: op == "atomic set" || op == "atomic add", Width: uint8(unsafe.Sizeof(v)), Float: isFloat[T](), Value: bitsOf(v), Cond: bitsOf(cond)}
	was, err := a.b.lane.moves.Atomic(a.b.lane.world(pe), a.offset(i), amo)
	return *(*T)(unsafe.Pointer(&was)), fail(a.b.w, op, pe, err)
}

// bitsOf returns the bits of v in the low end of a word.
func bitsOf[T AtomicNumber](v T) uint64 {
	if unsafe.Sizeof(v) == 8 {
		return *(*uint64)(unsafe.Pointer(&v))
	}
	return uint64(*(*uint32)(unsafe.Pointer(&v)))
}
