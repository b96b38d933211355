//go:build linux && (amd64 || arm64)

package dl

import (
	"testing"

	"github.com/ebitengine/purego"
)

// BenchmarkCall measures the way to C and back, beside that of the foreign-call library.
func BenchmarkCall(b *testing.B) {
	r := record(b, "struct s128 { char b[128]; };\nuint64_t none(void) { return 0; }\n"+
		"uint64_t eleven(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k) { return k; }\n"+
		"uint64_t one(uint64_t *p) { *p = 1; return 0; }\n"+
		"uint64_t big(uint64_t a, uint64_t b, struct s128 v, uint64_t c) { return c; }\n")
	none, one, seven, eleven, big, out := r.find(b, "none"), r.find(b, "one"), r.find(b, "seven"), r.find(b, "eleven"), r.find(b, "big"), r.find(b, "out")
	var id [128]byte
	for _, c := range []struct {
		name string
		call func()
	}{
		{"args=0", func() { Call(none) }},
		{"args=7", func() { Call(seven, 1, 2, 3, 4, 5, 6, 7) }},
		{"args=11", func() { Call(eleven, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) }},
		{"value=128", func() { CallByValue(big, []uintptr{1, 2}, id[:], 3) }},
		{"out", func() { CallOut(one) }},
		{"scratch", func() {
			s := Borrow()
			Call(out, 1, Addr(Out[uint64](s)))
			s.Return()
		}},
		{"purego/args=0", func() { purego.SyscallN(none) }},
		{"purego/args=7", func() { purego.SyscallN(seven, 1, 2, 3, 4, 5, 6, 7) }},
		{"purego/args=11", func() { purego.SyscallN(eleven, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.call()
			}
		})
	}
}

// BenchmarkScratchParallel measures the lock that all borrowers share.
func BenchmarkScratchParallel(b *testing.B) {
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			s := Borrow()
			*Out[uint64](s) = 1
			s.Return()
		}
	})
}
