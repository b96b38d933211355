package raw

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/shmem"
)

// address is where this PE's copy of a new allocation begins.
func address(a shmem.Array[byte], err error) (uintptr, error) {
	if err != nil {
		return 0, err
	}
	return a.Address(a.World().MyPE())
}

func calloc(ctx context.Context, w *shmem.World, count, size int) (uintptr, error) {
	n := 0 // Alloc refuses it so that all PEs hear of it
	if count > 0 && size > 0 {
		n = product(count, size)
	}
	return address(shmem.Alloc[byte](ctx, w, n))
}

// peerAddress is where pe's copy of the object at dest can be loaded and stored, 0
// if it cannot.
func peerAddress(w *shmem.World, dest uintptr, pe int) (uintptr, error) {
	a, err := shmem.ObjectAt[byte](w, dest, 1)
	if err != nil {
		return 0, err
	}
	return addressOn(a, pe)
}

func addressOn(a shmem.Array[byte], pe int) (uintptr, error) {
	at, err := a.Address(pe)
	if errors.Is(err, shmem.ErrNoPeerAccess) {
		return 0, nil
	}
	return at, err
}

// peerAddresses is peerAddress for every PE.
func peerAddresses(w *shmem.World, dest uintptr) ([]uintptr, error) {
	a, err := shmem.ObjectAt[byte](w, dest, 1)
	if err != nil {
		return nil, err
	}
	table := make([]uintptr, w.NPEs())
	for pe := range table {
		if table[pe], err = addressOn(a, pe); err != nil {
			return nil, err
		}
	}
	return table, nil
}
