package main

import "github.com/mmcloughlin/avo/operand"

// simple is an operation that the CPU has an instruction for.
func simple(name string) operation {
	return operation{direct: true, do: func(w *writer, b operand.Op, a int) { w.two(name, b, a, a) }}
}

// bitwise is one for all bits.
func bitwise(name string) operation {
	return operation{direct: true, do: func(w *writer, b operand.Op, a int) { w.bits(name, b, a, a) }}
}

// least is Go's min. The instruction returns its second operand if one of the two is
// not a number, or both are zeros; in both orders it has returned both then, and of a
// NaN and anything, as of -0 and 0, "or" makes what is wanted.
func least(suffix string) operation {
	return operation{do: func(w *writer, b operand.Op, a int) {
		w.two("VMIN"+suffix, w.full(a), number(w, b), spare)
		w.two("VMIN"+suffix, b, a, a)
		w.bits("VPOR", w.full(spare), a, a)
	}}
}

// most is Go's max: that of a and b is -min(-a, -b).
func most(suffix string, sign func(w *writer) operand.Op) operation {
	return operation{do: func(w *writer, b operand.Op, a int) {
		w.bits("VPXOR", sign(w), number(w, b), spare+1)
		w.bits("VPXOR", sign(w), a, a)
		least(suffix).do(w, w.full(spare+1), a)
		w.bits("VPXOR", sign(w), a, a)
	}}
}

// number is that of a register.
func number(w *writer, r operand.Op) int {
	for i, have := range w.width.regs[w.width.bytes] {
		if have == r {
			return i
		}
	}
	panic("not a register of this width: " + r.Asm())
}

func sign32(w *writer) operand.Op { return w.constant32(1 << 31) }

func sign64(w *writer) operand.Op { return w.constant(1 << 63) }

// prod8 multiplies bytes, for which there is no instruction: the even and the odd ones
// as words.
func prod8() operation {
	return operation{do: func(w *writer, b operand.Op, a int) {
		w.two("VPMULLW", b, a, spare)
		w.bits("VPAND", w.constant16(0x00ff), spare, spare)
		w.shift("VPSRLW", 8, a, a)
		w.bits("VPAND", w.constant16(0xff00), number(w, b), spare+1)
		w.two("VPMULLW", w.full(spare+1), a, a)
		w.bits("VPOR", w.full(spare), a, a)
	}}
}

// prod64 multiplies in halves where there is no instruction.
func prod64() operation {
	return operation{do: func(w *writer, b operand.Op, a int) {
		if w.wide() {
			w.two("VPMULLQ", b, a, a)
			return
		}
		w.shift("VPSRLQ", 32, a, spare)
		w.two("VPMULUDQ", b, spare, spare)
		w.shift("VPSRLQ", 32, number(w, b), spare+1)
		w.two("VPMULUDQ", w.full(spare+1), a, spare+1)
		w.two("VPADDQ", w.full(spare), spare+1, spare)
		w.shift("VPSLLQ", 32, spare, spare)
		w.two("VPMULUDQ", b, a, a)
		w.two("VPADDQ", w.full(spare), a, a)
	}}
}

// extreme64 is min or max of 64 bits, by comparing where there is no instruction,
// which is one for numbers with a sign.
func extreme64(name string, signed bool) operation {
	return operation{do: func(w *writer, b operand.Op, a int) {
		if w.wide() {
			w.two("VP"+name+map[bool]string{true: "SQ", false: "UQ"}[signed], b, a, a)
			return
		}
		x, y := a, number(w, b)
		if !signed {
			w.bits("VPXOR", sign64(w), a, spare)
			w.bits("VPXOR", sign64(w), y, spare+1)
			x, y = spare, spare+1
		}
		if name == "MIN" {
			x, y = y, x
		}
		w.two("VPCMPGTQ", w.full(x), y, spare) // what is asked for is in b
		w.VBLENDVPD(w.full(spare), b, w.full(a), w.full(a))
	}}
}
