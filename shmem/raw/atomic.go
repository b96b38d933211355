package raw

import "github.com/goshmem/goshmem/shmem"

// returning does an atomic operation that returns the old value on the object at
// dest.
func returning[T any](w *shmem.World, dest uintptr, do func(a shmem.Array[T]) (T, error)) (old T, err error) {
	a, err := shmem.ObjectAt[T](w, dest, 1)
	if err != nil {
		return old, err
	}
	return do(a)
}

// changing is returning without the old value.
func changing[T any](w *shmem.World, dest uintptr, do func(a shmem.Array[T]) error) error {
	a, err := shmem.ObjectAt[T](w, dest, 1)
	if err != nil {
		return err
	}
	return do(a)
}

func fetch[T shmem.AtomicNumber](w *shmem.World, source uintptr, pe int) (T, error) {
	return returning(w, source, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetch(a, 0, pe) })
}

func set[T shmem.AtomicNumber](w *shmem.World, dest uintptr, v T, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicSet(a, 0, v, pe) })
}

func swap[T shmem.AtomicNumber](w *shmem.World, dest uintptr, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicSwap(a, 0, v, pe) })
}

func compareSwap[T shmem.AtomicInteger](w *shmem.World, dest uintptr, cond, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicCompareSwap(a, 0, cond, v, pe) })
}

func fetchInc[T shmem.AtomicInteger](w *shmem.World, dest uintptr, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetchInc(a, 0, pe) })
}

func inc[T shmem.AtomicInteger](w *shmem.World, dest uintptr, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicInc(a, 0, pe) })
}

func fetchAdd[T shmem.AtomicNumber](w *shmem.World, dest uintptr, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetchAdd(a, 0, v, pe) })
}

func add[T shmem.AtomicNumber](w *shmem.World, dest uintptr, v T, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicAdd(a, 0, v, pe) })
}

func fetchAnd[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetchAnd(a, 0, v, pe) })
}

func fetchOr[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetchOr(a, 0, v, pe) })
}

func fetchXor[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) (T, error) {
	return returning(w, dest, func(a shmem.Array[T]) (T, error) { return shmem.AtomicFetchXor(a, 0, v, pe) })
}

func and[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicAnd(a, 0, v, pe) })
}

func or[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicOr(a, 0, v, pe) })
}

func xor[T shmem.AtomicBits](w *shmem.World, dest uintptr, v T, pe int) error {
	return changing(w, dest, func(a shmem.Array[T]) error { return shmem.AtomicXor(a, 0, v, pe) })
}
