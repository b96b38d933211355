package interchange

import (
	"math"
	"testing"

	"github.com/goshmem/goshmem/dtype"
)

func TestTypeFor(t *testing.T) {
	type celsius float32
	check := func(name string, got Type, err error, want Type) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	k, err := TypeFor[int16]()
	check("int16", k, err, Type{Int, 16, 1})
	k, err = TypeFor[int]()
	check("int", k, err, Type{Int, 64, 1})
	k, err = TypeFor[uint8]()
	check("uint8", k, err, Type{Uint, 8, 1})
	k, err = TypeFor[celsius]()
	check("celsius", k, err, Type{Float, 32, 1})
	k, err = TypeFor[complex128]()
	check("complex128", k, err, Type{Complex, 128, 1})
	k, err = TypeFor[bool]()
	check("bool", k, err, Type{Bool, 8, 1})
	k, err = TypeFor[dtype.Float16]()
	check("Float16", k, err, Type{Float, 16, 1})
	k, err = TypeFor[dtype.BFloat16]()
	check("BFloat16", k, err, Type{Bfloat, 16, 1})
	k, err = TypeFor[dtype.Float8E4M3]()
	check("Float8E4M3", k, err, Type{Float8E4M3, 8, 1})
	k, err = TypeFor[dtype.Float8E5M2]()
	check("Float8E5M2", k, err, Type{Float8E5M2, 8, 1})
	if k, err = TypeFor[[2]int](); err == nil {
		t.Errorf("[2]int is %+v", k)
	}
}

func TestValidateRefuses(t *testing.T) {
	good := Array{Pointer: 64, Shape: []int64{2}, Type: Type{Float, 32, 1}, Device: Device{CPU, 0}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(a *Array){
		"too many dimensions":   func(a *Array) { a.Shape = make([]int64, MaxDims+1) },
		"one stride too many":   func(a *Array) { a.Strides = []int64{1, 1} },
		"negative":              func(a *Array) { a.Shape = []int64{-1} },
		"huge":                  func(a *Array) { a.Shape = []int64{math.MaxInt64} },
		"a product that wraps":  func(a *Array) { a.Shape = []int64{1 << 32, 1 << 32} },
		"bytes beyond":          func(a *Array) { a.Shape = []int64{1 << 46} },
		"a stride that wraps":   func(a *Array) { a.Strides = []int64{math.MinInt64} },
		"a stride to nowhere":   func(a *Array) { a.Strides = []int64{1 << 46} },
		"lanes":                 func(a *Array) { a.Type.Lanes = 2 },
		"half a byte":           func(a *Array) { a.Type.Bits = 4 },
		"elements at address 0": func(a *Array) { a.Pointer = 0 },
	} {
		a := good
		spoil(&a)
		if a.Validate() == nil {
			t.Errorf("%s: %+v is valid", what, a)
		}
	}
}
