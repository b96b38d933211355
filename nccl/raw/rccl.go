package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// AllReduceWithBias is ncclAllReduceWithBias of RCCL: bias is added to the result.
func (l *Library) AllReduceWithBias(send, recv uintptr, count int, t DataType, op RedOp, comm Comm, stream, bias uintptr) error {
	return l.do(abi.NCCLAllReduceWithBias, send, recv, uintptr(count), word32(t), word32(op), uintptr(comm), stream, bias)
}

// AlltoAllv is ncclAlltoAllv, or ncclAllToAllv, of RCCL. Counts and displacements are in
// elements, one for each rank.
func (l *Library) AlltoAllv(send uintptr, sendCounts, sendDispls []int, recv uintptr, recvCounts, recvDispls []int, t DataType, comm Comm, stream uintptr) error {
	a := newArrays(sendCounts, sendDispls, recvCounts, recvDispls)
	defer a.free()
	return l.do(abi.NCCLAlltoAllv, send, a.at[0], a.at[1], recv, a.at[2], a.at[3], word32(t), uintptr(comm), stream)
}

// MscclLoadAlgo is mscclLoadAlgo of RCCL, which deprecates it.
func (l *Library) MscclLoadAlgo(path string, rank int) (handle int, err error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[int32](s)
	err = l.do(abi.NCCLMscclLoadAlgo, s.Text(path), dl.Addr(out), word32(rank))
	return int(*out), err
}

// MscclRunAlgo is mscclRunAlgo of RCCL, which deprecates it.
func (l *Library) MscclRunAlgo(send uintptr, sendCounts, sendDispls []int, recv uintptr, recvCounts, recvDispls []int,
	count int, t DataType, root, peer int, op RedOp, handle int, comm Comm, stream uintptr) error {
	a := newArrays(sendCounts, sendDispls, recvCounts, recvDispls)
	defer a.free()
	return l.do(abi.NCCLMscclRunAlgo, send, a.at[0], a.at[1], recv, a.at[2], a.at[3],
		uintptr(count), word32(t), word32(root), word32(peer), word32(op), word32(handle), uintptr(comm), stream)
}

// MscclUnloadAlgo is mscclUnloadAlgo of RCCL, which deprecates it.
func (l *Library) MscclUnloadAlgo(handle int) error {
	return l.do(abi.NCCLMscclUnloadAlgo, word32(handle))
}

// arrays are lists of size_t that C reads during a call.
type arrays struct {
	at      [4]uintptr
	scratch *dl.Scratch
	release []func()
}

// newArrays copies lists: into memory that is used again, or, if they are too long for
// it, into memory of their own.
func newArrays(lists ...[]int) arrays {
	var a arrays
	total := 0
	for _, list := range lists {
		total += len(list)*8 + 16
	}
	if total <= dl.ScratchSize {
		a.scratch = dl.Borrow()
	}
	for i, list := range lists {
		if len(list) > 0 {
			a.at[i] = a.add(list)
		}
	}
	return a
}

func (a *arrays) add(list []int) uintptr {
	if a.scratch != nil {
		words := dl.OutSlice[int](a.scratch, len(list))
		copy(words, list)
		return dl.Addr(&words[0])
	}
	addr, release := dl.Pin(list)
	a.release = append(a.release, release)
	return addr
}

func (a *arrays) free() {
	if a.scratch != nil {
		a.scratch.Return()
	}
	for _, release := range a.release {
		release()
	}
}
