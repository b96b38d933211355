package raw

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

func signalAt(w *shmem.World, addr uintptr) (shmem.Signal, error) {
	a, err := shmem.ObjectAt[uint64](w, addr, 1)
	if err != nil {
		return shmem.Signal{}, err
	}
	return shmem.SignalAt(a, 0)
}

func putSignal(w *shmem.World, dest, source uintptr, n int, sigAddr uintptr, signal uint64, op shmem.SignalOp, pe int) error {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return err
	}
	a, s, err := both[byte](w, dest, source, n)
	if err != nil {
		return err
	}
	return a.PutSliceSignal(s, pe, sig, op, signal)
}

func signalFetch(w *shmem.World, sigAddr uintptr) (uint64, error) {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return 0, err
	}
	return sig.Fetch()
}

func signalWaitUntil(ctx context.Context, w *shmem.World, sigAddr uintptr, cmp shmem.Cmp, v uint64) (uint64, error) {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return 0, err
	}
	return sig.WaitUntil(ctx, cmp, v)
}
