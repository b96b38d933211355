package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers. Results are in the first ones, up to eight.
const (
	source = 8  // and the next: of the source that follows
	spare  = 10 // and those after it: for whatever
	end    = 15 // the result of the last elements
)

// Where things are. Everything is addressed by how far it is into the sources.
var (
	dst     = reg.RDI
	sources = reg.RSI // their addresses,
	behind  = reg.R8  // up to here
	at      = reg.RDX
	finish  = reg.RCX
	from    = reg.R9  // a source
	next    = reg.R10 // the address of the source that follows
	last    = reg.R12 // where the last elements are
	groups  = reg.R13 // the last place at which a group of registers may begin
)

// kernel combines elements of one type by one operation.
type kernel struct {
	name string
	operation
	elements
}

// operation sets register a to a combined with b, which may be in memory.
type operation struct {
	direct bool // can take b from memory
	do     func(w *writer, b operand.Op, a int)
}

// elements is how elements get into registers to be computed with, and back.
type elements struct {
	memory bool // are in memory as in registers
	parts  int  // registers for a unit of memory
	group  int  // units that are combined at a time, where there are enough
	unit   func(w *writer) int
	load   func(w *writer, m operand.Mem, to int)
	store  func(w *writer, from int) // leaves the unit in the lower part of from
}

// function writes
//
//	func name(dst unsafe.Pointer, sources *unsafe.Pointer, k, off, n uintptr)
//
// which sets n bytes at dst to the n bytes that are off bytes into the k sources,
// combined; at least two sources and a unit. The last unit, which may overlap with the
// one before, is computed ahead of everything else: dst may be one of the sources.
func (w *writer) function(k kernel) {
	unit := k.unit(w)
	w.Function(k.name + w.width.name)
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(dst *byte, sources **byte, k, off, n uintptr)")
	for i, r := range []reg.Register{dst, sources, behind, at, finish} {
		w.Load(w.ParamIndex(i), r)
	}
	w.SUBQ(at, dst)
	w.LEAQ(operand.Mem{Base: sources, Index: behind, Scale: 8}, behind)
	w.ADDQ(at, finish)
	w.LEAQ(operand.Mem{Base: finish, Disp: -unit}, last)
	w.LEAQ(operand.Mem{Base: finish, Disp: -unit * k.group}, groups)
	w.MOVQ(at, finish)
	w.MOVQ(last, at)
	w.units(k, 1, "end")
	w.move(w.width.bytes, w.full(0), w.full(end))
	w.MOVQ(finish, at)
	if k.group > 1 {
		w.loop(k, k.group, "group", "JG", groups)
	}
	w.loop(k, 1, "single", "JGE", last)
	w.move(unit, w.part(end, w.width.bytes/unit), operand.Mem{Base: dst, Index: last, Scale: 1})
	if !w.wide() {
		w.VZEROUPPER()
	}
	w.RET()
}

// loop combines units as long as the place is not beyond a limit.
func (w *writer) loop(k kernel, units int, name, beyond string, limit reg.Register) {
	unit := k.unit(w)
	w.CMPQ(at, limit)
	w.jump(beyond, "no_"+name)
	w.Label(name)
	w.units(k, units, name)
	for i := range units {
		r := i * k.parts
		w.move(unit, w.part(r, w.width.bytes/unit), operand.Mem{Base: dst, Index: at, Scale: 1, Disp: i * unit})
	}
	w.ADDQ(operand.U32(units*unit), at)
	w.CMPQ(at, limit)
	w.jump(map[string]string{"JG": "JLE", "JGE": "JLT"}[beyond], name)
	w.Label("no_" + name)
}

// units combines units of all sources, to the first registers.
func (w *writer) units(k kernel, units int, name string) {
	unit := k.unit(w)
	memory := func(i int) operand.Mem { return operand.Mem{Base: from, Index: at, Scale: 1, Disp: i * unit} }
	w.MOVQ(operand.Mem{Base: sources}, from)
	for i := range units {
		k.load(w, memory(i), i*k.parts)
	}
	w.LEAQ(operand.Mem{Base: sources, Disp: 8}, next)
	w.Label(name + "_sources")
	w.MOVQ(operand.Mem{Base: next}, from)
	for i := range units {
		if k.direct && k.memory {
			k.do(w, memory(i), i)
			continue
		}
		k.load(w, memory(i), source)
		for p := range k.parts {
			k.do(w, w.full(source+p), i*k.parts+p)
		}
	}
	w.ADDQ(operand.U8(8), next)
	w.CMPQ(next, behind)
	w.jump("JB", name+"_sources")
	for i := range units {
		k.store(w, i*k.parts)
	}
}

// stream writes
//
//	func stream(dst, src unsafe.Pointer, n uintptr)
//
// which copies n bytes to memory without the caches; dst and n are multiples of 64.
func (w *writer) stream() {
	w.Function("stream" + w.width.name)
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(dst, src *byte, n uintptr)")
	w.Load(w.Param("dst"), dst)
	w.Load(w.Param("src"), sources)
	w.Load(w.Param("n"), finish)
	w.XORQ(at, at)
	w.Label("loop")
	for i := range 64 / w.width.bytes {
		w.move(w.width.bytes, operand.Mem{Base: sources, Index: at, Scale: 1, Disp: i * w.width.bytes}, w.full(i))
	}
	for i := range 64 / w.width.bytes {
		w.VMOVNTDQ(w.full(i), operand.Mem{Base: dst, Index: at, Scale: 1, Disp: i * w.width.bytes})
	}
	w.ADDQ(operand.U8(64), at)
	w.CMPQ(at, finish)
	w.jump("JB", "loop")
	w.SFENCE()
	if !w.wide() {
		w.VZEROUPPER()
	}
	w.RET()
}
