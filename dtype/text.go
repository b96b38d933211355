package dtype

import "strconv"

func text(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

// String returns the value as Go writes it.
func (x Float16) String() string { return text(x.Float32()) }

// String returns the value as Go writes it.
func (x BFloat16) String() string { return text(x.Float32()) }

// String returns the value as Go writes it.
func (x Float8E4M3) String() string { return text(x.Float32()) }

// String returns the value as Go writes it.
func (x Float8E5M2) String() string { return text(x.Float32()) }
