package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers. Results are in the first ones, up to eight.
const (
	source = 8  // and the next: of the source that follows
	spare  = 10 // and those after it: for whatever
	end    = 15 // the result of the last elements
)

// Where things are. Everything is addressed by how far it is into the vectors.
var (
	sources = reg.RSI // their addresses,
	behind  = reg.R8  // up to here
	dsts    = reg.RBX // likewise,
	beyond  = reg.R11 // up to here
	at      = reg.RDX
	n       = reg.RCX
	from    = reg.R9  // a source
	next    = reg.R10 // the address of the source that follows, or another source
	into    = reg.RDI // a destination
	other   = reg.RAX // the address of the destination that follows, or another destination
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
	pair   bool // so little is to be done that two sources should have code of their own
	parts  int  // registers for a unit of memory
	group  int  // units that are combined at a time, where there are enough
	unit   func(w *writer) int
	load   func(w *writer, m operand.Mem, to int)
	store  func(w *writer, from int) // leaves the unit in the lower part of from
}

// function writes
//
//	func name(dsts *unsafe.Pointer, d uintptr, sources *unsafe.Pointer, k, off, n uintptr)
//
// which combines the n bytes that are off bytes into the k sources and puts them as far
// into the d destinations; at least two sources and a unit. If there are not only whole
// units, the last one overlaps with the one before and is computed ahead of everything
// else: a destination may be one of the sources.
func (w *writer) function(k kernel) {
	// A first try shows which constants there must be.
	dry := &writer{Context: build.NewContext(), width: w.width, places: map[uint64]int{}}
	dry.Function("dry")
	dry.body(k)
	w.Function(k.name + w.width.name)
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(dsts **byte, d uintptr, sources **byte, k, off, n uintptr)")
	for i, r := range []reg.Register{dsts, beyond, sources, behind, at, n} {
		w.Load(w.ParamIndex(i), r)
	}
	w.fixed = dry.fixed
	for _, value := range w.fixed {
		w.VPBROADCASTQ(w.place(value), w.constant(value))
	}
	w.body(k)
	if len(w.fixed) > 0 || !w.wide() {
		w.VZEROUPPER()
	}
	w.RET()
}

func (w *writer) body(k kernel) {
	unit := k.unit(w)
	w.LEAQ(operand.Mem{Base: dsts, Index: beyond, Scale: 8}, beyond)
	w.LEAQ(operand.Mem{Base: sources, Index: behind, Scale: 8}, behind)
	w.LEAQ(operand.Mem{Base: at, Index: n, Scale: 1, Disp: -unit}, last)
	w.LEAQ(operand.Mem{Base: at, Index: n, Scale: 1, Disp: -unit * k.group}, groups)
	w.TESTQ(operand.U32(unit-1), n)
	w.jump("JEQ", "whole")
	w.MOVQ(at, n)
	w.MOVQ(last, at)
	w.units(k, 1, "end")
	w.move(w.width.bytes, w.full(0), w.full(end))
	w.MOVQ(n, at)
	w.Label("whole")
	if k.elements.pair {
		w.pair(k)
	}
	w.all(k, k.group, "group", groups)
	if k.group > 1 {
		w.all(k, 1, "single", last)
	}
	w.LEAQ(operand.Mem{Base: last, Disp: unit}, n)
	w.CMPQ(at, n)
	w.jump("JEQ", "done")
	w.move(w.width.bytes, w.full(end), w.full(0))
	w.MOVQ(last, at)
	w.spread(k, 1, "end")
	w.Label("done")
}

// pair combines most of two sources to one destination or two, with less ado than is
// needed for more.
func (w *writer) pair(k kernel) {
	w.LEAQ(operand.Mem{Base: sources, Disp: 16}, next)
	w.CMPQ(next, behind)
	w.jump("JNE", "no_pair")
	w.MOVQ(operand.Mem{Base: sources}, from)
	w.MOVQ(operand.Mem{Base: sources, Disp: 8}, next)
	w.MOVQ(operand.Mem{Base: dsts}, into)
	for i, targets := range [][]reg.Register{{into}, {into, other}} {
		name := []string{"one", "two"}[i]
		w.LEAQ(operand.Mem{Base: dsts, Disp: 8 * (i + 1)}, other)
		w.CMPQ(other, beyond)
		w.jump("JNE", "no_"+name)
		if i > 0 {
			w.MOVQ(operand.Mem{Base: dsts, Disp: 8 * i}, other)
		}
		w.loop(k, k.group, name, groups, func() {
			w.begin(k, k.group)
			w.combine(k, k.group, next)
			w.finish(k, k.group)
			for _, target := range targets {
				w.put(k, k.group, target)
			}
		})
	}
	w.Label("no_pair")
}

// all combines any number of sources to any number of destinations.
func (w *writer) all(k kernel, units int, name string, to reg.Register) {
	w.loop(k, units, name, to, func() {
		w.units(k, units, name)
		w.spread(k, units, name)
	})
}

// loop combines units, so many at a time, as long as the place is not beyond a limit.
func (w *writer) loop(k kernel, units int, name string, to reg.Register, body func()) {
	w.CMPQ(at, to)
	w.jump("JG", "no_"+name)
	w.Label(name)
	body()
	w.ADDQ(operand.U32(units*k.unit(w)), at)
	w.CMPQ(at, to)
	w.jump("JLE", name)
	w.Label("no_" + name)
}

// spread puts units from the first registers to all destinations.
func (w *writer) spread(k kernel, units int, name string) {
	w.MOVQ(dsts, other)
	w.Label(name + "_dsts")
	w.MOVQ(operand.Mem{Base: other}, into)
	w.put(k, units, into)
	w.ADDQ(operand.U8(8), other)
	w.CMPQ(other, beyond)
	w.jump("JB", name+"_dsts")
}

// put stores units from the first registers.
func (w *writer) put(k kernel, units int, to reg.Register) {
	for i := range units {
		w.move(k.unit(w), w.part(i*k.parts, w.width.bytes/k.unit(w)), w.memory(k, to, i))
	}
}

// units combines units of all sources, to the first registers.
func (w *writer) units(k kernel, units int, name string) {
	w.MOVQ(operand.Mem{Base: sources}, from)
	w.begin(k, units)
	w.LEAQ(operand.Mem{Base: sources, Disp: 8}, next)
	w.Label(name + "_sources")
	w.MOVQ(operand.Mem{Base: next}, from)
	w.combine(k, units, from)
	w.ADDQ(operand.U8(8), next)
	w.CMPQ(next, behind)
	w.jump("JB", name+"_sources")
	w.finish(k, units)
}

// begin loads units of the first source.
func (w *writer) begin(k kernel, units int) {
	for i := range units {
		k.load(w, w.memory(k, from, i), i*k.parts)
	}
}

// combine takes units of another source in.
func (w *writer) combine(k kernel, units int, from reg.Register) {
	for i := range units {
		if k.direct && k.memory {
			k.do(w, w.memory(k, from, i), i)
			continue
		}
		k.load(w, w.memory(k, from, i), source)
		for p := range k.parts {
			k.do(w, w.full(source+p), i*k.parts+p)
		}
	}
}

// finish makes of registers what is stored.
func (w *writer) finish(k kernel, units int) {
	for i := range units {
		k.store(w, i*k.parts)
	}
}

// memory is the unit i from here of a source.
func (w *writer) memory(k kernel, source reg.Register, i int) operand.Mem {
	return operand.Mem{Base: source, Index: at, Scale: 1, Disp: i * k.unit(w)}
}
