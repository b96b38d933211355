package gpu_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// goroutines has 64 of them do everything at once on two devices.
func goroutines(t *testing.T, d *gpu.Device) {
	devices := []*gpu.Device{d, other(t, d)}
	kernel := map[*gpu.Device]*gpu.Function{}
	counter := map[*gpu.Device]gpu.Slice[uint64]{}
	for _, d := range devices {
		kernel[d], counter[d] = function(t, compile(t, d), "count"), alloc[uint64](t, d, 1)
		must(t, counter[d].Fill(0))
	}
	const workers, rounds, n = 64, 10, 300
	faults := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for round := range rounds {
				on := devices[(i+round)%2] // the device changes under the threads
				faults[i] = errors.Join(faults[i], work(t, on, kernel[on], counter[on], n, int32(i*rounds+round)))
			}
		})
	}
	wg.Wait()
	must(t, errors.Join(faults...))
	total := uint64(0)
	for _, d := range devices {
		total += get(counter[d].At(0))(t)
		if d == other(t, d) {
			break
		}
	}
	if total != workers*rounds*n {
		t.Errorf("%d threads counted, want %d", total, workers*rounds*n)
	}
}

// work uses memory, streams, events and a kernel of its own, and checks them.
func work(t *testing.T, d *gpu.Device, f *gpu.Function, counter gpu.Slice[uint64], n int, v int32) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	x, err := gpu.Alloc[int32](d, n)
	if err != nil {
		return err
	}
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	got := make([]int32, n)
	err = errors.Join(x.FillAsync(v, s), f.Launch(s, gpu.Grid(n, 64), counter, int32(n)), e.Record(s), e.Synchronize(t.Context()), x.CopyTo(got, s))
	for i := range got {
		if got[i] != v {
			err = errors.Join(err, fmt.Errorf("element %d on %v is %d, want %d", i, d, got[i], v))
			break
		}
	}
	return errors.Join(err, s.Synchronize(t.Context()), e.Close(), x.Close(), s.Close())
}
