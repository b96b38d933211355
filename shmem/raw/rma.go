package raw

import "github.com/goshmem/goshmem/shmem"

func put[T any](w *shmem.World, dest, source uintptr, n, pe int) error {
	a, s, err := both[T](w, dest, source, n)
	if err != nil {
		return err
	}
	return a.PutSlice(s, pe)
}

func putNBI[T any](w *shmem.World, dest, source uintptr, n, pe int) error {
	a, s, err := both[T](w, dest, source, n)
	if err != nil {
		return err
	}
	return a.PutSliceNBI(s, pe)
}

func get[T any](w *shmem.World, dest, source uintptr, n, pe int) error {
	a, s, err := both[T](w, source, dest, n)
	if err != nil {
		return err
	}
	return a.GetSlice(s, pe)
}

func getNBI[T any](w *shmem.World, dest, source uintptr, n, pe int) error {
	a, s, err := both[T](w, source, dest, n)
	if err != nil {
		return err
	}
	return a.GetSliceNBI(s, pe)
}

func p[T any](w *shmem.World, dest uintptr, v T, pe int) error {
	a, err := shmem.ObjectAt[T](w, dest, 1)
	if err != nil {
		return err
	}
	return a.P(0, v, pe)
}

func g[T any](w *shmem.World, source uintptr, pe int) (v T, err error) {
	a, err := shmem.ObjectAt[T](w, source, 1)
	if err != nil {
		return v, err
	}
	return a.G(0, pe)
}
