package main

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is a set of registers and the instructions for them.
type width struct {
	name  string
	bytes int
	regs  map[int][]reg.Register // by their bytes
}

// The upper sixteen registers leave no state behind that slows SSE down.
var widths = []width{
	{"AVX2", 32, map[int][]reg.Register{16: registers("X", 0), 32: registers("Y", 0)}},
	{"AVX512", 64, map[int][]reg.Register{16: registers("X", 16), 32: registers("Y", 16), 64: registers("Z", 16)}},
}

// fixedRegs are for constants that stay in registers, by their bytes.
var fixedRegs = map[int][]reg.Register{32: registers("Y", 0), 64: registers("Z", 0)}

// registers returns sixteen registers of a kind.
func registers(kind string, first int) []reg.Register {
	list := make([]reg.Register, 16)
	for _, r := range reg.Vector.Registers() {
		for i := range list {
			if r.Asm() == kind+strconv.Itoa(first+i) {
				list[i] = r
			}
		}
	}
	return list
}

// writer writes functions for one width at a time. Registers go by their numbers.
type writer struct {
	*build.Context
	width  width
	fixed  []uint64       // constants that this function has in registers
	places map[uint64]int // of constants in memory
}

func (w *writer) wide() bool { return w.width.bytes == 64 }

// full is a whole register, half its lower half, and so on.
func (w *writer) full(r int) reg.Register    { return w.part(r, 1) }
func (w *writer) half(r int) reg.Register    { return w.part(r, 2) }
func (w *writer) quarter(r int) reg.Register { return w.part(r, 4) }

func (w *writer) part(r, of int) reg.Register { return w.width.regs[max(16, w.width.bytes/of)][r] }

// emit writes the instruction of this name.
func (w *writer) emit(name string, operands ...operand.Op) {
	var args []reflect.Value
	for _, o := range operands {
		args = append(args, reflect.ValueOf(o))
	}
	reflect.ValueOf(w.Context).MethodByName(name).Call(args)
}

// two writes an instruction of two inputs, with the result in the last register.
func (w *writer) two(name string, b operand.Op, a, to int) { w.emit(name, b, w.full(a), w.full(to)) }

// bits writes an instruction for all bits of a register, which in the wide set has
// another name.
func (w *writer) bits(name string, b operand.Op, a, to int) {
	if w.wide() {
		name += "Q"
	}
	w.two(name, b, a, to)
}

// shift shifts the parts of a register.
func (w *writer) shift(name string, by, from, to int) {
	w.emit(name, operand.U8(by), w.full(from), w.full(to))
}

// move moves as many bytes between memory and the lower part of a register.
func (w *writer) move(bytes int, from, to operand.Op) {
	switch {
	case bytes == 8:
		w.VMOVQ(from, to)
	case w.wide():
		w.VMOVDQU64(from, to)
	default:
		w.VMOVDQU(from, to)
	}
}

// where puts value to where x is not a number.
func (w *writer) where(x, value, to, tmp int) {
	if w.wide() {
		w.VCMPPS(operand.U8(3), w.full(x), w.full(x), reg.K1)
		w.VMOVDQU32(w.full(value), reg.K1, w.full(to))
		return
	}
	w.VCMPPS(operand.U8(3), w.full(x), w.full(x), w.full(tmp))
	w.VBLENDVPS(w.full(tmp), w.full(value), w.full(to), w.full(to))
}

// constant is full of value: a register of the wide set, which has more of them,
// memory otherwise.
func (w *writer) constant(value uint64) operand.Op { return w.constantPart(value, 1) }

func (w *writer) constantPart(value uint64, of int) operand.Op {
	if !w.wide() {
		return w.place(value)
	}
	i := slices.Index(w.fixed, value)
	if i < 0 {
		i = len(w.fixed)
		w.fixed = append(w.fixed, value)
	}
	return fixedRegs[w.width.bytes/of][i]
}

func (w *writer) constant16(value uint64) operand.Op { return w.constant32(value<<16 | value) }

func (w *writer) constant32(value uint64) operand.Op { return w.constant(value<<32 | value) }

// halfConstant16 is for instructions on the lower halves of registers.
func (w *writer) halfConstant16(value uint64) operand.Op {
	value |= value << 16
	return w.constantPart(value<<32|value, 2)
}

// place is memory that is full of value.
func (w *writer) place(value uint64) operand.Mem {
	at, ok := w.places[value]
	if !ok {
		at = len(w.places)
		w.places[value] = at
	}
	return operand.NewDataAddr(operand.NewStaticSymbol("constants"), placeBytes*at)
}

const placeBytes = 32

// data writes the constants.
func (w *writer) data() {
	w.StaticGlobal("constants")
	w.DataAttributes(attr.RODATA | attr.NOPTR)
	values := make([]uint64, len(w.places))
	for value, at := range w.places {
		values[at] = value
	}
	for i, value := range values {
		for j := 0; j < placeBytes; j += 8 {
			w.AddDatum(placeBytes*i+j, operand.U64(value))
		}
	}
}

// jump writes a conditional jump.
func (w *writer) jump(opcode, label string) {
	w.Instruction(&ir.Instruction{Opcode: opcode, Operands: []operand.Op{operand.LabelRef(label)}, IsBranch: true, IsConditional: true})
}
