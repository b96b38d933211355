package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is a kind of register that bytes travel in.
type width struct {
	name  string
	bytes int
	regs  []reg.Register
	mov   func(w writer, from, to operand.Op)
	ret   func(w writer)
}

func plainReturn(w writer) { w.RET() }

var (
	xmm = width{"xmm", 16, []reg.Register{reg.X0, reg.X1, reg.X2, reg.X3}, func(w writer, from, to operand.Op) { w.MOVUPS(from, to) }, plainReturn}
	ymm = width{
		"ymm", 32,
		[]reg.Register{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8},
		func(w writer, from, to operand.Op) { w.VMOVDQU(from, to) },
		func(w writer) { w.VZEROUPPER(); w.RET() },
	}
	// The upper sixteen registers leave no state behind that slows SSE down.
	zmm = width{
		"zmm", 64,
		[]reg.Register{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24},
		func(w writer, from, to operand.Op) { w.VMOVDQU64(from, to) },
		plainReturn,
	}
	long  = width{"long", 8, []reg.Register{reg.RAX, reg.RDX}, func(w writer, from, to operand.Op) { w.MOVQ(from, to) }, plainReturn}
	word  = width{"word", 4, []reg.Register{reg.EAX, reg.EDX}, func(w writer, from, to operand.Op) { w.MOVL(from, to) }, plainReturn}
	short = width{"short", 2, []reg.Register{reg.AX, reg.DX}, func(w writer, from, to operand.Op) { w.MOVW(from, to) }, plainReturn}
	char  = width{"char", 1, []reg.Register{reg.AL, reg.DL}, func(w writer, from, to operand.Op) { w.MOVB(from, to) }, plainReturn}
)

// one copies a single value.
func (w writer) one(v width) {
	v.mov(w, operand.Mem{Base: src}, v.regs[0])
	v.mov(w, v.regs[0], operand.Mem{Base: dst})
	v.ret(w)
}

// small copies up to 63 bytes: 8, 4, 2 and 1 in one piece, and stored only once, or
// what another PE stores there right after could be overwritten.
func (w writer) small() {
	w.CMPQ(n, operand.U8(32))
	w.JAE(operand.LabelRef("from32"))
	w.CMPQ(n, operand.U8(16))
	w.JAE(operand.LabelRef("from16"))
	for _, v := range []width{long, word, short} {
		w.CMPQ(n, operand.U8(v.bytes))
		w.JA(operand.LabelRef("above_" + v.name))
		w.JEQ(operand.LabelRef("one_" + v.name))
	}
	w.TESTQ(n, n)
	w.JEQ(operand.LabelRef("none"))
	w.one(char)
	w.Label("none")
	w.RET()
	for _, v := range []width{short, word, long} {
		w.Label("one_" + v.name)
		w.one(v)
		w.Label("above_" + v.name)
		w.ends(v, 1)
	}
	w.Label("from16")
	w.ends(xmm, 1)
	w.Label("from32")
	w.ends(xmm, 2)
}
