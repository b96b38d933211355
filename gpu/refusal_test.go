package gpu_test

import (
	"errors"
	"math"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

func memoryErrors(t *testing.T, d *gpu.Device) {
	x, y := alloc[int32](t, d, 8), alloc[int32](t, d, 9)
	wants(t, x.CopyFrom(make([]int32, 9), nil), gpu.ErrArgument, "8 elements here, 9 in the Go slice")
	wants(t, x.CopyTo(make([]int32, 7), nil), gpu.ErrArgument, "8 elements here, 7 in the Go slice")
	wants(t, x.CopyAsync(y, nil), gpu.ErrArgument, "9 elements to 8")
	var none gpu.Slice[int32]
	wants(t, none.Fill(1), gpu.ErrArgument, "use Alloc")
	wants(t, none.CopyAsync(x, nil), gpu.ErrArgument, "use Alloc")
	wants(t, x.CopyAsync(none, nil), gpu.ErrArgument, "use Alloc")
	for _, n := range []int{0, -1} {
		_, err := gpu.Alloc[int32](d, n)
		wants(t, err, gpu.ErrArgument, "at least one is needed")
	}
	_, err := gpu.Alloc[int32](nil, 1)
	wants(t, err, gpu.ErrArgument, "no device")
	if o := other(t, d); o != d {
		s := stream(t, o)
		wants(t, x.FillAsync(1, s), gpu.ErrArgument, "needs a stream of "+d.String())
		wants(t, x.CopyFrom(make([]int32, 8), s), gpu.ErrArgument, "needs a stream of "+d.String())
	}
}

func exhausted(t *testing.T, d *gpu.Device) {
	_, err := gpu.Alloc[uint64](d, math.MaxInt)
	wants(t, err, gpu.ErrMemory, "no device has that much")
	_, err = gpu.Alloc[uint64](d, 1<<42)
	wants(t, err, gpu.ErrMemory, "35184372088832 bytes")
	wants(t, err, gpu.ErrMemory, "free")
	if said := new(gpu.DriverError); !errors.As(err, &said) || said.Call == "" || said.Name == "" {
		t.Errorf("%v does not say what the driver answered", err)
	}
	x := alloc[uint64](t, d, 1) // and the device is as before
	must(t, x.Fill(1))
}

func closedMemory(t *testing.T, d *gpu.Device) {
	x := get(gpu.Alloc[int32](d, 8))(t)
	y, part := x, get(x.Slice(0, 4))(t)
	must(t, x.Close())
	must(t, x.Close())
	must(t, y.Close())
	must(t, part.Close())
	_, err := x.At(0)
	wants(t, err, gpu.ErrClosed, "the memory is closed")
	_, err = y.Local()
	wants(t, err, gpu.ErrClosed, "the memory is closed")
	_, err = part.Slice(0, 1)
	wants(t, err, gpu.ErrClosed, "the memory is closed")
	_, err = part.Export()
	wants(t, err, gpu.ErrClosed, "the memory is closed")
	_, err = gpu.As[byte](part)
	wants(t, err, gpu.ErrClosed, "the memory is closed")
	for _, err := range []error{part.Fill(1), x.CopyFrom(make([]int32, 8), nil), x.CopyTo(make([]int32, 8), nil), x.CopyAsync(y, nil), x.Set(1, 1)} {
		wants(t, err, gpu.ErrClosed, "the memory is closed")
	}
}
