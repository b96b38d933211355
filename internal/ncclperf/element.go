package ncclperf

import (
	"encoding/binary"
	"math"

	"github.com/goshmem/goshmem/dtype"
)

// element is a type of elements: how numbers are written and read.
type element struct {
	name string // as nccl-tests has it
	size int
	// exact is up to where all whole numbers are elements.
	exact int
	// step is the distance between 1 and the next element, 0 of whole numbers.
	step float64
	put  func(b []byte, v float64)
	get  func(b []byte) float64
}

// elements are in the order of NCCL's numbers.
func elements() []element {
	le := binary.LittleEndian
	return []element{
		{"int8", 1, 127, 0, func(b []byte, v float64) { b[0] = byte(int8(int64(v))) }, func(b []byte) float64 { return float64(int8(b[0])) }},
		{"uint8", 1, 255, 0, func(b []byte, v float64) { b[0] = byte(int64(v)) }, func(b []byte) float64 { return float64(b[0]) }},
		{"int32", 4, math.MaxInt32, 0, func(b []byte, v float64) { le.PutUint32(b, uint32(int64(v))) }, func(b []byte) float64 { return float64(int32(le.Uint32(b))) }},
		{"uint32", 4, math.MaxInt32, 0, func(b []byte, v float64) { le.PutUint32(b, uint32(int64(v))) }, func(b []byte) float64 { return float64(le.Uint32(b)) }},
		{"int64", 8, 1 << 53, 0, func(b []byte, v float64) { le.PutUint64(b, uint64(int64(v))) }, func(b []byte) float64 { return float64(int64(le.Uint64(b))) }},
		{"uint64", 8, 1 << 53, 0, func(b []byte, v float64) { le.PutUint64(b, uint64(int64(v))) }, func(b []byte) float64 { return float64(le.Uint64(b)) }},
		{"half", 2, 2048, 0x1p-10, func(b []byte, v float64) { le.PutUint16(b, dtype.F16(float32(v)).Bits()) }, func(b []byte) float64 { return float64(dtype.Float16FromBits(le.Uint16(b)).Float32()) }},
		{"float", 4, 1 << 24, 0x1p-23, func(b []byte, v float64) { le.PutUint32(b, math.Float32bits(float32(v))) }, func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }},
		{"double", 8, 1 << 53, 0x1p-52, func(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) }, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }},
		{"bfloat16", 2, 256, 0x1p-7, func(b []byte, v float64) { le.PutUint16(b, dtype.BF16(float32(v)).Bits()) }, func(b []byte) float64 { return float64(dtype.BFloat16FromBits(le.Uint16(b)).Float32()) }},
		{"f8e4m3", 1, 16, 0x1p-3, func(b []byte, v float64) { b[0] = dtype.F8E4M3(float32(v)).Bits() }, func(b []byte) float64 { return float64(dtype.Float8E4M3FromBits(b[0]).Float32()) }},
		{"f8e5m2", 1, 8, 0x1p-2, func(b []byte, v float64) { b[0] = dtype.F8E5M2(float32(v)).Bits() }, func(b []byte) float64 { return float64(dtype.Float8E5M2FromBits(b[0]).Float32()) }},
	}
}

func typeNames() (names []string) {
	for _, e := range elements() {
		names = append(names, e.name)
	}
	return names
}

// operations are in the order of NCCL's numbers, with one of the user's last: sums in which
// the elements of ranks with an odd number count twice.
func opNames() []string { return []string{"sum", "prod", "max", "min", "avg", "mulsum"} }

// limit is the number of values that data is made of: so few that all sums over n ranks are
// elements, and all products of ones and twos.
func (e element) limit(op string, n int) int {
	switch op {
	case "prod":
		return 2
	case "sum", "avg":
		return max(2, min(8, e.exact/n+1))
	case "mulsum":
		return max(2, min(8, e.exact/(2*n)+1))
	}
	return min(8, e.exact)
}

// value is what rank has at i.
func value(op string, limit, rank, i int) float64 {
	v := (i*7 + rank*3 + i/limit) % limit
	if op == "prod" { // ones, and a two on one rank in eight
		if v = 1; (i+rank)%8 == 0 {
			v = 2
		}
	}
	return float64(v)
}

// reduced is the result over n ranks at i.
func reduced(op string, limit, n, i int) float64 {
	total := value(op, limit, 0, i)
	for r := 1; r < n; r++ {
		v := value(op, limit, r, i)
		switch op {
		case "prod":
			total *= v
		case "max":
			total = max(total, v)
		case "min":
			total = min(total, v)
		case "mulsum":
			total += v * scalar(r)
		default:
			total += v
		}
	}
	if op == "avg" {
		total /= float64(n)
	}
	return total
}

// scalar is what a rank's elements count in a mulsum.
func scalar(rank int) float64 { return float64(1 + rank%2) }

// right says whether got is the result want of op: exactly so, unless a division or a
// factor may round: libraries multiply before they add. The average of whole numbers is
// rounded in a way that libraries choose.
func (e element) right(op string, got, want float64) bool {
	switch {
	case op != "avg":
		return got == want
	case e.step == 0:
		return math.Abs(got-want) < 1
	}
	return math.Abs(got-want) <= 2*e.step*math.Abs(want)
}
