package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// native are elements that the CPU computes with.
func native() elements {
	return elements{
		memory: true, pair: true, parts: 1, group: 4,
		unit:  func(w *writer) int { return w.width.bytes },
		load:  func(w *writer, m operand.Mem, to int) { w.move(w.width.bytes, m, w.full(to)) },
		store: func(*writer, int) {},
	}
}

// narrowed are elements of some bytes that are computed with as float32.
func narrowed(bytes int, load func(w *writer, m operand.Mem, to int), store func(w *writer, from int)) elements {
	return elements{parts: 1, group: 1, unit: func(w *writer) int { return w.width.bytes * bytes / 4 }, load: load, store: store}
}

// bfloat16 takes the even and the odd elements of a register apart: that needs no
// widening. Rounding adds just below half of what the lower half of a float32 can be
// worth, and the rest if the upper half is odd. That makes no other number of a NaN,
// the lower half of which is zero: it came from a BFloat16, or the CPU made it.
func bfloat16() elements {
	upper := func(w *writer) operand.Op { return w.constant32(0xffff0000) }
	return elements{
		pair: true, parts: 2, group: 2,
		unit: func(w *writer) int { return w.width.bytes },
		load: func(w *writer, m operand.Mem, to int) {
			w.move(w.width.bytes, m, w.full(to))
			w.bits("VPAND", upper(w), to, to+1)
			w.shift("VPSLLD", 16, to, to)
		},
		store: func(w *writer, from int) {
			for r := from; r < from+2; r++ {
				w.shift("VPSRLD", 16, r, spare)
				w.bits("VPAND", w.constant32(1), spare, spare)
				w.two("VPADDD", w.constant32(0x7fff), r, r)
				w.two("VPADDD", w.full(spare), r, r)
			}
			w.shift("VPSRLD", 16, from, from)
			w.bits("VPAND", upper(w), from+1, from+1)
			w.bits("VPOR", w.full(from+1), from, from)
		},
	}
}

func float16() elements {
	return narrowed(2,
		func(w *writer, m operand.Mem, to int) { w.VCVTPH2PS(m, w.full(to)) },
		func(w *writer, from int) { w.VCVTPS2PH(operand.U8(0), w.full(from), w.half(from)) },
	)
}

// float8e5m2 is widened as what it is: the upper byte of a Float16.
func float8e5m2() elements {
	load := func(w *writer, m operand.Mem, to int) {
		w.VPMOVZXBW(m, w.half(to))
		w.VPSLLW(operand.U8(8), w.half(to), w.half(to))
		w.VCVTPH2PS(w.half(to), w.full(to))
	}
	return narrowed(1, load, format8{fraction: 2, bias: 15, largest: 0x7b, nan: 0x7e}.store)
}

// float8e4m3 is widened as a Float16 with a smaller exponent, and then scaled. Its only
// NaN is where the next exponent would begin: carried over, it is one of Float16's.
func float8e4m3() elements {
	load := func(w *writer, m operand.Mem, to int) {
		x, tmp, and, or := w.half(to), w.half(spare), "VPAND", "VPOR"
		if w.wide() {
			and, or = and+"Q", or+"Q"
		}
		w.VPMOVZXBW(m, x)
		w.VPSLLW(operand.U8(8), x, x)
		w.VPSRAW(operand.U8(1), x, x)
		w.emit(and, w.halfConstant16(0xbfff), x, x)
		w.VPADDW(w.halfConstant16(1<<7), x, tmp)
		w.emit(and, w.halfConstant16(1<<14), tmp, tmp)
		w.emit(or, tmp, x, x)
		w.VCVTPH2PS(x, w.full(to))
		w.two("VMULPS", w.float(256), to, to)
	}
	return narrowed(1, load, format8{fraction: 3, bias: 7, largest: 0x7e, nan: 0x7f}.store)
}

func (w *writer) float(x float32) operand.Op { return w.constant32(uint64(math.Float32bits(x))) }

// format8 is a format of eight bits.
type format8 struct {
	fraction     int // bits
	bias         int // of the exponent
	largest, nan uint64
}

// store rounds to the nearest number of the format, to even if two are as near. To the
// magnitude it adds a power of two so large that the last bit of the sum is worth as
// much as that of the rounded number; the CPU rounds. What the sum is above that power
// is the fraction, with the hidden bit unless the number is subnormal.
func (f format8) store(w *writer, x int) {
	const magnitude, exponent, power = spare, spare + 1, spare + 2
	drop := 23 - f.fraction
	w.bits("VPAND", w.constant32(1<<31-1), x, magnitude)
	w.two("VPMINUD", w.constant32((f.largest>>f.fraction+uint64(128-f.bias))<<23), magnitude, magnitude) // saturates
	w.two("VPMAXUD", w.constant32(uint64(128-f.bias)<<23), magnitude, exponent)
	w.bits("VPAND", w.constant32(0xff<<23), exponent, exponent)
	w.two("VPADDD", w.constant32(uint64(drop)<<23), exponent, power)
	w.two("VADDPS", w.full(power), magnitude, magnitude)
	w.two("VPSUBD", w.full(power), magnitude, magnitude)
	w.shift("VPSRLD", drop, exponent, exponent)
	w.two("VPADDD", w.full(exponent), magnitude, magnitude)
	w.two("VPSUBD", w.constant32(uint64(128-f.bias)<<f.fraction), magnitude, magnitude)
	w.two("VPMINUD", w.constant32(f.largest), magnitude, magnitude)
	w.move(w.width.bytes, w.constant32(f.nan), w.full(exponent))
	w.where(x, exponent, magnitude, power)
	w.shift("VPSRLD", 24, x, x)
	w.bits("VPAND", w.constant32(0x80), x, x)
	w.bits("VPOR", w.full(magnitude), x, x)
	w.packBytes(x)
}

// packBytes leaves the lower byte of each 32 bits.
func (w *writer) packBytes(r int) {
	if w.wide() {
		w.VPMOVDB(w.full(r), w.quarter(r))
		return
	}
	x, tmp := w.half(r), w.half(spare)
	w.VEXTRACTI128(operand.U8(1), w.full(r), tmp)
	w.VPACKUSDW(tmp, x, x)
	w.VPACKUSWB(x, x, x)
}
