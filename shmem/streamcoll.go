package shmem

import (
	"cmp"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// BroadcastOnStream is [Broadcast] as work of a stream: it returns at once, and reads and
// writes arrays when earlier work of the streams of all members is done. dst is there for
// later work of the stream; src may be changed by it. Arguments are looked at now: where
// they are wrong this PE gets an error, and all members get one from the next blocking
// collective of the team, since the others wait for this PE. For the order of calls see
// [Team.BarrierOnStream]. Collective over the team. rocSHMEM:
// rocshmem_broadcastmem_on_stream; NVSHMEM: nvshmemx_broadcastmem_on_stream.
func BroadcastOnStream[T any](s *gpu.Stream, t *Team, dst, src Array[T], root int) error {
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindBroadcast, Root: root, Dst: dst.off, Src: src.off, Bytes: dst.bytes()},
		t.rooted(root, alike(dst.n, src.n, t.pair(dst.span(), src.span(), 0))))
}

// FCollectOnStream is [FCollect] as work of a stream, see BroadcastOnStream. Collective
// over the team. NVSHMEM: nvshmemx_fcollectmem_on_stream.
func FCollectOnStream[T any](s *gpu.Stream, t *Team, dst, src Array[T]) error {
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindFCollect, Dst: dst.off, Src: src.off, Bytes: src.bytes()},
		t.times(dst.n, src.n, t.pair(dst.span(), src.span(), t.mine(src.bytes()))))
}

// AllToAllOnStream is [AllToAll] as work of a stream, see BroadcastOnStream. Collective
// over the team. rocSHMEM: rocshmem_alltoallmem_on_stream; NVSHMEM:
// nvshmemx_alltoallmem_on_stream.
func AllToAllOnStream[T any](s *gpu.Stream, t *Team, dst, src Array[T]) error {
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindAllToAll, Dst: dst.off, Src: src.off, Bytes: src.bytes() / uintptr(max(t.NPEs(), 1))},
		t.divided(src.n, alike(dst.n, src.n, t.pair(dst.span(), src.span(), apart))))
}

// AllReduceOnStream is [AllReduce] as work of a stream, see BroadcastOnStream. Collective
// over the team. rocSHMEM: rocshmem_ctx_TYPE_OP_reduce_on_stream; NVSHMEM:
// nvshmemx_TYPE_OP_reduce_on_stream.
func AllReduceOnStream[T Numeric](s *gpu.Stream, t *Team, dst, src Array[T], op Reduction[T]) error {
	elem, what, invalid := asked(op)
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindAllReduce, Dst: dst.off, Src: src.off, Bytes: src.bytes(), Elem: elem, Op: what},
		cmp.Or(invalid, alike(dst.n, src.n, t.pair(dst.span(), src.span(), 0))))
}

// ReduceOnStream is [Reduce] as work of a stream, see BroadcastOnStream; dst of others
// than the root is not looked at. Collective over the team. NCCL: ncclReduce.
func ReduceOnStream[T Numeric](s *gpu.Stream, t *Team, dst, src Array[T], op Reduction[T], root int) error {
	elem, what, invalid := asked(op)
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindReduce, Root: root, Dst: dst.off, Src: src.off, Bytes: src.bytes(), Elem: elem, Op: what},
		cmp.Or(invalid, t.checkReduce(dst.span(), src.span(), dst.n, src.n, root)))
}

// ReduceScatterOnStream is [ReduceScatter] as work of a stream, see BroadcastOnStream.
// Collective over the team. NVSHMEM: nvshmemx_TYPE_OP_reducescatter_on_stream; NCCL:
// ncclReduceScatter.
func ReduceScatterOnStream[T Numeric](s *gpu.Stream, t *Team, dst, src Array[T], op Reduction[T]) error {
	elem, what, invalid := asked(op)
	return t.collectiveOn(s,
		engine.Collective{Kind: engine.KindReduceScatter, Dst: dst.off, Src: src.off, Bytes: dst.bytes(), Elem: elem, Op: what},
		cmp.Or(invalid, t.times(src.n, dst.n, t.pair(src.span(), dst.span(), t.mine(dst.bytes())))))
}

// asked is a reduction as engines know it, or why it cannot be.
func asked[T Numeric](op Reduction[T]) (reduce.Type, reduce.Op, error) {
	var v T
	elem := elementOf[T]()
	if op == nil || !op(v).real {
		return elem, 0, problem(ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor")
	}
	what := op(v).op
	if !reduce.Has(elem, what) {
		return elem, what, problem(ErrArgument, "%v has no %v", elem, what)
	}
	return elem, what, nil
}
