package gpu_test

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

const some = 1000

func copies(t *testing.T, d *gpu.Device) {
	x, want := alloc[float32](t, d, some), values[float32](some)
	must(t, x.CopyFrom(want, nil))
	holds(t, x, want, nil)
	s := stream(t, d)
	slices.Reverse(want)
	must(t, x.CopyFrom(want, s))
	holds(t, x, want, s)
}

func between(t *testing.T, d *gpu.Device) {
	o, s := other(t, d), stream(t, d)
	want := values[int64](some)
	there, here, host := alloc[int64](t, o, some), alloc[int64](t, d, some), pinned[int64](t, d, some)
	local := get(host.Local())(t)
	copy(local, want)
	must(t, there.CopyAsync(host, s2(s, d, o)))
	must(t, o.Synchronize(t.Context()))
	must(t, d.Synchronize(t.Context()))
	must(t, here.CopyAsync(there, s))
	must(t, host.Fill(0))
	must(t, host.CopyAsync(here, s))
	synchronize(t, s)
	if !slices.Equal(local, want) {
		t.Errorf("on the way over %v and %v it became %v", o, d, local[:8])
	}
}

// s2 is s if the destination is of its device, else the default stream.
func s2(s *gpu.Stream, d, dst *gpu.Device) *gpu.Stream {
	if d == dst {
		return s
	}
	return nil
}

func parts(t *testing.T, d *gpu.Device) {
	x := alloc[int32](t, d, some)
	must(t, x.Fill(-1))
	part := get(x.Slice(10, 20))(t)
	must(t, part.CopyFrom(values[int32](10), nil))
	of := get(part.Slice(3, 5))(t)
	must(t, of.Fill(77))
	want := slices.Repeat([]int32{-1}, some)
	copy(want[10:], values[int32](10))
	want[13], want[14] = 77, 77
	holds(t, x, want, nil)
	if empty := get(x.Slice(5, 5))(t); empty.Len() != 0 || empty.Fill(3) != nil || empty.CopyFrom(nil, nil) != nil || empty.CopyAsync(empty, nil) != nil {
		t.Error("an empty part is not simply empty")
	}
	for _, bad := range [][2]int{{-1, 2}, {3, 2}, {0, some + 1}} {
		_, err := x.Slice(bad[0], bad[1])
		wants(t, err, gpu.ErrArgument, "of 1000 elements")
	}
	wants(t, part.Close(), gpu.ErrArgument, "close the whole")
}

func fills(t *testing.T, d *gpu.Device) {
	filled(t, d, uint8(7))
	filled(t, d, uint16(0x1234))
	filled(t, d, float32(-1.5))
	filled(t, d, float64(3.25))
	filled(t, d, uint64(0x0102030405060708))
	filled(t, d, uint64(0x0101010101010101))
	filled(t, d, [3]uint8{1, 2, 3})
	filled(t, d, [3]uint16{1, 2, 3})
	filled(t, d, [5]uint32{1, 2, 3, 4, 5})
	filled(t, d, complex(1, -2))
}

// filled fills all but the ends.
func filled[T comparable](t *testing.T, d *gpu.Device, v T) {
	t.Helper()
	var zero T
	for _, n := range []int{1, 2, 3, 7, 64, 1001} {
		x := get(gpu.Alloc[T](d, n+2))(t)
		must(t, x.Fill(zero))
		must(t, get(x.Slice(1, n+1))(t).Fill(v))
		holds(t, x, slices.Concat([]T{zero}, slices.Repeat([]T{v}, n), []T{zero}), nil)
		must(t, x.Close())
	}
}

func elements(t *testing.T, d *gpu.Device) {
	for _, x := range []gpu.Slice[float64]{alloc[float64](t, d, 8), pinned[float64](t, d, 8)} {
		must(t, x.Fill(1))
		must(t, x.Set(5, 2.5))
		for i, want := range map[int]float64{4: 1, 5: 2.5, 6: 1} {
			if got := get(x.At(i))(t); got != want {
				t.Errorf("element %d of %v is %v, want %v", i, x, got, want)
			}
		}
		for _, i := range []int{-1, 8} {
			_, err := x.At(i)
			wants(t, err, gpu.ErrArgument, "of 8")
			wants(t, x.Set(i, 0), gpu.ErrArgument, "of 8")
		}
	}
}

