package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

func tensorChecks() []Check {
	return []Check{
		check("tensor: views are what a list of places says", 1, tensorViews),
		check("tensor: put and get, every element size", 1, tensorTypes),
		check("tensor: nothing, one, and no dimensions", 1, tensorCorners),
		check("tensor: through a context", 2, tensorVia),
	}
}

// model is what a view must be: a shape, and where each element is in the array, row by
// row. It knows no strides.
type model struct{ shape, at []int }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func modelOf(shape []int) model {
	m := model{slices.Clone(shape), make([]int, product(shape))}
	for i := range m.at {
		m.at[i] = i
	}
	return m
}

// pick is the elements whose index in a dimension is one of some.
func (m model) pick(dim int, some []int) model {
	inner := product(m.shape[dim+1:])
	var at []int
	for outer := range product(m.shape[:dim]) {
		for _, i := range some {
			from := (outer*m.shape[dim] + i) * inner
			at = append(at, m.at[from:from+inner]...)
		}
	}
	shape := slices.Clone(m.shape)
	shape[dim] = len(some)
	return model{shape, at}
}

func (m model) index(dim, i int) model {
	m = m.pick(dim, []int{i})
	return model{slices.Delete(m.shape, dim, dim+1), m.at}
}

func (m model) slice(dim, lo, hi int) model {
	var some []int
	for i := lo; i < hi; i++ {
		some = append(some, i)
	}
	return m.pick(dim, some)
}

func (m model) step(dim, k int) model {
	var some []int
	for i := 0; i < m.shape[dim]; i += k {
		some = append(some, i)
	}
	return m.pick(dim, some)
}

func (m model) permute(dims []int) model {
	to := model{make([]int, len(dims)), make([]int, len(m.at))}
	for i, d := range dims {
		to.shape[i] = m.shape[d]
	}
	idx := make([]int, len(dims))
	for k := range to.at {
		for i, x := range unravel(k, to.shape) {
			idx[dims[i]] = x
		}
		from := 0
		for d, i := range idx {
			from = from*m.shape[d] + i
		}
		to.at[k] = m.at[from]
	}
	return to
}

// unravel is the index of the k-th element, row by row.
func unravel(k int, shape []int) []int {
	idx := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		idx[i] = k % shape[i]
		k /= shape[i]
	}
	return idx
}

// consecutive says whether each element is right after the one before.
func (m model) consecutive() bool {
	for k, at := range m.at {
		if at != m.at[0]+k {
			return false
		}
	}
	return true
}

// shaped is a tensor and its model.
type shaped[T any] struct {
	t shmem.Tensor[T]
	m model
}

// whole is the first elements of an array, in a shape.
func whole[T any](p *pe, a shmem.Array[T], shape []int) shaped[T] {
	t, err := shmem.TensorOf(part(p, a, 0, product(shape)), shape...)
	p.ok(err)
	return shaped[T]{t, modelOf(shape)}
}

// view makes a random view of s.
func (s shaped[T]) view(p *pe, rng *rand.Rand) shaped[T] {
	var err error
	what, dims := rng.IntN(6), s.t.Dims()
	if dims == 0 {
		return s
	}
	dim := rng.IntN(dims)
	n := s.m.shape[dim]
	switch {
	case what == 0 && n > 0:
		i := rng.IntN(n)
		s.m = s.m.index(dim, i)
		s.t, err = s.t.Index(dim, i)
	case what == 1:
		lo := rng.IntN(n + 1)
		hi := lo + rng.IntN(n-lo+1)
		s.m = s.m.slice(dim, lo, hi)
		s.t, err = s.t.Slice(dim, lo, hi)
	case what == 2:
		k := 1 + rng.IntN(3)
		s.m = s.m.step(dim, k)
		s.t, err = s.t.Step(dim, k)
	case what == 3:
		order := rng.Perm(dims)
		s.m = s.m.permute(order)
		s.t, err = s.t.Permute(order...)
	case what == 4:
		order := modelOf([]int{dims}).at
		slices.Reverse(order)
		s.m = s.m.permute(order)
		s.t = s.t.Transpose()
	case s.t.IsContiguous() && n > 0:
		return s.reshape(p, dim)
	}
	p.ok(err)
	return s
}

