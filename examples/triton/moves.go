package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// room is how many elements allocations have: four programs' worth.
const room = 4 * block

// sizes are how many elements are moved: a whole program, a part of one, and of more.
func sizes() []int { return []int{block, 200, room - 56} }

// triton is what Triton calls a type, as in names of kernels.
func triton[T any]() string {
	switch any(*new(T)).(type) {
	case int8:
		return "i8"
	case int16:
		return "i16"
	case int32:
		return "i32"
	case int64:
		return "i64"
	case float32:
		return "fp32"
	case float64:
		return "fp64"
	case dtype.Float16:
		return "fp16"
	}
	return "bf16"
}

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// arithmetic is the types that Go can convert a number to.
type arithmetic interface {
	int8 | int16 | int32 | int64 | float32 | float64
}

func number[T arithmetic](v int) T { return T(v) }

// allocation is symmetric memory with its table.
type allocation[T any] struct {
	x     gpu.Slice[T]
	peers *provider.AddressMap
}

// allocated gives a PE some allocations, each with a table of its own.
func allocated[T any](b *bench, n int) ([]allocation[T], error) {
	list := make([]allocation[T], n)
	for i := range list {
		var err error
		if list[i].x, list[i].peers, err = provider.AllocateSymmetric[T](b.ctx, b.p, room); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// freed gives them back.
func freed[T any](b *bench, list []allocation[T]) error {
	var err error
	for _, a := range list {
		err = errors.Join(err, provider.Free(b.ctx, b.p, a.x))
	}
	return err
}

// fill writes f(i) to all elements, and sees compares them.
func fill[T any](x gpu.Slice[T], f func(i int) T) error {
	list := make([]T, x.Len())
	for i := range list {
		list[i] = f(i)
	}
	return x.CopyFrom(list, nil)
}

func sees[T comparable](what string, x gpu.Slice[T], f func(i int) T) error {
	list := make([]T, x.Len())
	if err := x.CopyTo(list, nil); err != nil {
		return err
	}
	for i, got := range list {
		if want := f(i); got != want {
			return fmt.Errorf("%s: element %d is %v, want %v", what, i, got, want)
		}
	}
	return nil
}

// pattern is element i of a PE in a round: small enough for every type, another for each
// PE, and never one that was there before.
func pattern(pe, round, i int) int { return (7*pe + 13*round + i) % 100 }

const untouched = 101

func moves[T arithmetic](b *bench) error { return movesOf(b, number[T]) }

func movesOfFloat16(b *bench) error {
	return movesOf(b, func(v int) dtype.Float16 { return dtype.F16(float32(v)) })
}

func movesOfBFloat16(b *bench) error {
	return movesOf(b, func(v int) dtype.BFloat16 { return dtype.BF16(float32(v)) })
}

// movesOf checks load, store, get, put and copy between two allocations, with the table of
// either, and of a third one.
func movesOf[T comparable](b *bench, number func(int) T) error {
	list, err := allocated[T](b, 3)
	if err != nil {
		return err
	}
	for round, n := range sizes() {
		for _, op := range []string{"load", "store", "get", "put", "copy out", "copy in"} {
			m := move[T]{list[0].x, list[1].x, list[round].peers, n, round, number}
			if err := m.check(b, op); err != nil {
				return err
			}
		}
	}
	return freed(b, list)
}

// move is one way of moving.
type move[T comparable] struct {
	src, dst gpu.Slice[T]
	peers    *provider.AddressMap
	n, round int
	number   func(int) T
}

// check fills the memory, runs an operation, and looks at the memory of this PE.
func (m move[T]) check(b *bench, op string) error {
	name, from := op, b.next // whose elements arrive here
	args := []any{m.dst, m.src, int32(m.n), int32(b.me), int32(b.next), m.peers}
	switch op {
	case "store", "put":
		from = b.before
	case "copy out":
		name, from = "copy", b.before
		args = []any{m.dst, m.src, int32(m.n), int32(b.me), int32(b.next), int32(b.me), m.peers}
	case "copy in":
		name = "copy"
		args = []any{m.dst, m.src, int32(m.n), int32(b.next), int32(b.me), int32(b.me), m.peers}
	}
	if b.left(name) {
		return nil
	}
	mine := func(i int) T { return m.number(pattern(b.me, m.round, i)) }
	err := errors.Join(fill(m.src, mine), fill(m.dst, func(int) T { return m.number(untouched) }))
	if err != nil {
		return err
	}
	if err := b.launch(name+"_"+triton[T](), room/block, args...); err != nil {
		return err
	}
	what := fmt.Sprintf("%s of %d %s from PE %d to PE %d", op, m.n, triton[T](), from, b.me)
	return errors.Join(sees(what+", the source", m.src, mine), sees(what, m.dst, func(i int) T {
		if i < m.n {
			return m.number(pattern(from, m.round, i))
		}
		return m.number(untouched)
	}))
}
