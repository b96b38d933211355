package engine

// AMOKind is an atomic memory operation.
type AMOKind uint8

// The atomic memory operations. Arithmetic is on Width bytes; Float says that
// an add is a floating-point one.
const (
	AMOFetch AMOKind = iota
	AMOSet
	AMOSwap
	AMOCompareSwap
	AMOAdd
	AMOAnd
	AMOOr
	AMOXor
)

// AMO is one atomic operation with its operands, as raw bits.
type AMO struct {
	Kind  AMOKind
	Width uint8 // 4 or 8
	Float bool
	Blind bool // nobody wants the old value: it need not be done when the call returns
	Value uint64
	Cond  uint64 // AMOCompareSwap only
}
