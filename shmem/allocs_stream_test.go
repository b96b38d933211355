//go:build !race

package shmem_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// TestAllocationsOnStreams: where arrays are on a device, work on streams allocates nothing.
// On the host each operation is a Go function, which does.
func TestAllocationsOnStreams(t *testing.T) {
	o := badOptions()
	o.Engine = "ipc"
	err := shmem.RunLocal(t.Context(), 1, o, func(ctx context.Context, w *shmem.World) error { // in a job too each PE is alone
		a, b, sig := twoArrays(t, w)
		x := must1(gpu.Alloc[int64](w.Device(), 8))(t)
		s := must1(w.Device().NewStream())(t)
		hold := must1(shmem.AllocSignal(ctx, w))(t)
		for _, held := range []*gpu.Stream{s, nil} { // have the queue grow as long as it gets below
			must(t, hold.WaitUntilOnStream(held, shmem.GE, 1))
			for range 1100 {
				must(t, sig.SetOnStream(held, 1, 0))
			}
		}
		must(t, hold.Set(1, 0))
		for name, call := range map[string]func() error{
			"put":         func() error { return a.PutOnStream(s, b, 0) },
			"get":         func() error { return a.GetOnStream(s, b, 0) },
			"put signal":  func() error { return a.PutSignalOnStream(s, b, 0, sig, shmem.SignalAdd, 1) },
			"put device":  func() error { return a.PutDeviceOnStream(s, x, 0) },
			"get device":  func() error { return a.GetDeviceOnStream(s, x, 0) },
			"set":         func() error { return sig.SetOnStream(s, 1, 0) },
			"add":         func() error { return sig.AddOnStream(s, 1, 0) },
			"wait":        func() error { return sig.WaitUntilOnStream(s, shmem.NE, 1<<40) },
			"quiet":       func() error { return w.QuietOnStream(s) },
			"barrier":     func() error { return w.BarrierOnStream(s) },
			"sync":        func() error { return w.SyncOnStream(nil) },
			"broadcast":   func() error { return shmem.BroadcastOnStream(s, w.Team(), a, b, 0) },
			"fcollect":    func() error { return shmem.FCollectOnStream(s, w.Team(), a, b) },
			"alltoall":    func() error { return shmem.AllToAllOnStream(s, w.Team(), a, b) },
			"allreduce":   func() error { return shmem.AllReduceOnStream(s, w.Team(), a, b, shmem.Sum) },
			"default put": func() error { return a.PutOnStream(nil, b, 0) },
			"reduce":      func() error { return shmem.ReduceOnStream(s, w.Team(), a, b, shmem.Max, 0) },
			"redscatter":  func() error { return shmem.ReduceScatterOnStream(s, w.Team(), a, b, shmem.Xor) },
		} {
			for range 40 { // a queue keeps what its places need for arguments: use them all
				for range allocRuns {
					must(t, call())
				}
				must(t, s.Synchronize(ctx))
				must(t, w.DefaultStream().Synchronize(ctx))
			}
			expectNone(t, name+" on a stream", call)
		}
		must(t, s.Synchronize(ctx))
		must(t, w.DefaultStream().Synchronize(ctx))
		must(t, s.Close())
		must(t, x.Close())
		must(t, hold.Free(ctx))
		freeAll(t, a, b, sig)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
