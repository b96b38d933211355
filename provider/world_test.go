package provider_test

import (
	"sync/atomic"
	"testing"

	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

func newProvider(t testing.TB, w *shmem.World) *provider.World {
	t.Helper()
	p, err := provider.New(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestOps runs all operations as the device's platform compiles them: as a rank of a job
// once, since the job has the size that it has.
func TestOps(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		var size atomic.Int64
		shmemtest.Run(t, n, func(t testing.TB, w *shmem.World) {
			size.Store(int64(w.NPEs()))
			p := newProvider(t, w)
			run, end, err := compiled(p.Device(), w.MyPE())
			if err != nil {
				t.Fatal(err)
			}
			world{t, w, p, run}.everything()
			if err := end(); err != nil {
				t.Error(err)
			}
		})
		if size.Load() != int64(n) {
			return
		}
	}
}
