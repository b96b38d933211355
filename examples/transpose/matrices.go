package main

import (
	"context"
	"math"

	"github.com/goshmem/goshmem/shmem"
)

// matrices are one PE's rows of a and of b. Both lie in square blocks, one after the
// other: block i has the columns that are rows of PE i. So block i of a is what PE i
// needs, and what comes from there belongs to block i of b.
type matrices struct {
	team      *shmem.Team
	n, size   int // rows of a matrix and of a block
	tile      int
	a, from   shmem.Array[float64] // from has the blocks of the others
	mine, got []float64            // the same, as slices
	b         []float64            // in ordinary memory, since it stays here
}

// newMatrices numbers the elements of a in order of its rows, and leaves b zero.
func newMatrices(ctx context.Context, w *shmem.World, n, tile int) (*matrices, error) {
	m := &matrices{team: w.Team(), n: n, size: n / w.NPEs(), tile: tile, b: make([]float64, n*n/w.NPEs())}
	var err error
	for _, array := range []*shmem.Array[float64]{&m.a, &m.from} {
		if *array, err = shmem.Alloc[float64](ctx, w, len(m.b)); err != nil {
			return nil, err
		}
	}
	if m.mine, err = m.a.Local(); err != nil {
		return nil, err
	}
	if m.got, err = m.from.Local(); err != nil {
		return nil, err
	}
	for at := range m.mine {
		row, column := m.place(at)
		m.mine[at] = float64(row*n + column)
	}
	return m, nil
}

// place is which element of the whole matrix lies at an index.
func (m *matrices) place(at int) (row, column int) {
	block, within := at/(m.size*m.size), at%(m.size*m.size)
	return m.team.MyPE()*m.size + within/m.size, block*m.size + within%m.size
}

// exchange sends every PE its block of a.
func (m *matrices) exchange(ctx context.Context) error {
	return shmem.AllToAll(ctx, m.team, m.from, m.a)
}

// add adds the transposes of what has come to the blocks of b, tile by tile: one of
// the two goes down its columns, which is slow unless all of the tile stays in the
// nearest cache.
func (m *matrices) add() {
	for block := 0; block < len(m.b); block += m.size * m.size {
		b, got := m.b[block:][:m.size*m.size], m.got[block:][:m.size*m.size]
		for top := 0; top < m.size; top += m.tile {
			for left := 0; left < m.size; left += m.tile {
				m.addTile(b, got, top, left)
			}
		}
	}
}

// addTile adds to the tile of b that begins at a row and a column: eight columns
// at a time, as long as there are eight, since they share cache lines.
func (m *matrices) addTile(b, got []float64, top, left int) {
	rows, right := min(m.tile, m.size-top), min(left+m.tile, m.size)
	for ; left+8 <= right; left += 8 {
		m.addEight(b, got, top, left, rows)
	}
	for ; left < right; left++ {
		for i, v := range got[left*m.size+top:][:rows] {
			b[(top+i)*m.size+left] += v
		}
	}
}

// addEight adds eight rows of got to as many columns of b.
func (m *matrices) addEight(b, got []float64, top, left, rows int) {
	row := func(i int) []float64 { return got[(left+i)*m.size+top:][:rows] }
	r0, r1, r2, r3 := row(0), row(1), row(2), row(3)
	r4, r5, r6, r7 := row(4), row(5), row(6), row(7)
	for i := range rows {
		line := b[(top+i)*m.size+left:][:8]
		line[0] += r0[i]
		line[1] += r1[i]
		line[2] += r2[i]
		line[3] += r3[i]
		line[4] += r4[i]
		line[5] += r5[i]
		line[6] += r6[i]
		line[7] += r7[i]
	}
}

// raise adds 1 to all of a.
func (m *matrices) raise() {
	for i := range m.mine {
		m.mine[i]++
	}
}

// wrong adds up how far the elements of b are from what they must be after so many times.
func (m *matrices) wrong(times int) float64 {
	k, total := float64(times), 0.0
	for at, got := range m.b {
		row, column := m.place(at)
		total += math.Abs(got - k*float64(column*m.n+row) - k*(k-1)/2)
	}
	return total
}
