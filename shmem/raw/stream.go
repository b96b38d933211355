package raw

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// streamOf is the stream of a handle, as a vendor's library or package gpu knows it.
func streamOf(w *shmem.World, handle uintptr) *gpu.Stream {
	if w == nil || handle == 0 {
		return nil
	}
	if d := w.Device(); d != nil {
		return d.StreamFromHandle(handle)
	}
	return nil // the operation says why there is no device
}

// deviceSide is the local side of a transfer that is no symmetric object.
func deviceSide(w *shmem.World, addr uintptr, n int) (gpu.Slice[byte], error) {
	return gpu.Foreign[byte](w.Device(), addr, n, gpu.DeviceMemory)
}

func putOn(w *shmem.World, dest, source uintptr, n, pe int, stream uintptr) error {
	a, err := shmem.ObjectAt[byte](w, dest, n)
	if err != nil {
		return err
	}
	if shmem.IsSymmetric(w, source) || n == 0 {
		src, err := shmem.ObjectAt[byte](w, source, n)
		if err != nil {
			return err
		}
		return a.PutOnStream(streamOf(w, stream), src, pe)
	}
	src, err := deviceSide(w, source, n)
	if err != nil {
		return err
	}
	return a.PutDeviceOnStream(streamOf(w, stream), src, pe)
}

func getOn(w *shmem.World, dest, source uintptr, n, pe int, stream uintptr) error {
	a, err := shmem.ObjectAt[byte](w, source, n)
	if err != nil {
		return err
	}
	if shmem.IsSymmetric(w, dest) || n == 0 {
		dst, err := shmem.ObjectAt[byte](w, dest, n)
		if err != nil {
			return err
		}
		return dst.GetOnStream(streamOf(w, stream), a, pe)
	}
	dst, err := deviceSide(w, dest, n)
	if err != nil {
		return err
	}
	return a.GetDeviceOnStream(streamOf(w, stream), dst, pe)
}

func putSignalOn(w *shmem.World, dest, source uintptr, n int, sigAddr uintptr, signal uint64, op shmem.SignalOp, pe int, stream uintptr) error {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return err
	}
	a, err := shmem.ObjectAt[byte](w, dest, n)
	if err != nil {
		return err
	}
	src, err := shmem.ObjectAt[byte](w, source, n)
	if err != nil {
		return err
	}
	return a.PutSignalOnStream(streamOf(w, stream), src, pe, sig, op, signal)
}

func signalOn(w *shmem.World, sigAddr uintptr, do func(s shmem.Signal, stream *gpu.Stream, v uint64, pe int) error, v uint64, pe int, stream uintptr) error {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return err
	}
	return do(sig, streamOf(w, stream), v, pe)
}

func signalWaitUntilOn(w *shmem.World, sigAddr uintptr, cmp shmem.Cmp, v uint64, stream uintptr) error {
	sig, err := signalAt(w, sigAddr)
	if err != nil {
		return err
	}
	return sig.WaitUntilOnStream(streamOf(w, stream), cmp, v)
}

func allToAllOn(team *shmem.Team, dest, source uintptr, size int, stream uintptr) error {
	n := product(size, max(team.NPEs(), 1))
	return shmem.AllToAllOnStream(streamOf(team.World(), stream), team, object[byte](team, dest, n), object[byte](team, source, n))
}

func broadcastOn(team *shmem.Team, dest, source uintptr, n, root int, stream uintptr) error {
	return shmem.BroadcastOnStream(streamOf(team.World(), stream), team, object[byte](team, dest, n), object[byte](team, source, n), root)
}

func allReduceOn[T shmem.Numeric](team *shmem.Team, dest, source uintptr, n int, op shmem.Reduction[T], stream uintptr) error {
	return shmem.AllReduceOnStream(streamOf(team.World(), stream), team, object[T](team, dest, n), object[T](team, source, n), op)
}
