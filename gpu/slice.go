package gpu

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// Slice is n elements of T in device or pinned memory. It is a small value: copies and
// parts of it refer to the same memory. T is any type of fixed size without pointers.
type Slice[T any] struct {
	b   *block
	off uintptr // of element 0, from the start of the allocation
	n   int
}

// Buffer is memory as bytes. [As] gives it another type.
type Buffer = Slice[byte]

// Alloc allocates n elements in the memory of a device. They have no defined contents.
// Errors: ErrMemory, with what was asked, free and there; ErrArgument for a T with
// pointers. CUDA: cuMemAlloc; HIP: hipMalloc.
func Alloc[T any](d *Device, n int) (Slice[T], error) {
	return alloc[T](d, DeviceMemory, "alloc", n)
}

// AllocPinned allocates n elements of host memory that all devices of d's platform reach
// too, and that copies run fast from and to. They have no defined contents. Errors: as
// Alloc's. CUDA: cuMemHostAlloc; HIP: hipHostMalloc.
func AllocPinned[T any](d *Device, n int) (Slice[T], error) {
	return alloc[T](d, PinnedMemory, "alloc pinned", n)
}

func alloc[T any](d *Device, kind MemoryKind, op string, n int) (Slice[T], error) {
	if d == nil {
		return Slice[T]{}, noDevice(op)
	}
	b, err := allocate(d, kind, reflect.TypeFor[T](), n)
	if err != nil {
		return Slice[T]{}, fail(d, op, err)
	}
	return Slice[T]{b, 0, n}, nil
}

// Foreign returns n elements of memory that somebody else manages, such as another
// library, by their address. It must be memory of d and of that kind, which is checked
// where the driver knows the allocation, as is its end. Close does not give it back. CUDA:
// cuPointerGetAttribute; HIP: hipPointerGetAttribute.
func Foreign[T any](d *Device, address uintptr, n int, kind MemoryKind) (Slice[T], error) {
	const op = "foreign"
	if d == nil {
		return Slice[T]{}, noDevice(op)
	}
	bytes, err := extent(reflect.TypeFor[T](), n)
	if err == nil {
		err = d.vouch(address, bytes, kind, reflect.TypeFor[T]())
	}
	if err != nil {
		return Slice[T]{}, fail(d, op, err)
	}
	return Slice[T]{&block{d: d, kind: kind, at: device.Ptr(address), n: bytes}, 0, n}, nil
}

// vouch says what is wrong with somebody's memory, as far as the driver knows it.
func (d *Device) vouch(address, bytes uintptr, kind MemoryKind, t reflect.Type) error {
	if align := uintptr(t.Align()); address == 0 || address%align != 0 {
		return problem(ErrArgument, "address %#x: a multiple of %d is needed", address, align)
	}
	a, err := d.driver().Attributes(device.Ptr(address))
	if err != nil || !a.Known {
		return err
	}
	left := uintptr(a.Base) + a.Size - address
	switch {
	case a.Size > 0 && bytes > left:
		return problem(ErrArgument, "%d bytes at %#x: the allocation there ends after %d", bytes, address, left)
	case !a.Pinned && kind == PinnedMemory:
		return problem(ErrArgument, "%#x is memory of %s:%d, not pinned memory of the host", address, d.p.name, a.Device)
	case !a.Pinned && a.Device != d.index:
		return problem(ErrArgument, "%#x is memory of %s:%d: give that device", address, d.p.name, a.Device)
	}
	return nil
}

// As returns the same bytes as elements of another type. They must be a whole number of
// elements, and aligned for them.
func As[T, U any](x Slice[U]) (Slice[T], error) {
	const op = "as"
	t := reflect.TypeFor[T]()
	if path := mem.PointerIn(t); path != "" || t.Size() == 0 {
		return Slice[T]{}, x.fail(op, problem(ErrArgument, "%v is no type for elements: they have a size and no pointers", t))
	}
	err := x.b.alive()
	switch {
	case err != nil:
	case x.bytes()%t.Size() != 0:
		err = problem(ErrArgument, "%d bytes are not a whole number of %v", x.bytes(), t)
	case uintptr(x.ptr())%uintptr(t.Align()) != 0:
		err = problem(ErrArgument, "address %#x: %v needs a multiple of %d", x.ptr(), t, t.Align())
	}
	if err != nil {
		return Slice[T]{}, x.fail(op, err)
	}
	return Slice[T]{x.b, x.off, int(x.bytes() / t.Size())}, nil
}

