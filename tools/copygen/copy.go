package main

import (
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writer writes functions that copy.
type writer struct{ *build.Context }

// Where the arguments are.
var dst, src, n = reg.RDI, reg.RSI, reg.RCX

// constant is one of the Go code. avo has no operand for those; it prints labels as
// they are.
func constant(name string) operand.Op { return operand.LabelRef("$const_" + name) }

// variable is one of the Go code, or a function.
func variable(name string) operand.Mem {
	return operand.Mem{Symbol: operand.Symbol{Name: "·" + name}, Base: reg.StaticBase}
}

// raw writes an instruction that avo does not know, or not with these operands.
func (w writer) raw(opcode string, operands ...operand.Op) {
	w.Instruction(&ir.Instruction{Opcode: opcode, Operands: operands})
}

// function writes func name(dst, src, n), which copies n bytes, with REP MOVSB from
// the size that the constant rep says. Up to eight registers everything is loaded
// before the first store, so that the ranges may overlap. Ranges that do so beyond
// that are left to the Go function rest, like all that this CPU has no means for.
func (w writer) function(name, rep string) {
	w.Function(name)
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(dst, src *byte, n uintptr)")
	w.Load(w.Param("dst"), dst)
	w.Load(w.Param("src"), src)
	w.Load(w.Param("n"), n)
	w.CMPQ(n, operand.U8(64))
	w.JB(operand.LabelRef("small"))
	w.raw("TESTB", constant("avx512"), variable("level"))
	w.JEQ(operand.LabelRef("narrow"))
	w.vectors(zmm, rep)
	w.Label("narrow")
	w.raw("TESTB", constant("avx2"), variable("level"))
	w.JEQ(operand.LabelRef("rest"))
	w.vectors(ymm, rep)
	w.Label("small")
	w.small()
	w.Label("rest")
	w.Instruction(&ir.Instruction{Opcode: "JMP", Operands: []operand.Op{variable("rest")}, IsTerminal: true})
}

// vectors copies 64 bytes and more.
func (w writer) vectors(v width, rep string) {
	label := func(s string) string { return v.name + "_" + s }
	for regs := 128 / v.bytes; regs <= 8; regs *= 2 {
		next := label("above" + strconv.Itoa(regs*v.bytes))
		w.CMPQ(n, operand.U32(regs*v.bytes))
		w.JA(operand.LabelRef(next))
		w.ends(v, regs/2)
		w.Label(next)
	}
	for _, sides := range [][2]reg.Register{{dst, src}, {src, dst}} {
		w.MOVQ(sides[0], reg.RAX)
		w.SUBQ(sides[1], reg.RAX)
		w.CMPQ(reg.RAX, n)
		w.JB(operand.LabelRef("rest"))
	}
	w.raw("CMPQ", n, constant(rep))
	w.JAE(operand.LabelRef(label("rep")))
	w.loop(v, label("loop"))
	w.Label(label("rep"))
	w.repeat(v)
}

// ends copies up to twice the bytes of k registers: those from the start, and those
// to the end, which may be in part the same.
func (w writer) ends(v width, k int) {
	low := func(base reg.Register, i int) operand.Mem { return operand.Mem{Base: base, Disp: i * v.bytes} }
	high := func(base reg.Register, i int) operand.Mem {
		return operand.Mem{Base: base, Index: n, Scale: 1, Disp: (i - k) * v.bytes}
	}
	for i := range k {
		v.mov(w, low(src, i), v.regs[i])
	}
	for i := range k {
		v.mov(w, high(src, i), v.regs[k+i])
	}
	for i := range k {
		v.mov(w, v.regs[i], low(dst, i))
	}
	for i := range k {
		v.mov(w, v.regs[k+i], high(dst, i))
	}
	v.ret(w)
}

// loop copies more than eight registers, four at a time to aligned addresses. The
// first register and the last four are loaded at once and stored in the end.
func (w writer) loop(v width, label string) {
	first, last, head := reg.R8, reg.R9, v.regs[8]
	for i := range 4 {
		v.mov(w, operand.Mem{Base: src, Index: n, Scale: 1, Disp: (i - 4) * v.bytes}, v.regs[4+i])
	}
	v.mov(w, operand.Mem{Base: src}, head)
	w.MOVQ(dst, first)
	w.LEAQ(operand.Mem{Base: dst, Index: n, Scale: 1, Disp: -4 * v.bytes}, last)
	w.align(v)
	w.Label(label)
	for i := range 4 {
		v.mov(w, operand.Mem{Base: src, Disp: i * v.bytes}, v.regs[i])
	}
	w.ADDQ(operand.U32(4*v.bytes), src)
	for i := range 4 {
		v.mov(w, v.regs[i], operand.Mem{Base: dst, Disp: i * v.bytes})
	}
	w.ADDQ(operand.U32(4*v.bytes), dst)
	w.CMPQ(dst, last)
	w.JB(operand.LabelRef(label))
	v.mov(w, head, operand.Mem{Base: first})
	for i := range 4 {
		v.mov(w, v.regs[4+i], operand.Mem{Base: last, Disp: i * v.bytes})
	}
	v.ret(w)
}

// align moves both sides to where dst is on a multiple of the register's size and
// leaves in AX how far that was.
func (w writer) align(v width) {
	w.MOVQ(dst, reg.RAX)
	w.NEGQ(reg.RAX)
	w.ANDQ(operand.U32(v.bytes-1), reg.RAX)
	w.ADDQ(reg.RAX, dst)
	w.ADDQ(reg.RAX, src)
}

// repeat copies with REP MOVSB, which wants an aligned target: one register goes
// ahead, for the bytes up to there.
func (w writer) repeat(v width) {
	w.raw("TESTB", constant("repMovs"), variable("level"))
	w.JEQ(operand.LabelRef("rest"))
	w.raw("CMPQ", n, constant("piece"))
	w.JA(operand.LabelRef("rest"))
	v.mov(w, operand.Mem{Base: src}, v.regs[0])
	v.mov(w, v.regs[0], operand.Mem{Base: dst})
	w.align(v)
	w.SUBQ(reg.RAX, n)
	w.raw("REP")
	w.raw("MOVSB")
	v.ret(w)
}
