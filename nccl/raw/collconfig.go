package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// configured is a call whose last argument is a config of its own.
func (l *Library) configured(c abi.NCCLCall, config *CollConfig, args ...uintptr) error {
	s := dl.Borrow()
	defer s.Return()
	var all [9]uintptr
	n := copy(all[:], args)
	all[n] = collConfig(s, config)
	return l.do(c, all[:n+1]...)
}

// AllReduceConfig is ncclAllReduceConfig (2.31).
func (l *Library) AllReduceConfig(send, recv uintptr, count int, t DataType, op RedOp, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLAllReduceConfig, config, send, recv, uintptr(count), word32(t), word32(op), uintptr(comm), stream)
}

// BroadcastConfig is ncclBroadcastConfig (2.31).
func (l *Library) BroadcastConfig(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLBroadcastConfig, config, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// ReduceConfig is ncclReduceConfig (2.31).
func (l *Library) ReduceConfig(send, recv uintptr, count int, t DataType, op RedOp, root int, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLReduceConfig, config, send, recv, uintptr(count), word32(t), word32(op), word32(root), uintptr(comm), stream)
}

// AllGatherConfig is ncclAllGatherConfig (2.31).
func (l *Library) AllGatherConfig(send, recv uintptr, sendCount int, t DataType, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLAllGatherConfig, config, send, recv, uintptr(sendCount), word32(t), uintptr(comm), stream)
}

// ReduceScatterConfig is ncclReduceScatterConfig (2.31).
func (l *Library) ReduceScatterConfig(send, recv uintptr, recvCount int, t DataType, op RedOp, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLReduceScatterConfig, config, send, recv, uintptr(recvCount), word32(t), word32(op), uintptr(comm), stream)
}

// AlltoAllConfig is ncclAlltoAllConfig (2.31).
func (l *Library) AlltoAllConfig(send, recv uintptr, count int, t DataType, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLAlltoAllConfig, config, send, recv, uintptr(count), word32(t), uintptr(comm), stream)
}

// GatherConfig is ncclGatherConfig (2.31).
func (l *Library) GatherConfig(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLGatherConfig, config, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}

// ScatterConfig is ncclScatterConfig (2.31).
func (l *Library) ScatterConfig(send, recv uintptr, count int, t DataType, root int, comm Comm, stream uintptr, config *CollConfig) error {
	return l.configured(abi.NCCLScatterConfig, config, send, recv, uintptr(count), word32(t), word32(root), uintptr(comm), stream)
}
