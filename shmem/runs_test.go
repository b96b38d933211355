package shmem

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// FuzzRuns compares copies in runs with copies of one element after the other.
func FuzzRuns(f *testing.F) {
	f.Add(slices.Repeat([]byte{3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, 40))
	f.Add(slices.Repeat([]byte{0xa5, 0x17, 0xff, 0x80, 0x3c, 2, 0, 0}, 100))
	f.Fuzz(rapid.MakeFuzz(copyInRuns))
}

// TestRuns is what FuzzRuns does, without a fuzzer.
func TestRuns(t *testing.T) { rapid.Check(t, copyInRuns) }

// cut is a view of a shape: elements lo, lo+step, ... of each dimension of an array that
// has its dimensions in some order.
type cut struct {
	lo, step, full []int // by dimension of the view
	order          []int // dimensions of the view, as the array has them
}

func drawCut(t *rapid.T, shape []int) cut {
	c := cut{order: make([]int, len(shape))}
	for i, n := range shape {
		lo, step := rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "lo"), rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "step")
		hi := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "hi")
		c.lo, c.step, c.full, c.order[i] = append(c.lo, lo), append(c.step, step), append(c.full, lo+max(n-1, 0)*step+1+hi), i
	}
	if rapid.Bool().Draw(t, "permute") {
		c.order = rapid.Permutation(c.order).Draw(t, "order")
	}
	return c
}

// elements of the array.
func (c cut) elements() int {
	n := 1
	for _, f := range c.full {
		n *= f
	}
	return n
}

// place is where the element with an index is in the array, by counting.
func (c cut) place(idx []int) int {
	at := 0
	for _, d := range c.order {
		at = at*c.full[d] + c.lo[d] + idx[d]*c.step[d]
	}
	return at
}

// view is the same as a layout and a place, by the operations of a tensor over an array
// that exists in name only.
func (c cut) view(t *rapid.T, shape []int, b *block) Tensor[[4]byte] {
	var dims, back []int
	for i, d := range c.order {
		dims, back = append(dims, c.full[d]), append(back, slices.Index(c.order, i))
	}
	view, err := TensorOf(Array[[4]byte]{b: b, n: c.elements()}, dims...)
	do := func(next Tensor[[4]byte], e error) {
		if e != nil {
			t.Fatal(e)
		}
		view = next
	}
	do(view, err)
	do(view.Permute(back...))
	for i, n := range shape {
		do(view.Slice(i, c.lo[i], min(c.lo[i]+n*c.step[i], c.full[i])))
		do(view.Step(i, c.step[i]))
	}
	if !slices.Equal(view.Shape(), shape) {
		t.Fatalf("the view has shape %v, want %v", view.Shape(), shape)
	}
	return view
}

// indices calls f with every index of a shape, row by row.
func indices(shape []int, f func(idx []int)) {
	idx := make([]int, len(shape))
	if slices.Contains(shape, 0) {
		return
	}
	for {
		f(idx)
		i := len(shape) - 1
		for ; i >= 0; i-- {
			if idx[i]++; idx[i] < shape[i] {
				break
			}
			idx[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// copyInRuns draws a shape and two views of it, copies one to the other, and finds
// every element where it should be, all others untouched, and no two runs that could
// have been one.
func copyInRuns(t *rapid.T) {
	shape := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 1, 2, 2, 3, 3, 4, 5}), 0, 4).Draw(t, "shape")
	to, from := drawCut(t, shape), drawCut(t, shape)
	nobody := &block{}
	dst, src := to.view(t, shape, nobody), from.view(t, shape, nobody)
	got, want := make([][4]byte, to.elements()), make([][4]byte, to.elements())
	data := make([][4]byte, from.elements())
	for i := range data {
		data[i] = [4]byte{1, byte(i), byte(i >> 8), byte(i >> 16)}
	}
	indices(shape, func(idx []int) { want[to.place(idx)] = data[from.place(idx)] })
	if dst.Len() > 0 {
		var r runs
		r.between(&dst.l, &src.l, 4)
		longest(t, r)
		toAt := stride{at: unsafe.Add(unsafe.Pointer(&got[0]), dst.a.off)}
		fromAt := stride{at: unsafe.Add(unsafe.Pointer(&data[0]), src.a.off)}
		if err := nobody.putRuns(toAt, fromAt, &r, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v to %v: got %v, want %v", src, dst, got, want)
	}
}

// longest holds that neighbouring loops do not go on where each other ends.
func longest(t *rapid.T, r runs) {
	if r.loops == 1 && r.n[0] == 1 {
		return
	}
	if r.to[0] == int(r.size) && r.by[0] == int(r.size) {
		t.Fatalf("runs of %d bytes follow each other: %+v", r.size, r)
	}
	for i := 1; i < r.loops; i++ {
		if r.to[i] == r.n[i-1]*r.to[i-1] && r.by[i] == r.n[i-1]*r.by[i-1] {
			t.Fatalf("loops %d and %d could be one: %+v", i-1, i, r)
		}
	}
}

// wholeTensor has a shape and no memory.
func wholeTensor(t *testing.T, shape ...int) Tensor[int32] {
	l, err := rowMajor(shape)
	if err != nil {
		t.Fatal(err)
	}
	return Tensor[int32]{Array[int32]{b: &block{}, n: l.count()}, l}
}

// TestEmptyView: the ends of several dimensions together are far beyond the last element.
func TestEmptyView(t *testing.T) {
	v := wholeTensor(t, 6, 4, 8)
	for dim, n := range v.Shape() {
		var err error
		if v, err = v.Slice(dim, n, n); err != nil {
			t.Fatal(err)
		}
	}
	if end := uintptr(6*4*8) * 4; v.a.off > end {
		t.Errorf("a view of nothing begins %d bytes into %d", v.a.off, end)
	}
}

// TestRunsMerge holds how many copies some transfers take.
func TestRunsMerge(t *testing.T) {
	whole := wholeTensor(t, 6, 4, 8)
	slice := func(v Tensor[int32], dim, lo, hi int) Tensor[int32] {
		v, err := v.Slice(dim, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name     string
		view     Tensor[int32]
		size     uintptr // of a run between two such views
		loops, n int     // and the rounds of the innermost
	}{
		{"all", whole, 192 * 4, 1, 1},
		{"all, transposed on both sides", whole.Transpose(), 192 * 4, 1, 1},
		{"outer part", slice(whole, 0, 2, 5), 96 * 4, 1, 1},
		{"middle part: one run for each outer", slice(whole, 1, 1, 3), 16 * 4, 1, 6},
		{"inner part: one loop over all rows", slice(whole, 2, 0, 5), 5 * 4, 1, 24},
		{"inner part of one: a column", slice(whole, 2, 7, 8), 4, 1, 24},
		{"middle and inner part", slice(slice(whole, 1, 0, 2), 2, 0, 3), 3 * 4, 2, 2},
		{"the same, transposed", slice(slice(whole, 1, 0, 2), 2, 0, 3).Transpose(), 3 * 4, 2, 2},
	} {
		var r runs
		r.between(&c.view.l, &c.view.l, 4)
		if r.size != c.size || r.loops != c.loops || r.n[0] != c.n {
			t.Errorf("%s: runs of %d bytes, %d loops, %d rounds of the innermost; want %d, %d, %d", c.name, r.size, r.loops, r.n[0], c.size, c.loops, c.n)
		}
	}
}
