package raw

import (
	"fmt"
	"reflect"

	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
)

// local is the local side of a transfer: n elements of a symmetric object, or of
// any other memory, about which nothing is known.
func local[T any](w *shmem.World, addr uintptr, n int) ([]T, error) {
	if shmem.IsSymmetric(w, addr) {
		if _, err := shmem.ObjectAt[T](w, addr, n); err != nil {
			return nil, err
		}
		return mem.At[T](addr, n), nil // on a device: an address for transfers, which Go must not follow
	}
	if t := reflect.TypeFor[T](); addr == 0 || addr%uintptr(t.Align()) != 0 {
		return nil, fmt.Errorf("raw: local address %#x: must be memory that is aligned to the %d bytes of %v: %w", addr, t.Align(), t, shmem.ErrArgument)
	}
	return mem.At[T](addr, n), nil
}

// both finds the two sides of a transfer of n elements.
func both[T any](w *shmem.World, remote, here uintptr, n int) (shmem.Array[T], []T, error) {
	a, err := shmem.ObjectAt[T](w, remote, n)
	if err != nil {
		return a, nil, err
	}
	s, err := local[T](w, here, n)
	return a, s, err
}
