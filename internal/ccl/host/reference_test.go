package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/ccl"
)

// load and store are what elements mean.
func load(of ccl.Type, p unsafe.Pointer) float64 {
	switch of {
	case ccl.Int8:
		return float64(*(*int8)(p))
	case ccl.Uint8:
		return float64(*(*uint8)(p))
	case ccl.Int32:
		return float64(*(*int32)(p))
	case ccl.Uint32:
		return float64(*(*uint32)(p))
	case ccl.Int64:
		return float64(*(*int64)(p))
	case ccl.Uint64:
		return float64(*(*uint64)(p))
	case ccl.Float16:
		return float64((*dtype.Float16)(p).Float32())
	case ccl.Float32:
		return float64(*(*float32)(p))
	case ccl.Float64:
		return *(*float64)(p)
	case ccl.BFloat16:
		return float64((*dtype.BFloat16)(p).Float32())
	case ccl.Float8E4M3:
		return float64((*dtype.Float8E4M3)(p).Float32())
	}
	return float64((*dtype.Float8E5M2)(p).Float32())
}

func store(of ccl.Type, p unsafe.Pointer, x float64) {
	switch of {
	case ccl.Int8:
		*(*int8)(p) = int8(int64(x))
	case ccl.Uint8:
		*(*uint8)(p) = uint8(int64(max(x, 0)))
	case ccl.Int32:
		*(*int32)(p) = int32(int64(x))
	case ccl.Uint32:
		*(*uint32)(p) = uint32(int64(max(x, 0)))
	case ccl.Int64:
		*(*int64)(p) = int64(x)
	case ccl.Uint64:
		*(*uint64)(p) = uint64(max(x, 0))
	case ccl.Float16:
		*(*dtype.Float16)(p) = dtype.F16(float32(x))
	case ccl.Float32:
		*(*float32)(p) = float32(x)
	case ccl.Float64:
		*(*float64)(p) = x
	case ccl.BFloat16:
		*(*dtype.BFloat16)(p) = dtype.BF16(float32(x))
	case ccl.Float8E4M3:
		*(*dtype.Float8E4M3)(p) = dtype.F8E4M3(float32(x))
	default:
		*(*dtype.Float8E5M2)(p) = dtype.F8E5M2(float32(x))
	}
}

// reduced is what reductions of all inputs give, element by element, and all of them
// multiplied by scale first, for an operation of the user's.
func reduced(of ccl.Type, op ccl.Op, inputs [][]byte, scale float64) []byte {
	out := make([]byte, len(inputs[0]))
	for at := 0; at < len(out); at += int(of.Size()) {
		var acc float64
		for i, in := range inputs {
			x := load(of, unsafe.Pointer(&in[at]))
			if op >= ccl.UserOps {
				x *= scale
			}
			acc = combine(op, acc, x, i == 0)
		}
		if op == ccl.Avg {
			acc /= float64(len(inputs))
		}
		store(of, unsafe.Pointer(&out[at]), acc)
	}
	return out
}

func combine(op ccl.Op, acc, x float64, first bool) float64 {
	switch {
	case first:
		return x
	case op == ccl.Prod:
		return acc * x
	case op == ccl.Max:
		return max(acc, x)
	case op == ccl.Min:
		return min(acc, x)
	}
	return acc + x
}

// expected is what rank me has received after a call with these inputs, nil if nothing.
func expected(call ccl.Call, me int, inputs [][]byte, scale float64) []byte {
	part := call.Count * int(call.Type.Size())
	var out []byte
	switch k := call.Kind; {
	case k == ccl.Broadcast:
		return inputs[call.Peer]
	case k == ccl.Scatter:
		return inputs[call.Peer][me*part : (me+1)*part]
	case (k == ccl.Gather || k == ccl.Reduce) && me != call.Peer:
		return nil
	case k == ccl.AllGather, k == ccl.Gather:
		for _, in := range inputs {
			out = append(out, in...)
		}
		return out
	case k == ccl.AllToAll:
		for _, in := range inputs {
			out = append(out, in[me*part:(me+1)*part]...)
		}
		return out
	case k == ccl.ReduceScatter:
		return reduced(call.Type, call.Op, inputs, scale)[me*part : (me+1)*part]
	}
	return reduced(call.Type, call.Op, inputs, scale)
}

// lengths are how many parts of Count elements a rank sends and receives.
func lengths(k ccl.Kind, ranks int) (send, recv int) {
	switch k {
	case ccl.AllGather, ccl.Gather:
		return 1, ranks
	case ccl.ReduceScatter, ccl.Scatter:
		return ranks, 1
	case ccl.AllToAll:
		return ranks, ranks
	}
	return 1, 1
}
