package nvshmem

import "github.com/goshmem/goshmem/internal/reduce"

// TypeName is what the library calls an element type in the names of reductions; "" if
// it has none. Integers go by their sizes: char, short, int and long have no bitwise
// operations there.
func TypeName(t reduce.Type) string {
	switch t {
	case reduce.Float32:
		return "float"
	case reduce.Float64:
		return "double"
	case reduce.Float16:
		return "half"
	case reduce.BFloat16:
		return "bfloat16"
	}
	if t <= reduce.Uint64 {
		return t.String()
	}
	return ""
}

// Reduction is the name of the function on a stream that combines elements of a type, for
// all members or with parts for each; "" if there is none.
func Reduction(t reduce.Type, op reduce.Op, scatter bool) string {
	name := TypeName(t)
	if name == "" || op >= reduce.And && t > reduce.Uint64 {
		return ""
	}
	kind := "_reduce"
	if scatter {
		kind = "_reducescatter"
	}
	return "nvshmemx_" + name + "_" + op.String() + kind + "_on_stream"
}

// Reductions are all of them.
func Reductions() []string {
	var names []string
	for t := reduce.Int8; t <= reduce.BFloat16; t++ {
		for op := reduce.Sum; op <= reduce.Xor; op++ {
			for _, scatter := range []bool{false, true} {
				if name := Reduction(t, op, scatter); name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
