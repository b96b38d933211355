package provider

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
)

// Provider allocates memory that all ranks have, and knows where each of them has it. Any
// allocator can be one: kernels and the generic functions of this package need no more.
// Allocate, Free and Barrier are collective: all ranks call them alike and in one order.
type Provider interface {
	// Allocate gives every rank so many bytes, which may be none, and says where all of
	// them are. Blocking, collective.
	Allocate(ctx context.Context, bytes int) (gpu.Buffer, *AddressMap, error)
	// MapOf makes a new map of the allocation that memory of this rank is in. Local.
	// Errors: ErrForeign, ErrFreed.
	MapOf(address uintptr) (*AddressMap, error)
	// Free gives an allocation back, by where it begins. Its maps are refused from now on.
	// Blocking, collective. Errors: ErrForeign, ErrFreed.
	Free(ctx context.Context, address uintptr) error
	// Barrier waits for all ranks. It does not wait for kernels. Blocking, collective.
	Barrier(ctx context.Context) error
	// Rank and NumRanks say who this is. Local.
	Rank() int
	NumRanks() int
}

// AllocateSymmetric allocates n elements of T on every rank, and returns this rank's and the
// table of where all ranks have theirs, both for kernels. n may be 0. Blocking,
// collective. Iris: allocate_symmetric. Errors: those of the provider.
func AllocateSymmetric[T any](ctx context.Context, p Provider, n int) (gpu.Slice[T], *AddressMap, error) {
	if p == nil {
		return gpu.Slice[T]{}, nil, none("allocate")
	}
	size := reflect.TypeFor[T]().Size()
	if n < 0 || size > 0 && uintptr(n) > 1<<47/size {
		return gpu.Slice[T]{}, nil, fail("allocate", problem(ErrArgument, "%d elements of %d bytes", n, size))
	}
	whole, m, err := p.Allocate(ctx, n*int(size))
	if err != nil {
		return gpu.Slice[T]{}, nil, fail("allocate", err)
	}
	x, err := gpu.As[T](whole)
	if err != nil {
		return gpu.Slice[T]{}, nil, fail("allocate", err)
	}
	return x, m, nil
}

// MapOf makes a new map of the allocation that a slice of this rank is in, such as a part of
// what AllocateSymmetric returned. Local. Errors: ErrForeign, ErrFreed.
func MapOf[T any](p Provider, x gpu.Slice[T]) (*AddressMap, error) {
	if p == nil {
		return nil, none("map")
	}
	m, err := p.MapOf(x.Address())
	if err == nil && !m.Owns(x.Address(), x.Len()*int(unsafe.Sizeof(*new(T)))) {
		err = problem(ErrForeign, "%d elements at %#x reach beyond their allocation", x.Len(), x.Address())
	}
	if err != nil {
		return nil, fail("map", err)
	}
	return m, nil
}

// Free gives the allocation back that a slice of this rank begins. Blocking, collective.
// Errors: ErrForeign for what is none, ErrFreed.
func Free[T any](ctx context.Context, p Provider, x gpu.Slice[T]) error {
	if p == nil {
		return none("free")
	}
	return fail("free", p.Free(ctx, x.Address()))
}
