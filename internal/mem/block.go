//go:build amd64 && !race

package mem

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Bits of level.
const (
	avx2 = 1 << iota
	avx512
	repMovs
)

// level is what this CPU copies with; 0 is Go's copy from 64 bytes.
var level = levelOf(cpu.X86.HasAVX2, cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2, cpu.X86.HasERMS && cpu.X86.HasAVXVNNI)

func levelOf(a, b, c bool) (l uint8) {
	if a { l |= avx2 }
	if b { l |= avx512 }
	if c { l |= repMovs }
	return l
}

const (
	putRep = 8 << 10
	getRep = 24 << 10
	piece = 1 << 20
)

//go:noescape
func put(dst, src unsafe.Pointer, n uintptr)

//go:noescape
func get(dst, src unsafe.Pointer, n uintptr)

// rest copies what put and get leave over.
func rest(dst, src unsafe.Pointer, n uintptr) {
	if level&repMovs == 0 || n <= piece || uintptr(dst)-uintptr(src) < n || uintptr(src)-uintptr(dst) < n {
		move(dst, src, n)
		return
	}
	for ; n > piece; n -= piece {
		put(dst, src, piece)
		dst, src = unsafe.Add(dst, piece), unsafe.Add(src, piece)
	}
	put(dst, src, n)
}
