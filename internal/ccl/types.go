package ccl

import (
	"reflect"

	"github.com/goshmem/goshmem/dtype"
)

// Type is what an element is, with NCCL's numbers.
type Type int8

// The element types, and NoType for memory of another type.
const (
	Int8 Type = iota
	Uint8
	Int32
	Uint32
	Int64
	Uint64
	Float16
	Float32
	Float64
	BFloat16
	Float8E4M3
	Float8E5M2
	Types       // how many there are
	NoType Type = -1
)

var typeNames = [Types]string{"int8", "uint8", "int32", "uint32", "int64", "uint64", "Float16", "float32", "float64", "BFloat16", "Float8E4M3", "Float8E5M2"}

var typeSizes = [Types]uintptr{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1}

// Valid says whether t is one of the types.
func (t Type) Valid() bool { return t >= 0 && t < Types }

// String returns the type as Go calls it.
func (t Type) String() string {
	if !t.Valid() {
		return "no type of NCCL's"
	}
	return typeNames[t]
}

// Size returns the bytes of an element, 0 for NoType.
func (t Type) Size() uintptr {
	if !t.Valid() {
		return 0
	}
	return typeSizes[t]
}

// Eight says whether t is one of the floats of eight bits.
func (t Type) Eight() bool { return t == Float8E4M3 || t == Float8E5M2 }

// TypeOf returns what T is to a library, and the bytes of an element. Types that most
// programs have are known at once: to ask what a type is made of takes longer than other
// checks of a call.
func TypeOf[T any]() (Type, uintptr) {
	switch any((*T)(nil)).(type) {
	case *float32:
		return Float32, 4
	case *float64:
		return Float64, 8
	case *int32:
		return Int32, 4
	case *int64:
		return Int64, 8
	}
	t := reflect.TypeFor[T]()
	return typeOf(t), t.Size()
}

// typeOf goes by what T is made of: a type of one's own is what it is declared as.
func typeOf(t reflect.Type) Type {
	switch t.Kind() {
	case reflect.Int8:
		return Int8
	case reflect.Uint8:
		return Uint8
	case reflect.Int32:
		return Int32
	case reflect.Uint32:
		return Uint32
	case reflect.Int64, reflect.Int:
		return signed(t)
	case reflect.Uint64, reflect.Uint, reflect.Uintptr:
		return unsigned(t)
	case reflect.Float32:
		return Float32
	case reflect.Float64:
		return Float64
	}
	return narrow(t)
}

func signed(t reflect.Type) Type {
	if t.Size() == 4 {
		return Int32
	}
	return Int64
}

func unsigned(t reflect.Type) Type {
	if t.Size() == 4 {
		return Uint32
	}
	return Uint64
}

// narrow knows the types of package dtype.
func narrow(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[dtype.Float16]():
		return Float16
	case reflect.TypeFor[dtype.BFloat16]():
		return BFloat16
	case reflect.TypeFor[dtype.Float8E4M3]():
		return Float8E4M3
	case reflect.TypeFor[dtype.Float8E5M2]():
		return Float8E5M2
	}
	return NoType
}

// Op is what is done with elements, with NCCL's numbers. Those from UserOps on are
// operations of the user's, which belong to one communicator.
type Op int32

// The operations, and the first that a user can have.
const (
	Sum Op = iota
	Prod
	Max
	Min
	Avg
	UserOps
)

var opNames = [UserOps]string{"sum", "product", "maximum", "minimum", "average"}

// String returns the operation in the words of error messages.
func (op Op) String() string {
	if op < 0 || op >= UserOps {
		return "an operation of the user's"
	}
	return opNames[op]
}
