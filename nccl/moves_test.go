package nccl_test

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// given is element i of what a rank gives, in numbers that all types have.
func given(rank, i int) float64 { return float64((rank*3+i)%7 + 1) }

// moves tries all calls that move elements of a type, in place and not.
func moves[T any](k kind[T]) typed {
	return func(r *rank) error {
		for _, inPlace := range []bool{false, true} {
			err := errors.Join(broadcast(r, k, inPlace), allGather(r, k, inPlace), gather(r, k, inPlace), scatter(r, k, inPlace))
			if err != nil {
				return fmt.Errorf("in place %v: %w", inPlace, err)
			}
		}
		return errors.Join(allToAll(r, k), allToAllV(r, k), ring(r, k))
	}
}

// mine is what this rank gives.
func mine[T any](r *rank, k kind[T], n int) (gpu.Slice[T], error) {
	return filled(r, k, n, func(i int) float64 { return given(r.c.Rank(), i) })
}

func broadcast[T any](r *rank, k kind[T], inPlace bool) error {
	for root := range r.c.Size() {
		x, err := mine(r, k, some)
		if err != nil {
			return err
		}
		y, err := target(r, x, inPlace)
		if err != nil {
			return err
		}
		if err := nccl.Broadcast(r.c, x, y, root, r.s); err != nil {
			return err
		}
		if err := holds(r, k, "broadcast", y, 0, func(i int) float64 { return given(root, i) }); err != nil {
			return err
		}
	}
	return nil
}

// parts is memory for what all ranks give, with this rank's own part in its place.
func parts[T any](r *rank, k kind[T]) (all, own gpu.Slice[T], err error) {
	first := r.c.Rank() * some
	all, err = filled(r, k, some*r.c.Size(), func(i int) float64 { return given(r.c.Rank(), i-first+7*some) })
	if err == nil {
		own, err = all.Slice(first, first+some)
	}
	return all, own, err
}

// whole is element i of what all ranks have given, one after the other.
func whole(i int) float64 { return given(i/some, i%some) }

func allGather[T any](r *rank, k kind[T], inPlace bool) error {
	y, x, err := parts(r, k)
	if !inPlace && err == nil {
		x, err = mine(r, k, some)
	}
	if err != nil {
		return err
	}
	if err := nccl.AllGather(r.c, x, y, r.s); err != nil {
		return err
	}
	return holds(r, k, "all-gather", y, 0, whole)
}

func gather[T any](r *rank, k kind[T], inPlace bool) error {
	for root := range r.c.Size() {
		y, x, err := parts(r, k)
		if !inPlace && err == nil {
			x, err = mine(r, k, some)
		}
		if err != nil {
			return err
		}
		if root != r.c.Rank() {
			if err := nccl.Gather(r.c, x, nccl.Nothing{}, root, r.s); err != nil {
				return err
			}
			y, err = x, nil
		} else if err := nccl.Gather(r.c, x, y, root, r.s); err != nil {
			return err
		}
		want := func(i int) float64 { return given(r.c.Rank(), i) }
		if root == r.c.Rank() {
			want = whole
		}
		if err := errors.Join(err, holds(r, k, "gather", y, 0, want)); err != nil {
			return err
		}
	}
	return nil
}

func scatter[T any](r *rank, k kind[T], inPlace bool) error {
	for root := range r.c.Size() {
		x, err := filled(r, k, some*r.c.Size(), func(i int) float64 { return given(root, i) })
		if err != nil {
			return err
		}
		y, err := alloc[T](r, some)
		if inPlace && root == r.c.Rank() {
			y, err = x.Slice(root*some, (root+1)*some)
		}
		if err != nil {
			return err
		}
		if root == r.c.Rank() {
			err = nccl.Scatter(r.c, x, y, root, r.s)
		} else {
			err = nccl.Scatter(r.c, nccl.Nothing{}, y, root, r.s)
		}
		if err != nil {
			return err
		}
		if err := holds(r, k, "scatter", y, 0, func(i int) float64 { return given(root, r.c.Rank()*some+i) }); err != nil {
			return err
		}
	}
	return nil
}

func allToAll[T any](r *rank, k kind[T]) error {
	x, err := mine(r, k, some*r.c.Size())
	if err != nil {
		return err
	}
	y, err := target(r, x, false)
	if err != nil {
		return err
	}
	if err := nccl.AllToAll(r.c, x, y, r.s); err != nil {
		return err
	}
	return holds(r, k, "all-to-all", y, 0, func(i int) float64 { return given(i/some, r.c.Rank()*some+i%some) })
}

// allToAllV has rank a give a+b elements to rank b, some of them none.
func allToAllV[T any](r *rank, k kind[T]) error {
	me, size := r.c.Rank(), r.c.Size()
	const room = 16 // for one peer
	counts := &nccl.Counts{}
	for peer := range size {
		counts.Send, counts.SendAt = append(counts.Send, me+peer), append(counts.SendAt, peer*room)
		counts.Recv, counts.RecvAt = append(counts.Recv, me+peer), append(counts.RecvAt, peer*room)
	}
	x, err := mine(r, k, room*size)
	if err != nil {
		return err
	}
	y, err := filled(r, k, room*size, func(int) float64 { return 0 })
	if err != nil {
		return err
	}
	if err := nccl.AllToAllV(r.c, x, y, counts, r.s); err != nil {
		return err
	}
	return holds(r, k, "all-to-all-v", y, 0, func(i int) float64 {
		if peer := i / room; i%room < me+peer {
			return given(peer, me*room+i%room)
		}
		return 0
	})
}

// ring sends to the next rank and receives from the one before, all in one group.
func ring[T any](r *rank, k kind[T]) error {
	me, size := r.c.Rank(), r.c.Size()
	x, err := mine(r, k, some)
	if err != nil {
		return err
	}
	y, err := target(r, x, false)
	if err != nil {
		return err
	}
	before := (me + size - 1) % size
	err = nccl.Group(func() error {
		if err := nccl.Send(r.c, x, (me+1)%size, r.s); err != nil {
			return err
		}
		return nccl.Recv(r.c, y, before, r.s)
	})
	if err != nil {
		return err
	}
	return holds(r, k, "send and receive", y, 0, func(i int) float64 { return given(before, i) })
}
