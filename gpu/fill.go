package gpu

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// Fill sets all elements to v on the default stream, and waits for that as CopyTo does.
// CUDA: cuMemsetD8Async, cuMemsetD16Async, cuMemsetD32Async; HIP: hipMemsetD8Async and so
// on.
func (x Slice[T]) Fill(v T) error {
	if err := x.FillAsync(v, nil); err != nil || x.n == 0 {
		return err
	}
	last := Slice[T]{x.b, x.off + uintptr(x.n-1)*x.elem(), 1}
	return last.CopyTo([]T{v}, nil) // waits for what is before it
}

// FillAsync sets all elements to v in the order of a stream, and returns before that is
// done. Elements that are no repetition of 1, 2 or 4 bytes take several operations: the
// first one piece by piece, then copies that double what is there. CUDA and HIP: as Fill.
func (x Slice[T]) FillAsync(v T, s *Stream) error {
	if err := x.b.alive(); err != nil {
		return x.fail("fill", err)
	}
	d, h, err := x.b.stream(s)
	if err == nil && x.n > 0 {
		pattern := unsafe.Slice((*byte)(unsafe.Pointer(&v)), x.elem())
		err = filler{d, h}.fill(x.ptr(), pattern, uintptr(x.n))
	}
	return fail(d, "fill", err)
}

// filler fills on a stream.
type filler struct {
	d *Device
	h device.Handle
}

// fill repeats a pattern n times.
func (f filler) fill(p device.Ptr, pattern []byte, n uintptr) error {
	size := uintptr(len(pattern))
	width := period(pattern)
	if width > 0 {
		return f.set(p, pattern[:width], size/uintptr(width)*n)
	}
	if err := f.first(p, pattern); err != nil {
		return err
	}
	for done := uintptr(1); done < n; done *= 2 {
		if err := f.d.driver().Copy(f.d.index, p+device.Ptr(done*size), p, min(done, n-done)*size, f.h); err != nil {
			return err
		}
	}
	return nil
}

// first writes a pattern once, in pieces as large as its length allows.
func (f filler) first(p device.Ptr, pattern []byte) error {
	width := 4
	for len(pattern)%width != 0 || uintptr(p)%uintptr(width) != 0 {
		width /= 2
	}
	for i := 0; i < len(pattern); i += width {
		if err := f.set(p+device.Ptr(i), pattern[i:i+width], 1); err != nil {
			return err
		}
	}
	return nil
}

// set fills with a pattern of 1, 2 or 4 bytes.
func (f filler) set(p device.Ptr, pattern []byte, n uintptr) error {
	value := uint32(0)
	for i := len(pattern) - 1; i >= 0; i-- {
		value = value<<8 | uint32(pattern[i])
	}
	return f.d.driver().Fill(f.d.index, p, value, len(pattern), n, f.h)
}

// period is the smallest of 1, 2 and 4 that the pattern repeats after, 0 for none.
func period(pattern []byte) int {
	for _, width := range []int{1, 2, 4} {
		if len(pattern)%width == 0 && repeats(pattern, width) {
			return width
		}
	}
	return 0
}

func repeats(pattern []byte, width int) bool {
	for i := width; i < len(pattern); i++ {
		if pattern[i] != pattern[i-width] {
			return false
		}
	}
	return true
}