func pinnedMemory(t *testing.T, d *gpu.Device) {
	x, y := pinned[int32](t, d, some), alloc[int32](t, d, some)
	local := get(x.Local())(t)
	copy(local, values[int32](some))
	s := stream(t, d)
	must(t, y.CopyAsync(x, s))
	synchronize(t, s)
	holds(t, y, local, nil)
	elsewhere := stream(t, other(t, d)) // every device of the platform reaches it
	must(t, x.FillAsync(9, elsewhere))
	synchronize(t, elsewhere)
	if local[some-1] != 9 {
		t.Errorf("another device filled pinned memory with 9, it holds %d", local[some-1])
	}
	must(t, y.FillAsync(9, s))
	synchronize(t, s)
	if x.Kind() != gpu.PinnedMemory || y.Kind() != gpu.DeviceMemory {
		t.Errorf("kinds: %v, %v", x, y)
	}
	direct, err := y.Local()
	if d.Platform() == "host" {
		must(t, err)
		if !slices.Equal(direct, local) {
			t.Error("memory of a host device is not what was copied there")
		}
		return
	}
	wants(t, err, gpu.ErrUnsupported, "use CopyTo and CopyFrom")
}

func foreign(t *testing.T, d *gpu.Device) {
	x := alloc[int32](t, d, some)
	f := get(gpu.Foreign[int32](d, x.Address(), some, gpu.DeviceMemory))(t)
	must(t, f.CopyFrom(values[int32](some), nil))
	must(t, f.Close())
	holds(t, x, values[int32](some), nil)
	wants(t, f.Fill(1), gpu.ErrClosed, "closed")
	_, err := gpu.Foreign[int32](d, 0, 1, gpu.DeviceMemory)
	wants(t, err, gpu.ErrArgument, "a multiple of 4")
	_, err = gpu.Foreign[int32](d, x.Address()+2, 1, gpu.DeviceMemory)
	wants(t, err, gpu.ErrArgument, "a multiple of 4")
	_, err = gpu.Foreign[int32](d, x.Address(), 1<<30, gpu.DeviceMemory)
	wants(t, err, gpu.ErrArgument, "the allocation there ends after ")
	_, err = gpu.Foreign[int32](d, x.Address(), some, gpu.PinnedMemory)
	wants(t, err, gpu.ErrArgument, "is memory of "+d.String()+", not pinned memory")
	if o := other(t, d); o != d {
		_, err = gpu.Foreign[int32](o, x.Address(), some, gpu.DeviceMemory)
		wants(t, err, gpu.ErrArgument, "is memory of "+d.String()+": give that device")
	}
	must(t, get(gpu.Foreign[int32](other(t, d), pinned[int32](t, d, some).Address(), some, gpu.PinnedMemory))(t).Fill(3))
	_, err = gpu.Foreign[int32](nil, x.Address(), 1, gpu.DeviceMemory)
	wants(t, err, gpu.ErrArgument, "no device")
}

func elementTypes(t *testing.T, d *gpu.Device) {
	type pair struct {
		A int32
		B [2]float32
	}
	x := alloc[pair](t, d, 3)
	want := []pair{{1, [2]float32{2, 3}}, {4, [2]float32{5, 6}}, {7, [2]float32{8, 9}}}
	must(t, x.CopyFrom(want, nil))
	holds(t, x, want, nil)
	_, err := gpu.Alloc[struct{ P []int }](d, 1)
	wants(t, err, gpu.ErrArgument, "holds a pointer (P: slice)")
	_, err = gpu.Alloc[*int](d, 1)
	wants(t, err, gpu.ErrArgument, "holds a pointer")
	_, err = gpu.Alloc[struct{}](d, 1)
	wants(t, err, gpu.ErrArgument, "has no size")
	_, err = gpu.AllocPinned[string](d, 1)
	wants(t, err, gpu.ErrArgument, "holds a pointer")
}

func as(t *testing.T, d *gpu.Device) {
	raw := alloc[byte](t, d, 64)
	x := get(gpu.As[uint32](raw))(t)
	must(t, x.Fill(0x04030201))
	if first := get(raw.At(2))(t); first != 3 || x.Len() != 16 {
		t.Errorf("byte 2 is %d, there are %d words", first, x.Len())
	}
	_, err := gpu.As[*int](raw)
	wants(t, err, gpu.ErrArgument, "no pointers")
	_, err = gpu.As[[3]byte](raw)
	wants(t, err, gpu.ErrArgument, "not a whole number")
	_, err = gpu.As[uint32](get(raw.Slice(1, 5))(t))
	wants(t, err, gpu.ErrArgument, "a multiple of 4")
}
