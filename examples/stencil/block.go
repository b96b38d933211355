package main

import (
	"iter"
	"math"
)

const radius = 2

// shape arranges n PEs in a rectangle, as square as can be.
func shape(n int) (across, down int) {
	for down = int(math.Sqrt(float64(n))); n%down != 0; down-- {
	}
	return n / down, down
}

// block is one PE's part of the grid, in ordinary memory: only what others write
// must be symmetric.
type block struct {
	top, left  int       // where it is in the grid
	rows, cols int       // of its own
	stride     int       // of in
	in         []float64 // with a margin of radius on each side, for the neighbours' edges
	out        []float64 // without
	inside     area      // the points that have all their neighbours in the grid
	neighbours []neighbour

	// The weights of a star that takes the derivative along both axes. Constants would
	// be slower: the compiler loads them anew for every point.
	near, far float64
}

// newBlock is the block of a PE in a grid of n x n, filled with a plane.
func newBlock(pe, across, down, n int) *block {
	x, y := pe%across, pe/across
	b := &block{top: n * y / down, left: n * x / across, near: 1.0 / (2 * radius), far: 1.0 / (4 * radius)}
	b.rows, b.cols = n*(y+1)/down-b.top, n*(x+1)/across-b.left
	b.stride = b.cols + 2*radius
	b.in = make([]float64, (b.rows+2*radius)*b.stride)
	b.out = make([]float64, b.rows*b.cols)
	i := b.top
	for row := range b.lines(area{0, 0, b.rows, b.cols}) {
		for j := range row {
			row[j] = float64(i + b.left + j)
		}
		i++
	}
	top, left := max(radius-b.top, 0), max(radius-b.left, 0)
	b.inside = area{top, left, min(n-radius-b.top, b.rows) - top, min(n-radius-b.left, b.cols) - left}
	for side, there := range [4]bool{y > 0, y < down-1, x > 0, x < across-1} {
		if there {
			b.neighbours = append(b.neighbours, neighbour{side, pe + [4]int{-across, across, -1, 1}[side]})
		}
	}
	return b
}

// neighbour is a PE with a block on one side: 0 is north, 1 south, 2 west and 3 east,
// so that side^1 is the opposite one.
type neighbour struct{ side, pe int }

// area is a rectangle of a block; the margin has negative rows and columns.
type area struct{ top, left, rows, cols int }

// edge is what the neighbour on a side needs, margin what comes from there.
func (b *block) edge(side int) area {
	return [4]area{
		{0, 0, radius, b.cols}, {b.rows - radius, 0, radius, b.cols},
		{0, 0, b.rows, radius}, {0, b.cols - radius, b.rows, radius},
	}[side]
}

func (b *block) margin(side int) area {
	return [4]area{
		{-radius, 0, radius, b.cols}, {b.rows, 0, radius, b.cols},
		{0, -radius, b.rows, radius}, {0, b.cols, b.rows, radius},
	}[side]
}

// lines are the rows of an area of in.
func (b *block) lines(a area) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for i := range a.rows {
			if at := b.at(a.top+i, a.left); !yield(b.in[at : at+a.cols]) {
				return
			}
		}
	}
}

// at is where a point is in in.
func (b *block) at(row, col int) int { return (row+radius)*b.stride + radius + col }

// sweep adds the star around every point to out, and then 1 to every point. A row is
// raised while it is still in the cache, as soon as no star needs it any more.
func (b *block) sweep() {
	for i := range b.rows + radius {
		if i >= b.inside.top && i < b.inside.top+b.inside.rows {
			b.star(i)
		}
		if done := i - radius; done >= 0 {
			raise(b.in[b.at(done, 0):b.at(done, b.cols)])
		}
	}
}

// star adds the stars around the points of a row.
func (b *block) star(row int) {
	n, from, at := b.inside.cols, row*b.cols+b.inside.left, b.at(row, b.inside.left)
	line := func(rows, cols int) []float64 { // of the same length as out, so that no index needs a check
		return b.in[at+rows*b.stride+cols:][:n]
	}
	out := b.out[from:][:n]
	nn, no, so, ss := line(-2, 0), line(-1, 0), line(1, 0), line(2, 0)
	ww, we, ea, ee := line(0, -2), line(0, -1), line(0, 1), line(0, 2)
	near, far := b.near, b.far
	for j := range out {
		out[j] += far*ss[j] - far*nn[j] + near*so[j] - near*no[j] +
			far*ee[j] - far*ww[j] + near*ea[j] - near*we[j]
	}
}

// raise adds 1 to all.
func raise(all []float64) {
	for i := range all {
		all[i]++
	}
}

// sums adds up what the sweeps have left in out, and how far each point of it is from
// what it must be.
func (b *block) sums(want float64) (size, wrong float64) {
	for i := range b.inside.rows {
		at := (b.inside.top+i)*b.cols + b.inside.left
		for _, v := range b.out[at : at+b.inside.cols] {
			size += math.Abs(v)
			wrong += math.Abs(v - want)
		}
	}
	return size, wrong
}
