package host

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// What a kind of call is elsewhere.
var (
	names = [ccl.Kinds]string{"ncclAllReduce", "ncclAllReduceWithBias", "ncclBroadcast", "ncclReduce", "ncclAllGather",
		"ncclReduceScatter", "ncclAlltoAll", "ncclAllToAllv", "ncclGather", "ncclScatter", "ncclSend", "ncclRecv"}
	kinds = [ccl.Kinds]engine.Kind{engine.KindAllReduce, engine.KindAllReduce, engine.KindBroadcast, engine.KindReduce, engine.KindFCollect,
		engine.KindReduceScatter, engine.KindAllToAll, engine.KindAllToAllV, engine.KindGather, engine.KindScatter, engine.KindSendReceive, engine.KindSendReceive}
	types = [ccl.Types]reduce.Type{reduce.Int8, reduce.Uint8, reduce.Int32, reduce.Uint32, reduce.Int64, reduce.Uint64,
		reduce.Float16, reduce.Float32, reduce.Float64, reduce.BFloat16, reduce.Float8E4M3, reduce.Float8E5M2}
	reductions = [ccl.Avg]reduce.Op{reduce.Sum, reduce.Prod, reduce.Max, reduce.Min}
)

// userOp is any operation of the user's, which each rank knows by a number of its own.
const userOp = 0xff

// form is what a rank asks for beside the count, in one word: all must ask for the same.
func form(call *ccl.Call) uint64 {
	w := uint64(call.Kind) | uint64(uint8(call.Type))<<8
	if call.Kind.Reduces() {
		w |= uint64(min(call.Op, userOp)) << 16
	}
	if call.Kind.Rooted() {
		w |= uint64(uint32(call.Peer)) << 24
	}
	return w
}

// describe says what a rank asked for.
func describe(count, form uint64) string {
	k := ccl.Kind(form)
	if k >= ccl.Kinds {
		return "nothing that can be understood"
	}
	text := fmt.Sprintf("%v of %d %v", k, count, ccl.Type(form>>8))
	if k == ccl.AllToAllV {
		text = fmt.Sprintf("%v of %v", k, ccl.Type(form>>8))
	}
	switch op := ccl.Op(form >> 16 & 0xff); {
	case !k.Reduces():
	case op == userOp:
		text += ", " + ccl.UserOps.String()
	default:
		text += ", " + op.String()
	}
	if k.Rooted() {
		text += fmt.Sprintf(", root %d", form>>24)
	}
	return text
}

// odd is the error of ranks that ask for different things.
func odd(rank int, theirs [2]uint64, me int, mine [2]uint64) error {
	return &engine.Stall{Cause: engine.ErrMismatch, Detail: fmt.Sprintf("rank %d asked for %s, rank %d for %s", rank, describe(theirs[0], theirs[1]), me, describe(mine[0], mine[1]))}
}

// uneven is the error of a rank that wants another number of elements than it is given.
func uneven(from int, given uint64, to int, wanted uint64) error {
	return &engine.Stall{Cause: engine.ErrMismatch, Detail: fmt.Sprintf("rank %d sends %d elements to rank %d, which expects %d", from, given, to, wanted)}
}
