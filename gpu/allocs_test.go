//go:build !race

package gpu_test

import (
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// TestAllocations: queueing work costs the garbage collector nothing. The race detector
// allocates for itself.
func TestAllocations(t *testing.T) {
	everywhere(t, func(t *testing.T, platform string) { run(t, platform, allocations) })
}

func allocations(t *testing.T, d *gpu.Device) {
	f, s, e := function(t, compile(t, d), "saxpy"), stream(t, d), get(d.NewEvent())(t)
	closing(t, e)
	x, y := alloc[float32](t, d, 8), alloc[float32](t, d, 8)
	flag := gate(t, d)
	must(t, x.Fill(1))
	must(t, y.Fill(1))
	a, v, n := float32(2), uint64(1), int32(8)
	for _, c := range []struct {
		what  string
		queue func() error
	}{
		{"launch", func() error { return f.Launch(s, gpu.Grid(8, 8), y, x, a, n) }},
		{"copy", func() error { return y.CopyAsync(x, s) }},
		{"fill", func() error { return y.FillAsync(a, s) }},
		{"write value", func() error { return s.WriteValue(flag, 0, v) }},
		{"wait value", func() error { return s.WaitValue(flag, 0, gpu.CompareGE, 0) }},
		{"record", func() error { return e.Record(s) }},
		{"wait", func() error { return s.Wait(e) }},
	} {
		expectNone(t, c.what, c.queue)
		synchronize(t, s)
	}
}

// expectNone fails the test if a call allocates each time. A queue that grows, the
// garbage collector and goroutines of the test may do so now and then.
func expectNone(t *testing.T, what string, queue func() error) {
	t.Helper()
	const warm, runs = 5000, 1000 // queues have room for thousands
	for range warm {
		must(t, queue())
	}
	got := testing.AllocsPerRun(runs, func() { must(t, queue()) })
	if got = min(got, testing.AllocsPerRun(runs, func() { must(t, queue()) })); got != 0 {
		t.Errorf("%s: %v allocations", what, got)
	}
}
