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

// expectNone fails the test if a call allocates each time. A queue that grows does so
// until all of its thousands of places have been used once.
func expectNone(t *testing.T, what string, queue func() error) {
	t.Helper()
	const rounds, runs = 12, 1000
	got := 1.0
	for round := 0; round < rounds && got > 0; round++ {
		got = testing.AllocsPerRun(runs, func() { must(t, queue()) })
	}
	if got > 0 {
		t.Errorf("%s: %v allocations", what, got)
	}
}
