package reduce

import (
	"fmt"
	"testing"
)

// BenchmarkCombine shows what each type and operation costs, in the second-level cache.
func BenchmarkCombine(b *testing.B) {
	const size = 64 << 10
	for what := range types {
		for op := range ops {
			if !Has(what, op) {
				continue
			}
			list := addresses([][]byte{make([]byte, size), make([]byte, size), make([]byte, size)})
			b.Run(fmt.Sprintf("type=%d/%s", what, op), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					Combine(what, op, list[0], list[1], list[2], size/int(what.Size()))
				}
			})
		}
	}
}
