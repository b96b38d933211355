//go:build amd64 && !race

package mem

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Bits of level. The generated code uses them and the sizes below by name.
const (
	avx2    = 1 << iota
	avx512  // with registers whose use does not slow SSE down
	repMovs // REP MOVSB at the speed of the memory
)

// level is what this CPU copies with; only tests change it. AVX-512 without VBMI2
// is that of CPUs that lower their clock for it. Older CPUs than those with AVX-VNNI
// also say that they have a fast REP MOVSB, and some of them do not (Zen 3 and 4).
var level = bit(avx2, cpu.X86.HasAVX2) |
	bit(avx512, cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2) |
	bit(repMovs, cpu.X86.HasERMS && cpu.X86.HasAVXVNNI)

func bit(b uint8, set bool) uint8 {
	if set {
		return b
	}
	return 0
}

// Where REP MOVSB begins. The peer has the target of a put in its cache, or soon
// will: REP MOVSB takes whole lines from there several times faster than stores do.
// The target of a get is our own, so that it pays only beyond the first-level cache.
const (
	putRep = 8 << 10
	getRep = 16 << 10
)

// piece is the most that is copied in one go: assembly cannot be preempted.
const piece = 1 << 20

// put and get copy n bytes; the ranges may overlap. They are written by the generator.

//go:noescape
func put(dst, src unsafe.Pointer, n uintptr)

//go:noescape
func get(dst, src unsafe.Pointer, n uintptr)

// rest copies what put and get leave: blocks that overlap or are large, and all that
// this CPU is not known to copy faster than Go does. Stores that bypass the caches,
// which Go uses from 1 MiB, would make the peer read from memory.
func rest(dst, src unsafe.Pointer, n uintptr) {
	if n <= piece || level&repMovs == 0 || overlap(dst, src, n) {
		move(dst, src, n)
		return
	}
	for ; n > piece; n -= piece {
		put(dst, src, piece)
		dst, src = unsafe.Add(dst, piece), unsafe.Add(src, piece)
	}
	put(dst, src, n)
}

func overlap(a, b unsafe.Pointer, n uintptr) bool {
	return uintptr(a)-uintptr(b) < n || uintptr(b)-uintptr(a) < n
}