// reshape makes two dimensions of all: one as long as dim, one to be inferred.
func (s shaped[T]) reshape(p *pe, dim int) shaped[T] {
	n := s.m.shape[dim]
	t, err := s.t.Reshape(n, -1)
	p.ok(err)
	return shaped[T]{t, model{[]int{n, len(s.m.at) / n}, s.m.at}}
}

// views makes a few views, one of the other.
func (s shaped[T]) views(p *pe, rng *rand.Rand) shaped[T] {
	for range rng.IntN(6) {
		s = s.view(p, rng)
	}
	return s
}

// another is a view of the same shape that lies in its array in another way.
func (s shaped[T]) another(p *pe, a shmem.Array[T], rng *rand.Rand) shaped[T] {
	order := rng.Perm(s.t.Dims())
	full, back, lo := make([]int, len(order)), make([]int, len(order)), make([]int, len(order))
	for i, d := range order {
		lo[d] = rng.IntN(2)
		full[i], back[d] = lo[d]+s.m.shape[d]+rng.IntN(2), i
	}
	if product(full) > a.Len() {
		return whole(p, a, s.m.shape)
	}
	v := whole(p, a, full)
	t, err := v.t.Permute(back...)
	p.ok(err)
	m := v.m.permute(back)
	for d, n := range s.m.shape {
		t, err = t.Slice(d, lo[d], lo[d]+n)
		p.ok(err)
		m = m.slice(d, lo[d], lo[d]+n)
	}
	return shaped[T]{t, m}
}

// shape draws up to four dimensions that fit into an array.
func shape(rng *rand.Rand) []int {
	dims := make([]int, rng.IntN(5))
	for i := range dims {
		dims[i] = 1 + rng.IntN(4)
	}
	return dims
}

// tensorRoom is enough for every shape, and for most with a border.
const tensorRoom = 600

// tensorViews looks at random views of this PE's own copy.
func tensorViews(p *pe) {
	a := alloc[int32](p, tensorRoom)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		set(p, a, func(i int) int32 { return int32(i) })
		v := whole(p, a, shape(rng)).views(p, rng)
		looksRight(p, v)
		writesRight(p, a, v)
	}
}

// looksRight compares all that a view says with its model. Every element holds its place.
func looksRight(p *pe, v shaped[int32]) {
	p.Helper()
	same(p, slices.Equal(v.t.Shape(), v.m.shape), true, "%v has the shape %v", v.t, v.m.shape)
	same(p, [2]int{v.t.Len(), v.t.Dims()}, [2]int{len(v.m.at), len(v.m.shape)}, "elements and dimensions of %v", v.t)
	same(p, v.t.IsContiguous(), v.m.consecutive(), "%v is contiguous", v.t)
	got := make([]int32, v.t.Len())
	p.ok(v.t.CopyTo(got))
	sameAll(p, got, func(k int) int32 { return int32(v.m.at[k]) }, "copy to from %v", v.t)
	for k, at := range v.m.at {
		x, err := v.t.At(unravel(k, v.m.shape)...)
		p.ok(err)
		same(p, x, int32(at), "element %v of %v", unravel(k, v.m.shape), v.t)
	}
	switch own, err := v.t.Local(); {
	case !v.t.IsContiguous():
		p.is(err, shmem.ErrArgument, "local of a view with gaps")
	case p.far:
		p.is(err, shmem.ErrNoPeerAccess, "local of a view on a device")
	default:
		p.ok(err)
		same(p, slices.Equal(own, got), true, "local of %v", v.t)
	}
}

// writesRight writes through a view: into its places and no others.
func writesRight(p *pe, a shmem.Array[int32], v shaped[int32]) {
	p.Helper()
	want := slices.Clone(local(p, a))
	buf := make([]int32, v.t.Len())
	for k, at := range v.m.at {
		buf[k] = int32(1000 + k)
		want[at] = buf[k]
	}
	p.ok(v.t.CopyFrom(buf))
	same(p, slices.Equal(local(p, a), want), true, "copy from to %v", v.t)
	for k, at := range v.m.at {
		want[at] = -int32(k)
		p.ok(v.t.Set(want[at], unravel(k, v.m.shape)...))
	}
	same(p, slices.Equal(local(p, a), want), true, "set in %v", v.t)
	for _, at := range v.m.at {
		want[at] = 7
	}
	p.ok(v.t.Fill(7))
	same(p, slices.Equal(local(p, a), want), true, "fill of %v", v.t)
}
