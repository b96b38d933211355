package nccl_test

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// checks are all promises.
func checks() []check {
	list := append(reductionChecks(), moveChecks()...)
	return append(list, otherChecks()...)
}

// some is how many elements one rank gives to one other.
const some = 259

// reductions tries all reductions of a type with all operations, in place and not.
func reductions[T any](k kind[T]) typed {
	return func(r *rank) error {
		for _, o := range operations(k, r.c.Size()) {
			for _, inPlace := range []bool{false, true} {
				err := errors.Join(allReduce(r, k, o, inPlace), reduceScatter(r, k, o, inPlace), reduceToAll(r, k, o, inPlace))
				if k.eight && errors.Is(err, nccl.ErrUnsupported) {
					return nil // an older library or device, which says so
				}
				if err != nil {
					return fmt.Errorf("operation %d, in place %v: %w", o.op, inPlace, err)
				}
			}
		}
		return nil
	}
}

// target is where the result goes: other memory, or the same.
func target[T any](r *rank, x gpu.Slice[T], inPlace bool) (gpu.Slice[T], error) {
	if inPlace {
		return x, nil
	}
	return alloc[T](r, x.Len())
}

func (o operation) tolerance(k float64) float64 {
	if o.mean {
		return k
	}
	return 0
}

func allReduce[T any](r *rank, k kind[T], o operation, inPlace bool) error {
	for _, n := range []int{1, some, 4 * some} {
		x, err := filled(r, k, n, func(i int) float64 { return o.give(r.c.Rank(), i) })
		if err != nil {
			return err
		}
		y, err := target(r, x, inPlace)
		if err != nil {
			return err
		}
		if err := nccl.AllReduce(r.c, x, y, o.op, r.s); err != nil {
			return err
		}
		if err := holds(r, k, "all-reduce", y, o.tolerance(k.tolerance), o.want); err != nil {
			return err
		}
	}
	return nil
}

func reduceScatter[T any](r *rank, k kind[T], o operation, inPlace bool) error {
	first := r.c.Rank() * some
	x, err := filled(r, k, some*r.c.Size(), func(i int) float64 { return o.give(r.c.Rank(), i) })
	if err != nil {
		return err
	}
	y, err := x.Slice(first, first+some)
	if !inPlace {
		y, err = alloc[T](r, some)
	}
	if err != nil {
		return err
	}
	if err := nccl.ReduceScatter(r.c, x, y, o.op, r.s); err != nil {
		return err
	}
	return holds(r, k, "reduce-scatter", y, o.tolerance(k.tolerance), func(i int) float64 { return o.want(first + i) })
}

func reduceToAll[T any](r *rank, k kind[T], o operation, inPlace bool) error {
	for root := range r.c.Size() {
		x, err := filled(r, k, some, func(i int) float64 { return o.give(r.c.Rank(), i) })
		if err != nil {
			return err
		}
		if root != r.c.Rank() {
			if err := nccl.Reduce(r.c, x, nccl.Nothing{}, o.op, root, r.s); err != nil {
				return err
			}
			if err := r.c.Synchronize(r.ctx, r.s); err != nil {
				return err
			}
			continue
		}
		y, err := target(r, x, inPlace)
		if err != nil {
			return err
		}
		if err := nccl.Reduce(r.c, x, y, o.op, root, r.s); err != nil {
			return err
		}
		if err := holds(r, k, "reduce", y, o.tolerance(k.tolerance), o.want); err != nil {
			return err
		}
	}
	return nil
}
