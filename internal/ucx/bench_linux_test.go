package ucx

import (
	"testing"
	"unsafe"
)

// BenchmarkCalls measures operations over UCX's own shared memory, where they are over at
// once: what a call costs.
func BenchmarkCalls(b *testing.B) {
	s, other := pair(b, Config{Transports: "posix,self"}, false)
	_ = other
	word := new(uint64)
	at := unsafe.Pointer(&s.memory[0])
	for name, f := range map[string]func() error{
		"put":         func() error { return s.remote.Put(8, at, 8) },
		"put from Go": func() error { return s.remote.Put(8, unsafe.Pointer(word), 8) },
		"get":         func() error { return s.remote.Get(8, at, 8) },
		"fetch add":   func() error { _, err := s.remote.Atomic(16, Add, 8, 1, 0); return err },
		"add":         func() error { return s.remote.AtomicNBI(16, Add, 8, 1) },
		"progress":    func() error { s.w.Progress(); return nil },
		"flush":       func() error { return s.w.Flush(b.Context()) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
