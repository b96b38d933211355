package perf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

const wordBytes = 8

// moves is what put and get of a comparison work on: a symmetric area and a
// private one, of the same size and both beginning with a page.
type moves struct {
	ctx      context.Context
	w        *shmem.World
	heap     shmem.Array[int64]
	mine     []int64
	place    int // where the operations have got to on their way round
	patterns int64
}

// page is the alignment of the areas.
const page = 4096

// newMoves allocates, and touches every page, each PE its own. Only two PEs move
// blocks, so more get little memory. Collective.
func newMoves(ctx context.Context, w *shmem.World) (*moves, error) {
	words := page / wordBytes
	if w.NPEs() == 2 {
		words = MostBytes / wordBytes
	}
	m := &moves{ctx: ctx, w: w, mine: make([]int64, words)}
	for i := range m.mine {
		m.mine[i] = 2
	}
	var err error
	if m.heap, err = shmem.AllocAligned[int64](ctx, w, words, page); err != nil {
		return nil, err
	}
	return m, m.heap.Fill(1)
}

// measure carries out an order. Before, the block that the last operation will
// reach is written, and afterwards it is looked at on the other side.
func (m *moves) measure(o Order) (time.Duration, error) {
	size, area := o.Size/wordBytes, o.Area/wordBytes
	m.place = m.place / size * size % area
	last := (m.place/size + warmUp(o.N) + o.N - 1) % (area / size) * size
	mine := m.mine[last : last+size]
	heap, err := m.heap.Slice(last, last+size)
	if err != nil {
		return 0, err
	}
	m.fill(mine)
	if o.Op == OpGet {
		err = heap.PutSlice(mine, target)
		clear(mine)
	}
	d, failed := warm(loop(func(n int) error { return m.loop(o, size, area, n) }))(o.N)
	if err = errors.Join(err, failed); err != nil {
		return d, err
	}
	if o.Op == OpPut {
		clear(mine)
		err = heap.GetSlice(mine, target)
	}
	return d, errors.Join(err, m.filled(mine))
}

// pattern is what word i of a block has: something else in every order.
func (m *moves) pattern(i int) int64 { return m.patterns*1000003 + int64(i) }

func (m *moves) fill(block []int64) {
	m.patterns++
	for i := range block {
		block[i] = m.pattern(i)
	}
}

func (m *moves) filled(block []int64) error {
	for i, v := range block {
		if v != m.pattern(i) {
			return fmt.Errorf("word %d of a block of %d is %d, must be %d: what arrived is not what was sent", i, len(block), v, m.pattern(i))
		}
	}
	return nil
}

// loop does n operations on blocks of so many words.
func (m *moves) loop(o Order, size, area, n int) error {
	switch {
	case o.Op == OpPut && size == area:
		return m.putHot(size, o.Every, n)
	case o.Op == OpPut:
		return m.batches(o.Every, n, func(k int) error { return m.putRound(size, area, k) })
	case size == area:
		return m.getHot(size, n)
	}
	return m.getRound(size, area, n)
}

// batches calls f until n operations are done, for at most so many at a time, with
// a quiet after each call.
func (m *moves) batches(every, n int, f func(k int) error) error {
	for ; n > 0; n -= every {
		if err := f(min(every, n)); err != nil {
			return err
		}
		if err := m.w.Quiet(m.ctx); err != nil {
			return err
		}
	}
	return nil
}

// putHot has batches written out: there may be one operation in each.
func (m *moves) putHot(size, every, n int) error {
	to, err := m.heap.Slice(0, size)
	if err != nil {
		return err
	}
	from := m.mine[:size]
	for ; n > 0; n -= every {
		for range min(every, n) {
			if err := to.PutSlice(from, target); err != nil {
				return err
			}
		}
		if err := m.w.Quiet(m.ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *moves) putRound(size, area, n int) error {
	for range n {
		to, err := m.heap.Slice(m.place, m.place+size)
		if err != nil {
			return err
		}
		if err := to.PutSlice(m.mine[m.place:m.place+size], target); err != nil {
			return err
		}
		m.step(size, area)
	}
	return nil
}

func (m *moves) getHot(size, n int) error {
	from, err := m.heap.Slice(0, size)
	if err != nil {
		return err
	}
	to := m.mine[:size]
	for range n {
		if err := from.GetSlice(to, target); err != nil {
			return err
		}
	}
	return nil
}

func (m *moves) getRound(size, area, n int) error {
	for range n {
		from, err := m.heap.Slice(m.place, m.place+size)
		if err != nil {
			return err
		}
		if err := from.GetSlice(m.mine[m.place:m.place+size], target); err != nil {
			return err
		}
		m.step(size, area)
	}
	return nil
}

// step goes on to the next block.
func (m *moves) step(size, area int) {
	if m.place += size; m.place+size > area {
		m.place = 0
	}
}
