package main

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
)

// combinable is the types that all atomic operations on numbers are compiled for.
type combinable interface{ int32 | int64 | float32 }

// operation is an atomic one: what it makes of a word and a value.
type operation[T combinable] struct {
	name string
	f    func(word, value T) T
}

func atomics[T int32 | int64](b *bench) error { return combines(b, arithmetics[T]()) }

func atomicsOfFloats(b *bench) error { return combines(b, arithmetics[float32]()) }

// arithmetics are those for all numbers.
func arithmetics[T combinable]() []operation[T] {
	return []operation[T]{
		{"atomic_add", func(w, v T) T { return w + v }},
		{"atomic_sub", func(w, v T) T { return w - v }},
		{"atomic_xchg", func(_, v T) T { return v }},
		{"atomic_min", func(w, v T) T { return min(w, v) }},
		{"atomic_max", func(w, v T) T { return max(w, v) }},
	}
}

// bits checks the bitwise ones.
func bits[T int32 | int64](b *bench) error {
	return combines(b, []operation[T]{
		{"atomic_and", func(w, v T) T { return w & v }},
		{"atomic_or", func(w, v T) T { return w | v }},
		{"atomic_xor", func(w, v T) T { return w ^ v }},
	})
}

// word is what an atomic operation finds in element i of a PE, and value what a PE comes with:
// of both signs, and each of them sometimes the smaller.
func word[T combinable](pe, i int) T { return T(17*pe + i%50 - 25) }

func value[T combinable](pe, i int) T { return T(40 - 5*pe - i%60) }

// combines checks operations on the next PE's memory. The words are in one allocation, and the
// table is that of another.
func combines[T combinable](b *bench, list []operation[T]) error {
	memory, err := allocated[T](b, 2)
	if err != nil {
		return err
	}
	old, err := gpu.Alloc[T](b.d, room)
	if err != nil {
		return err
	}
	for _, op := range list {
		for _, n := range sizes() {
			if b.left(op.name) {
				continue
			}
			if err := op.check(b, memory, old, n); err != nil {
				return err
			}
		}
	}
	return errors.Join(old.Close(), freed(b, memory))
}

// check compares what the PE before has made of this PE's words, and what the next PE's words
// were when this PE came.
func (op operation[T]) check(b *bench, memory []allocation[T], old gpu.Slice[T], n int) error {
	words, values := memory[0].x, memory[1].x
	err := errors.Join(fill(words, func(i int) T { return word[T](b.me, i) }), fill(values, func(i int) T { return value[T](b.me, i) }), old.Fill(untouched))
	if err != nil {
		return err
	}
	err = b.launch(op.name+"_"+triton[T](), room/block, words, old, values, int32(n), int32(b.me), int32(b.next), memory[1].peers)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s on %d %s of PE %d", op.name, n, triton[T](), b.me)
	return errors.Join(sees(what, words, func(i int) T {
		if i < n {
			return op.f(word[T](b.me, i), value[T](b.before, i))
		}
		return word[T](b.me, i)
	}), sees(what+", what was there", old, func(i int) T {
		if i < n {
			return word[T](b.next, i)
		}
		return untouched
	}))
}

// swaps checks compare-and-swap, where every second expectation is wrong.
func swaps[T int32 | int64](b *bench) error {
	if b.left("atomic_cas") {
		return nil
	}
	memory, err := allocated[T](b, 3)
	if err != nil {
		return err
	}
	words, values, expected := memory[0].x, memory[1].x, memory[2].x
	old, err := gpu.Alloc[T](b.d, room)
	if err != nil {
		return err
	}
	guess := func(pe, i int) T { return word[T](pe, i) + T(i%2) }
	err = errors.Join(fill(words, func(i int) T { return word[T](b.me, i) }), fill(values, func(i int) T { return value[T](b.me, i) }),
		fill(expected, func(i int) T { return guess(b.next, i) }))
	if err != nil {
		return err
	}
	if err := b.launch("atomic_cas_"+triton[T](), 1, words, old, values, expected, int32(b.me), int32(b.next), memory[2].peers); err != nil {
		return err
	}
	err = sees("atomic_cas", words, func(i int) T {
		if i < block && i%2 == 0 {
			return value[T](b.before, i)
		}
		return word[T](b.me, i)
	})
	first, failed := old.Slice(0, block)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	err = sees("atomic_cas, what was there", first, func(i int) T { return word[T](b.next, i) })
	return errors.Join(err, old.Close(), freed(b, memory))
}

// counts has every program of every PE add to one word of PE 0.
func counts[T int32 | int64](b *bench) error {
	const programs, launches = 64, 3
	if b.left("atomic_add") {
		return nil
	}
	memory, err := allocated[T](b, 2)
	if err != nil {
		return err
	}
	counter := memory[0].x
	if err := counter.Fill(0); err != nil {
		return err
	}
	for range launches {
		if err := b.launch("count_"+triton[T](), programs, counter, int32(b.me), int32(0), memory[1].peers); err != nil {
			return err
		}
	}
	err = sees("a counter", counter, func(i int) T {
		if i == 0 && b.me == 0 {
			return T(programs * launches * b.p.NumRanks())
		}
		return 0
	})
	return errors.Join(err, freed(b, memory))
}
