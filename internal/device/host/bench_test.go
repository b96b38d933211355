package host

import (
	"testing"
	"unsafe"
)

func BenchmarkAllocFree(b *testing.B) {
	d := start(b, 1)
	for b.Loop() {
		p, err := d.Alloc(0, 4096)
		ok(b, err)
		ok(b, d.Free(0, p))
	}
}

func BenchmarkWriteValue(b *testing.B) {
	d := start(b, 1)
	p, s := memoryOf(b, d, 0, 8), streamOf(b, d, 0)
	for b.Loop() {
		ok(b, d.WriteValue(0, s, p, 1))
	}
}

func BenchmarkLaunch(b *testing.B) {
	d := start(b, 1)
	f, s := kernel(b, d, 0, func(Block) {}, 8), streamOf(b, d, 0)
	word := uint64(1)
	l := one(unsafe.Pointer(&word))
	for b.Loop() {
		ok(b, d.Launch(0, f, l, s))
	}
}

// BenchmarkCopyIn is a round trip: the caller waits.
func BenchmarkCopyIn(b *testing.B) {
	d := start(b, 1)
	p, s, local := memoryOf(b, d, 0, 8), streamOf(b, d, 0), new(uint64)
	for b.Loop() {
		ok(b, d.CopyIn(0, p, unsafe.Pointer(local), 8, s))
	}
}
