package gpu

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// CopyFrom copies a Go slice of the same length into x. It waits until that is done,
// after all that is queued in s, for which it has GOSHMEM_TIMEOUT (5 minutes). CUDA:
// cuMemcpyHtoDAsync, cuStreamSynchronize; HIP: hipMemcpyHtoDAsync, hipStreamSynchronize.
func (x Slice[T]) CopyFrom(src []T, s *Stream) error {
	return x.exchange("copy from", src, s, func(d *Device, h device.Handle) error {
		return d.driver().CopyIn(d.index, x.ptr(), unsafe.Pointer(unsafe.SliceData(src)), x.bytes(), h)
	})
}

// CopyTo copies x into a Go slice of the same length. It waits until that is done, after
// all that is queued in s, for which it has GOSHMEM_TIMEOUT (5 minutes). CUDA:
// cuMemcpyDtoHAsync, cuStreamSynchronize; HIP: hipMemcpyDtoHAsync, hipStreamSynchronize.
func (x Slice[T]) CopyTo(dst []T, s *Stream) error {
	return x.exchange("copy to", dst, s, func(d *Device, h device.Handle) error {
		return d.driver().CopyOut(d.index, unsafe.Pointer(unsafe.SliceData(dst)), x.ptr(), x.bytes(), h)
	})
}

// exchange checks a copy from or to Go memory and does it.
func (x Slice[T]) exchange(op string, local []T, s *Stream, do func(*Device, device.Handle) error) error {
	if err := x.b.alive(); err != nil {
		return x.fail(op, err)
	}
	d, h, err := x.b.stream(s)
	switch {
	case err != nil:
	case len(local) != x.n:
		err = problem(ErrArgument, "lengths differ: %d elements here, %d in the Go slice", x.n, len(local))
	case x.n > 0:
		err = d.quiet(h)
	}
	if err == nil && x.n > 0 {
		err = do(d, h)
	}
	return fail(d, op, err)
}

// quiet waits until what is queued in a stream is done, so that the library need not:
// its wait would have no end if that work has none.
func (d *Device) quiet(h device.Handle) error {
	return await(context.Background(), func() (bool, error) { return d.driver().StreamDone(d.index, h) })
}

// CopyAsync copies src, which has the same length, into x, in the order of a stream, and
// returns before that is done. Both may be device or pinned memory of any devices of one
// platform; s belongs to one of them, nil is the default stream of x's device. Memory of
// different platforms cannot be copied directly: use CopyTo and CopyFrom. CUDA:
// cuMemcpyAsync; HIP: hipMemcpyAsync.
func (x Slice[T]) CopyAsync(src Slice[T], s *Stream) error {
	d, h, err := x.between(src, s)
	if err == nil && x.n > 0 {
		err = d.driver().Copy(d.index, x.ptr(), src.ptr(), x.bytes(), h)
	}
	return fail(d, "copy", err)
}

// between checks a copy and finds the device and stream that do it.
func (x Slice[T]) between(src Slice[T], s *Stream) (*Device, device.Handle, error) {
	if err := x.b.alive(); err != nil {
		return x.Device(), 0, err
	}
	if err := src.b.alive(); err != nil {
		return x.Device(), 0, err
	}
	switch {
	case x.b.d.p != src.b.d.p:
		return x.b.d, 0, problem(ErrUnsupported, "from %v to %v there is no direct way: use CopyTo and CopyFrom", src.b.d, x.b.d)
	case x.n != src.n:
		return x.b.d, 0, problem(ErrArgument, "lengths differ: %d elements to %d", src.n, x.n)
	}
	if s != nil && s.d == src.b.d {
		return src.b.stream(s)
	}
	return x.b.stream(s)
}