// Len returns the number of elements.
func (x Slice[T]) Len() int { return x.n }

// Device returns the device that the memory was allocated on, nil for the zero Slice.
func (x Slice[T]) Device() *Device {
	if x.b == nil {
		return nil
	}
	return x.b.d
}

// Kind says where the memory is.
func (x Slice[T]) Kind() MemoryKind {
	if x.b == nil {
		return DeviceMemory
	}
	return x.b.kind
}

// Address returns the address of element 0 as kernels and vendors' libraries see it, 0
// for the zero Slice. It is valid until the memory is closed.
func (x Slice[T]) Address() uintptr {
	if x.b == nil {
		return 0
	}
	return uintptr(x.ptr())
}

// ptr is the address of element 0; there must be memory.
func (x Slice[T]) ptr() device.Ptr { return x.b.at + device.Ptr(x.off) }

// elem is the size of an element.
func (x Slice[T]) elem() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

func (x Slice[T]) bytes() uintptr { return uintptr(x.n) * x.elem() }

func (x Slice[T]) fail(op string, err error) error { return fail(x.Device(), op, err) }

// Slice returns elements lo to hi-1, which are the same memory.
func (x Slice[T]) Slice(lo, hi int) (Slice[T], error) {
	if err := x.b.alive(); err != nil {
		return Slice[T]{}, x.fail("slice", err)
	}
	if lo < 0 || hi < lo || hi > x.n {
		return Slice[T]{}, x.fail("slice", problem(ErrArgument, "[%d:%d] of %d elements", lo, hi, x.n))
	}
	return Slice[T]{x.b, x.off + uintptr(lo)*x.elem(), hi - lo}, nil
}

// Local returns the elements as a Go slice of the same memory. That is possible for
// pinned memory, and on platform host; else the error wraps ErrUnsupported. The slice must
// not be used after Close, nor while work that is queued on streams writes it.
func (x Slice[T]) Local() ([]T, error) {
	if err := x.b.alive(); err != nil {
		return nil, x.fail("local", err)
	}
	if !x.reachable() {
		return nil, x.fail("local", problem(ErrUnsupported, "Go cannot load and store device memory: use CopyTo and CopyFrom, or AllocPinned"))
	}
	return mem.At[T](uintptr(x.ptr()), x.n), nil
}

// reachable says whether Go may load and store the memory.
func (x Slice[T]) reachable() bool {
	return x.b.kind == PinnedMemory || x.b.d.driver().HostReach()
}

// KernelArgument makes the slice an argument of kernels: the address of element 0.
func (x Slice[T]) KernelArgument() device.Argument {
	if err := x.b.alive(); err != nil {
		return device.Argument{Err: err}
	}
	a := device.Argument{Ptr: x.ptr(), Driver: x.b.d.p.name, Device: x.b.d.index}
	if x.b.kind == PinnedMemory {
		a.Device = -1
	}
	return a
}

// Close gives the memory back; more than once does no harm. Work that uses it must be
// done. A part of an allocation cannot be closed, foreign memory is left as it is. CUDA:
// cuMemFree, cuMemFreeHost, cuIpcCloseMemHandle; HIP: hipFree, hipHostFree,
// hipIpcCloseMemHandle.
func (x Slice[T]) Close() error {
	switch {
	case x.b == nil || x.b.ended():
		return nil
	case x.bytes() != x.b.n:
		return x.fail("close", problem(ErrArgument, "a part of an allocation (%d of %d bytes): close the whole", x.bytes(), x.b.n))
	}
	return x.fail("close", x.b.close())
}

// String says what the slice is, for messages.
func (x Slice[T]) String() string {
	return fmt.Sprintf("%d %v (%v memory, %v)", x.n, reflect.TypeFor[T](), x.Kind(), x.Device())
}
