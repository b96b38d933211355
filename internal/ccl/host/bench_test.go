package host

import (
	"testing"

	"github.com/goshmem/goshmem/internal/ccl"
)

// BenchmarkCall is what a call takes that waits for nobody.
func BenchmarkCall(b *testing.B) {
	d := newDriver(b, 1)
	for _, k := range []ccl.Kind{ccl.Broadcast, ccl.AllReduce} {
		b.Run(k.String(), func(b *testing.B) {
			each(b, newLibrary(b, patience), d, 1, func(r *rank) {
				x := make([]float32, 8)
				call := on(ccl.Call{Kind: k, Type: ccl.Float32, Count: len(x)}, x, x)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					if err := r.Do(call); err != nil {
						b.Fatal(err)
					}
					if done, err := d.StreamDone(0, 0); !done || err != nil {
						b.Fatal(done, err)
					}
				}
			})
		})
	}
}
