package provider

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
)

// Zeros allocates n elements that are 0 on every rank, whatever the provider gives. Blocking,
// collective. Iris: zeros. Errors: as AllocateSymmetric's.
func Zeros[T any](ctx context.Context, p Provider, n int) (gpu.Slice[T], *AddressMap, error) {
	var zero T
	return Full(ctx, p, n, zero)
}

// Full allocates n elements that are v on every rank. Blocking, collective. Iris: full, ones.
// Errors: as AllocateSymmetric's.
func Full[T any](ctx context.Context, p Provider, n int, v T) (gpu.Slice[T], *AddressMap, error) {
	return made(ctx, p, n, func(x gpu.Slice[T]) error { return x.Fill(v) })
}

// Arange allocates n elements start, start+step, and so on, on every rank. Blocking,
// collective. Iris: arange. Errors: as AllocateSymmetric's.
func Arange[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](ctx context.Context, p Provider, n int, start, step T) (gpu.Slice[T], *AddressMap, error) {
	return made(ctx, p, n, func(x gpu.Slice[T]) error {
		values := make([]T, n)
		for i := range values {
			values[i] = start + T(i)*step
		}
		return x.CopyFrom(values, nil)
	})
}

// AsSymmetric copies this rank's x, whose length is the same on all ranks, into a new
// allocation. What is symmetric already is returned as it is, with a map of its own; that
// must be so on all ranks or on none. Blocking, collective. Iris: as_symmetric. Errors: as
// AllocateSymmetric's.
func AsSymmetric[T any](ctx context.Context, p Provider, x gpu.Slice[T]) (gpu.Slice[T], *AddressMap, error) {
	if IsSymmetric(p, x) {
		m, err := MapOf(p, x)
		return x, m, err
	}
	return made(ctx, p, x.Len(), func(y gpu.Slice[T]) error {
		if err := y.CopyAsync(x, nil); err != nil {
			return err
		}
		return y.Device().DefaultStream().Synchronize(ctx)
	})
}

// made is AllocateSymmetric with contents. A rank that cannot make them gives the memory
// back with the others, which do so when they free it.
func made[T any](ctx context.Context, p Provider, n int, fill func(gpu.Slice[T]) error) (gpu.Slice[T], *AddressMap, error) {
	x, m, err := AllocateSymmetric[T](ctx, p, n)
	if err == nil && n > 0 {
		err = fail("allocate", fill(x))
	}
	return x, m, err
}

// IsSymmetric says whether all of x is in an allocation of the provider. Local. Iris:
// is_symmetric.
func IsSymmetric[T any](p Provider, x gpu.Slice[T]) bool {
	m, err := p.MapOf(x.Address())
	return err == nil && m.Owns(x.Address(), x.Len()*int(unsafe.Sizeof(*new(T))))
}

// AsRemote returns rank's copy of x, which is this rank's memory in the map's allocation, as
// memory that kernels and copies of this rank's device reach. Local. Iris: as_remote.
// Errors: ErrIndirect, ErrForeign.
func AsRemote[T any](m *AddressMap, x gpu.Slice[T], rank int) (gpu.Slice[T], error) {
	const op = "as remote"
	if m == nil {
		return gpu.Slice[T]{}, fail(op, problem(ErrArgument, "the address map is nil"))
	}
	if !m.Owns(x.Address(), x.Len()*int(unsafe.Sizeof(*new(T)))) {
		return gpu.Slice[T]{}, fail(op, problem(ErrForeign, "%d elements at %#x are not in %v", x.Len(), x.Address(), m))
	}
	at, err := m.Translate(x.Address(), m.LocalRank(), rank)
	if err != nil {
		return gpu.Slice[T]{}, err
	}
	if rank == m.LocalRank() {
		return x, nil
	}
	whole, err := gpu.Foreign[T](x.Device(), at, max(x.Len(), 1), gpu.DeviceMemory)
	if err == nil {
		whole, err = whole.Slice(0, x.Len())
	}
	return whole, fail(op, err)
}
