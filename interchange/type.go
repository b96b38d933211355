package interchange

import (
	"fmt"
	"reflect"

	"github.com/goshmem/goshmem/dtype"
)

// TypeCode is the kind of an element, numbered as DLDataTypeCode of DLPack 1.1.
type TypeCode uint8

// The type codes of DLPack that this package names. An import may have others.
const (
	Int        TypeCode = 0
	Uint       TypeCode = 1
	Float      TypeCode = 2
	Bfloat     TypeCode = 4
	Complex    TypeCode = 5
	Bool       TypeCode = 6
	Float8E4M3 TypeCode = 10 // e4m3fn: finite values and NaN only; dtype.Float8E4M3
	Float8E5M2 TypeCode = 12 // dtype.Float8E5M2
)

// Type is an element type: code, bits of one lane, and lanes.
type Type struct {
	Code  TypeCode
	Bits  uint8
	Lanes uint16
}

// Size is the bytes of an element.
func (t Type) Size() int { return int(t.Bits) / 8 * int(t.Lanes) }

// TypeFor returns how other systems call T: a Go integer, float, complex or bool, of
// that kind also under another name, or a type of package dtype. Others, structs among
// them, are an error.
func TypeFor[T any]() (Type, error) {
	t := reflect.TypeFor[T]()
	if known, ok := ours(t); ok {
		return known, nil
	}
	known := Type{Bits: uint8(t.Size() * 8), Lanes: 1}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		known.Code = Int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		known.Code = Uint
	case reflect.Float32, reflect.Float64:
		known.Code = Float
	case reflect.Complex64, reflect.Complex128:
		known.Code = Complex
	case reflect.Bool:
		known.Code = Bool
	default:
		return Type{}, fmt.Errorf("interchange: other systems have no name for %v: use a number, bool or a type of package dtype", t)
	}
	return known, nil
}

// ours are the types that Go does not have.
func ours(t reflect.Type) (Type, bool) {
	switch t {
	case reflect.TypeFor[dtype.Float16]():
		return Type{Float, 16, 1}, true
	case reflect.TypeFor[dtype.BFloat16]():
		return Type{Bfloat, 16, 1}, true
	case reflect.TypeFor[dtype.Float8E4M3]():
		return Type{Float8E4M3, 8, 1}, true
	case reflect.TypeFor[dtype.Float8E5M2]():
		return Type{Float8E5M2, 8, 1}, true
	}
	return Type{}, false
}
