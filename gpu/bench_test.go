package gpu_test

import (
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// BenchmarkLaunch is what a launch of a small kernel costs on the best device.
func BenchmarkLaunch(b *testing.B) {
	d := get(gpu.Best())(b)
	f, s := function(b, compile(b, d), "saxpy"), stream(b, d)
	x, y := alloc[float32](b, d, some), alloc[float32](b, d, some)
	must(b, x.Fill(1))
	must(b, y.Fill(1))
	v, n := float32(2), int32(some)
	b.ReportAllocs()
	for b.Loop() {
		must(b, f.Launch(s, gpu.Grid(some, 1024), y, x, v, n))
	}
}
