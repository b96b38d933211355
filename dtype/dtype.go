// Package dtype has the floating-point types that GPUs compute with and Go does not
// have: each a struct around its bits, so that no arithmetic of integers can be done
// on it by mistake. Conversions from float32 round to nearest, ties to even;
// conversions to float32 are exact. Reductions over them add in float32.
package dtype

import "math"

// Float16 is IEEE 754 binary16. NCCL: ncclFloat16; CUDA, HIP: __half.
type Float16 struct{ bits uint16 }

// BFloat16 has the exponent of float32 and 7 bits of fraction. NCCL: ncclBfloat16.
type BFloat16 struct{ bits uint16 }

// Float8E4M3 is the OCP format without infinities; its largest number is 448.
// Conversion to it saturates, as CUDA's and HIP's does. NCCL: ncclFloat8e4m3.
type Float8E4M3 struct{ bits uint8 }

// Float8E5M2 is the OCP format with infinities; its largest number is 57344.
// Conversion to it saturates, as CUDA's and HIP's does. NCCL: ncclFloat8e5m2.
type Float8E5M2 struct{ bits uint8 }

func half() format { return format{exponent: 5, fraction: 10} }

func e4m3() format { return format{exponent: 4, fraction: 3, finite: true, saturate: true} }

func e5m2() format { return format{exponent: 5, fraction: 2, saturate: true} }

// F16 rounds x to a Float16; what is too large becomes infinite.
func F16(x float32) Float16 { return Float16{uint16(half().encode(x))} }

// BF16 rounds x to a BFloat16; what is too large becomes infinite.
func BF16(x float32) BFloat16 {
	bits := math.Float32bits(x)
	if bits&(1<<31-1) > 0xff<<23 { // keep the sign and the upper bits of a NaN, quiet
		return BFloat16{uint16(bits>>16) | 1<<6}
	}
	return BFloat16{uint16((bits + 0x7fff + bits>>16&1) >> 16)}
}

// F8E4M3 rounds x to a Float8E4M3; what is too large becomes the largest.
func F8E4M3(x float32) Float8E4M3 { return Float8E4M3{uint8(e4m3().encode(x))} }

// F8E5M2 rounds x to a Float8E5M2; what is too large becomes the largest.
func F8E5M2(x float32) Float8E5M2 { return Float8E5M2{uint8(e5m2().encode(x))} }

// Float16FromBits returns the Float16 with these bits.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// BFloat16FromBits returns the BFloat16 with these bits.
func BFloat16FromBits(bits uint16) BFloat16 { return BFloat16{bits} }

// Float8E4M3FromBits returns the Float8E4M3 with these bits.
func Float8E4M3FromBits(bits uint8) Float8E4M3 { return Float8E4M3{bits} }

// Float8E5M2FromBits returns the Float8E5M2 with these bits.
func Float8E5M2FromBits(bits uint8) Float8E5M2 { return Float8E5M2{bits} }

// Bits returns the bits of x.
func (x Float16) Bits() uint16 { return x.bits }

// Bits returns the bits of x.
func (x BFloat16) Bits() uint16 { return x.bits }

// Bits returns the bits of x.
func (x Float8E4M3) Bits() uint8 { return x.bits }

// Bits returns the bits of x.
func (x Float8E5M2) Bits() uint8 { return x.bits }

// Float32 returns the value of x.
func (x Float16) Float32() float32 { return half().decode(uint32(x.bits)) }

// Float32 returns the value of x.
func (x BFloat16) Float32() float32 { return math.Float32frombits(uint32(x.bits) << 16) }

// Float32 returns the value of x.
func (x Float8E4M3) Float32() float32 { return e4m3().decode(uint32(x.bits)) }

// Float32 returns the value of x.
func (x Float8E5M2) Float32() float32 { return e5m2().decode(uint32(x.bits)) }
