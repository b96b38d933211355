//go:build !race

package reduce

import "golang.org/x/sys/cpu"

// What registers there are. AVX-512 without VBMI2 is that of CPUs that lower their
// clock for it.
const (
	none = iota
	avx2
	avx512
)

// level is what this CPU combines with; only tests change it.
var level = best()

func best() int {
	switch x := cpu.X86; {
	case x.HasAVX512VBMI2 && x.HasAVX512VL && x.HasAVX512BW && x.HasAVX512DQ:
		return avx512
	case x.HasAVX2 && x.HasF16C:
		return avx2
	}
	return none
}

// vectorFor returns the fastest way to combine, the zero vector without one.
func vectorFor(t Type, op Op) vector {
	switch level {
	case avx512:
		return tableAVX512[t][op]
	case avx2:
		return tableAVX2[t][op]
	}
	return vector{}
}
