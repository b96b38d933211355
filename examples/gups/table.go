package main

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/goshmem/goshmem/shmem"
)

// table is one PE's part of the table. At first each word is its own number.
type table struct {
	w     *shmem.World
	seed  uint64
	words shmem.Array[uint64]
	mine  []uint64 // the same, as a slice
	first uint64   // the number of its first word
	sent  uint64   // the exclusive or of what this PE has sent
	total shmem.Array[uint64]
}

func newTable(ctx context.Context, w *shmem.World, p problem) (*table, error) {
	t := &table{w: w, seed: p.seed, first: uint64(w.MyPE() * p.words)}
	var err error
	if t.words, err = shmem.Alloc[uint64](ctx, w, p.words); err != nil {
		return nil, err
	}
	if t.total, err = shmem.Alloc[uint64](ctx, w, 1); err != nil {
		return nil, err
	}
	if t.mine, err = t.words.Local(); err != nil {
		return nil, err
	}
	for i := range t.mine {
		t.mine[i] = t.first + uint64(i)
	}
	return t, nil
}

// stream returns the random numbers of this PE, from the beginning.
func (t *table) stream() *rand.PCG { return rand.NewPCG(t.seed, uint64(t.w.MyPE())) }

// place is which word a number changes, and on which PE. It takes the number as a
// fraction of 1: times the PEs, the whole part is the PE, and what is left is again a
// fraction, for the word. Any number of PEs will do, and nothing is divided.
func place(v, pes, words uint64) (pe, word int) {
	p, rest := bits.Mul64(v, pes)
	i, _ := bits.Mul64(rest, words)
	return int(p), int(i)
}

// arrived is an error if the table has not changed by what was sent: then an update was
// lost, or done twice.
func (t *table) arrived(ctx context.Context) error {
	sum := t.sent
	for i, v := range t.mine {
		sum ^= v ^ (t.first + uint64(i))
	}
	sum, err := reduce(ctx, t, sum, shmem.Xor)
	if err == nil && sum != 0 {
		err = fmt.Errorf("what all PEs sent and what their words have changed by differ by %x: updates were lost", sum)
	}
	return err
}

// untouched is an error if any word of the table is not as it was at first.
func (t *table) untouched(ctx context.Context) error {
	wrong := uint64(0)
	for i, v := range t.mine {
		if v != t.first+uint64(i) {
			wrong++
		}
	}
	wrong, err := reduce(ctx, t, wrong, shmem.Sum)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d of %d words are wrong", wrong, t.words.Len()*t.w.NPEs())
	}
	return err
}

// reduce combines one number of each PE. Collective.
func reduce(ctx context.Context, t *table, v uint64, op shmem.Reduction[uint64]) (uint64, error) {
	if err := t.total.Set(0, v); err != nil {
		return 0, err
	}
	if err := shmem.AllReduce(ctx, t.w.Team(), t.total, t.total, op); err != nil {
		return 0, err
	}
	return t.total.At(0)
}
