package raw

import "github.com/goshmem/goshmem/internal/abi"

// Reduce is ncclReduce.
func (l *Library) Reduce(send, recv uintptr, count int, t DataType, op RedOp, root int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLReduce, send, recv, uintptr(count), word32(t), word32(op), word32(root), uintptr(comm), stream)
}

// Bcast is ncclBcast, which works in place.
func (l *Library) Bcast(buffer uintptr, count int, t DataType, root int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLBcast, buffer, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// Broadcast is ncclBroadcast.
func (l *Library) Broadcast(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLBroadcast, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// AllReduce is ncclAllReduce.
func (l *Library) AllReduce(send, recv uintptr, count int, t DataType, op RedOp, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLAllReduce, send, recv, uintptr(count), word32(t), word32(op), uintptr(comm), stream)
}

// ReduceScatter is ncclReduceScatter.
func (l *Library) ReduceScatter(send, recv uintptr, recvCount int, t DataType, op RedOp, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLReduceScatter, send, recv, uintptr(recvCount), word32(t), word32(op), uintptr(comm), stream)
}

// AllGather is ncclAllGather.
func (l *Library) AllGather(send, recv uintptr, sendCount int, t DataType, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLAllGather, send, recv, uintptr(sendCount), word32(t), uintptr(comm), stream)
}

// Send is ncclSend.
func (l *Library) Send(send uintptr, count int, t DataType, peer int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLSend, send, uintptr(count), word32(t), word32(peer), uintptr(comm), stream)
}

// Recv is ncclRecv.
func (l *Library) Recv(recv uintptr, count int, t DataType, peer int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLRecv, recv, uintptr(count), word32(t), word32(peer), uintptr(comm), stream)
}

// AlltoAll is ncclAlltoAll (2.28.3), else ncclAllToAll of RCCL. The memory must differ.
func (l *Library) AlltoAll(send, recv uintptr, count int, t DataType, comm Comm, stream uintptr) error {
	call := abi.NCCLAlltoAll
	if l.fn[call] == 0 && l.fn[abi.NCCLOldAllToAll] != 0 {
		call = abi.NCCLOldAllToAll
	}
	return l.do(call, send, recv, uintptr(count), word32(t), uintptr(comm), stream)
}

// Gather is ncclGather (2.28.3; RCCL long before).
func (l *Library) Gather(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLGather, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// Scatter is ncclScatter (2.28.3; RCCL long before).
func (l *Library) Scatter(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLScatter, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// RedOpCreatePreMulSum is ncclRedOpCreatePreMulSum (2.11). A scalar of the host is an element
// of t as bytes; one of the device, at address, is read while collectives run.
func (l *Library) RedOpCreatePreMulSum(scalar []byte, address uintptr, t DataType, comm Comm) (RedOp, error) {
	return l.preMulSum(scalar, address, t, comm)
}

// RedOpDestroy is ncclRedOpDestroy (2.11).
func (l *Library) RedOpDestroy(op RedOp, comm Comm) error {
	return l.do(abi.NCCLRedOpDestroy, word32(op), uintptr(comm))
}
