package dtype

import "math"

// format is a floating-point format narrower than float32, of IEEE 754's shape: sign,
// exponent, fraction.
type format struct {
	exponent, fraction uint // bits
	finite             bool // no infinities; all ones is the only NaN (OCP E4M3)
	saturate           bool // what is too large becomes the largest finite number
}

func (f format) bias() int { return 1<<(f.exponent-1) - 1 }

// largest returns the bits of the largest finite number.
func (f format) largest() uint32 {
	if f.finite {
		return 1<<(f.exponent+f.fraction) - 2
	}
	return (1<<f.exponent-1)<<f.fraction - 1
}

// nan returns the bits of a quiet NaN.
func (f format) nan() uint32 {
	if f.finite {
		return 1<<(f.exponent+f.fraction) - 1
	}
	return (1<<f.exponent-1)<<f.fraction | 1<<(f.fraction-1)
}

// overflow returns the bits of what is larger than the largest finite number.
func (f format) overflow() uint32 {
	switch {
	case f.saturate:
		return f.largest()
	case f.finite:
		return f.nan()
	}
	return f.largest() + 1
}

// encode rounds x to the nearest number of the format, to even if two are as near.
func (f format) encode(x float32) uint32 {
	bits := math.Float32bits(x)
	sign, magnitude := bits>>31<<(f.exponent+f.fraction), bits&(1<<31-1)
	switch {
	case magnitude > 0xff<<23:
		return sign | f.nan()
	case magnitude == 0xff<<23:
		return sign | f.overflow()
	}
	rounded := f.round(magnitude)
	if rounded > f.largest() {
		rounded = f.overflow()
	}
	return sign | rounded
}

// round is encode of a positive finite number, given as the bits of a float32. What
// it returns may be larger than the largest number.
func (f format) round(magnitude uint32) uint32 {
	exponent, fraction := int(magnitude>>23), magnitude&(1<<23-1)
	if exponent == 0 { // a float32 that is subnormal is less than half of anything here
		if f.exponent < 8 {
			return 0
		}
	} else {
		fraction |= 1 << 23
	}
	narrow := max(exponent, 1) - 127 + f.bias() // its exponent here
	drop := 23 - f.fraction                     // bits that have no place
	if narrow < 1 {                             // subnormal here
		drop += uint(1 - narrow)
		narrow = 1
	}
	if drop > 24+1 {
		return 0
	}
	kept := fraction >> drop
	rest, half := fraction&(1<<drop-1), uint32(1)<<(drop-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	return kept + uint32(narrow-1)<<f.fraction // the hidden bit adds one to the exponent, a carry another
}

// decode returns the value of bits, exactly.
func (f format) decode(bits uint32) float32 {
	sign := bits >> (f.exponent + f.fraction) << 31
	magnitude := bits & (1<<(f.exponent+f.fraction) - 1)
	exponent, fraction := int(magnitude>>f.fraction), magnitude&(1<<f.fraction-1)
	switch {
	case f.finite && magnitude == f.nan(), !f.finite && exponent == 1<<f.exponent-1 && fraction != 0:
		return math.Float32frombits(sign | 0xff<<23 | 1<<22 | fraction<<(23-f.fraction))
	case !f.finite && exponent == 1<<f.exponent-1:
		return math.Float32frombits(sign | 0xff<<23)
	case exponent == 0:
		scale := float32(math.Ldexp(float64(fraction), 1-f.bias()-int(f.fraction)))
		return math.Float32frombits(sign | math.Float32bits(scale))
	}
	return math.Float32frombits(sign | uint32(exponent-f.bias()+127)<<23 | fraction<<(23-f.fraction))
}
