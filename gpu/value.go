package gpu

import "github.com/goshmem/goshmem/internal/device"

// Compare is how a stream compares the word that it waits for.
type Compare = device.Compare

// The comparisons of a word with the value that is waited for.
const (
	CompareGE  = device.CompareGE  // word-v, as a signed number, is not negative
	CompareEQ  = device.CompareEQ  // word == v
	CompareAnd = device.CompareAnd // word & v is not 0
)

// WriteValue stores v in element i of x when the work of the stream before it is done, in
// one piece. It returns when that is queued. Properties.WaitValues says whether a device
// can. CUDA: cuStreamWriteValue64 (11.7); HIP: hipStreamWriteValue64.
func (s *Stream) WriteValue(x Slice[uint64], i int, v uint64) error {
	return s.word("write value", x, i, func(drv device.Driver, dev int, p device.Ptr) error {
		return drv.WriteValue(dev, s.h, p, v)
	})
}

// WaitValue has later work of the stream wait until element i of x compares so with v:
// another stream, device or process stores there, or Go does in pinned memory. Nothing
// breaks such a wait off but that store. It returns when the wait is queued. With HIP,
// CompareGE compares unsigned numbers. CUDA: cuStreamWaitValue64 (11.7); HIP:
// hipStreamWaitValue64, which AMD describes for memory of hipMallocSignalMemory only.
func (s *Stream) WaitValue(x Slice[uint64], i int, c Compare, v uint64) error {
	return s.word("wait value", x, i, func(drv device.Driver, dev int, p device.Ptr) error {
		return drv.WaitValue(dev, s.h, p, v, c)
	})
}

// word runs a call about a word that must be reachable from the stream's device.
func (s *Stream) word(op string, x Slice[uint64], i int, call func(device.Driver, int, device.Ptr) error) error {
	one, err := x.element(op, i)
	if err != nil {
		return err
	}
	return s.do(op, func(drv device.Driver, dev int) error {
		if err := s.d.reaches(one.KernelArgument()); err != nil {
			return err
		}
		return call(drv, dev, one.ptr())
	})
}
