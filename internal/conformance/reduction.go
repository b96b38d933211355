package conformance

import (
	"math"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/shmem"
)

func reductionChecks() []Check {
	return []Check{
		check("reduction: integers, every operation", 1, reduceIntegers),
		check("reduction: numbers with a point, every operation", 1, reduceFloats),
		check("reduction: narrow numbers, rounded once", 1, reduceNarrow),
		check("reduction: complex numbers", 1, reduceComplex),
		check("reduction: every size on every team", 1, reduceSizes),
		check("reduction: scan of nothing", 1, neutralScan),
		check("reduction: the same bits everywhere and always", 1, sameBits),
	}
}

// operation is a reduction and what it must do with elements in team order.
type operation[T shmem.Numeric] struct {
	name string
	op   shmem.Reduction[T]
	fold func(values []T) T
}

// pairwise folds from the first to the last.
func pairwise[T any](f func(a, b T) T) func([]T) T {
	return func(values []T) T {
		result := values[0]
		for _, v := range values[1:] {
			result = f(result, v)
		}
		return result
	}
}

func sums[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | uintptr | float32 | float64 | complex64 | complex128]() []operation[T] {
	return []operation[T]{
		{"sum", shmem.Sum[T], pairwise(func(a, b T) T { return a + b })},
		{"product", shmem.Prod[T], pairwise(func(a, b T) T { return a * b })},
	}
}

func extremes[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | uintptr | float32 | float64]() []operation[T] {
	return append(sums[T](),
		operation[T]{"minimum", shmem.Min[T], pairwise(func(a, b T) T { return min(a, b) })},
		operation[T]{"maximum", shmem.Max[T], pairwise(func(a, b T) T { return max(a, b) })})
}

func bitwise[T shmem.Integer]() []operation[T] {
	return append(extremes[T](),
		operation[T]{"and", shmem.And[T], pairwise(func(a, b T) T { return a & b })},
		operation[T]{"or", shmem.Or[T], pairwise(func(a, b T) T { return a | b })},
		operation[T]{"xor", shmem.Xor[T], pairwise(func(a, b T) T { return a ^ b })})
}

func reduceIntegers(p *pe) {
	integers[int](p)
	integers[int8](p)
	integers[int16](p)
	integers[int32](p)
	integers[int64](p)
	integers[uint](p)
	integers[uint8](p)
	integers[uint16](p)
	integers[uint32](p)
	integers[uint64](p)
	integers[uintptr](p)
}

func integers[T shmem.Integer](p *pe) {
	p.Helper()
	reductions(p, bitwise[T](), func(pe, i int) T { return T(hash(pe, i)) | T(i&1) })
}

func reduceFloats(p *pe) {
	reductions(p, extremes[float32](), func(pe, i int) float32 { return float32(spread(pe, i)) })
	reductions(p, extremes[float64](), spread)
}

// spread draws numbers of all sizes whose sums lose bits, zeros of both signs and
// infinities.
func spread(pe, i int) float64 {
	x := math.Ldexp(float64(int64(hash(pe, i)))/(1<<63), int(hash(i, pe)%24))
	switch i {
	case 7:
		return math.Copysign(0, float64(pe%2)-0.5)
	case 11:
		return math.Inf(1)
	}
	return x
}

func reduceComplex(p *pe) {
	reductions(p, sums[complex64](), func(pe, i int) complex64 { return complex(float32(hash(pe, i)%5), float32(hash(i, pe)%3)) })
	reductions(p, sums[complex128](), func(pe, i int) complex128 { return complex(float64(hash(pe, i)%5), float64(hash(i, pe)%3)) })
}

// narrow is a type that is combined in float32.
type narrow interface {
	comparable
	shmem.Real
	Float32() float32
}

func reduceNarrow(p *pe) {
	narrowOf(p, dtype.F16, 11)
	narrowOf(p, dtype.BF16, 8)
	narrowOf(p, dtype.F8E4M3, 4)
	narrowOf(p, dtype.F8E5M2, 3)
}

// narrowOf draws numbers of which not every sum fits into the bits of the type.
func narrowOf[T narrow](p *pe, round func(float32) T, bits int) {
	p.Helper()
	var ops []operation[T]
	reds := []shmem.Reduction[T]{shmem.Sum[T], shmem.Prod[T], shmem.Min[T], shmem.Max[T]}
	for i, o := range extremes[float32]() {
		ops = append(ops, operation[T]{o.name, reds[i], func(values []T) T {
			var all []float32
			for _, v := range values {
				all = append(all, v.Float32())
			}
			return round(o.fold(all))
		}})
	}
	reductions(p, ops, func(pe, i int) T {
		return round((1 + float32(hash(pe, i)%(1<<bits))/float32(int(1)<<bits)) * float32(1-2*(int(hash(i, pe))&1)))
	})
}

// reductions holds all forms with all operations to what they must do with the few
// elements of every PE that draw says.
func reductions[T shmem.Numeric](p *pe, ops []operation[T], draw func(pe, i int) T) {
	p.Helper()
	const n = 13
	src, dst := alloc[T](p, n*p.n), alloc[T](p, n*p.n)
	set(p, src, func(i int) T { return draw(p.me, i) })
	r := reducer[T]{p, p.w.Team(), draw, part(p, src, 0, n), part(p, dst, 0, n)}
	for i, o := range ops {
		r.allReduce(o)
		r.reduce(o, i%p.n)
		r.reduceScatter(o, src)
		r.scan(o)
	}
}

// reducer compares reductions with serial ones.
type reducer[T shmem.Numeric] struct {
	*pe
	t        *shmem.Team
	draw     func(pe, i int) T
	src, dst shmem.Array[T]
}

// of is what element i of the first members combines to.
func (r reducer[T]) of(o operation[T], members, i int) T {
	values := make([]T, members)
	for m := range values {
		values[m] = r.draw(member(r.pe, r.t, m), i)
	}
	return o.fold(values)
}

func (r reducer[T]) holds(o operation[T], form string, members, from int) {
	r.Helper()
	for i, got := range local(r.pe, r.dst) {
		if want := r.of(o, members, from+i); !alike(got, want) {
			r.Fatalf("%s, %s of %d %T from %d members: element %d is %v, want %v", form, o.name, r.dst.Len(), got, members, i, got, want)
		}
	}
}

// alike is equality for which NaNs are equal, zeros only with their sign.
func alike[T shmem.Numeric](got, want T) bool {
	switch g := any(got).(type) {
	case float64:
		w := any(want).(float64)
		return g != g && w != w || math.Float64bits(g) == math.Float64bits(w)
	case float32:
		w := any(want).(float32)
		return g != g && w != w || math.Float32bits(g) == math.Float32bits(w)
	}
	return got == want
}

func (r reducer[T]) allReduce(o operation[T]) {
	r.Helper()
	r.ok(shmem.AllReduce(r.ctx, r.t, r.dst, r.src, o.op))
	r.holds(o, "allreduce", r.t.NPEs(), 0)
	r.ok(r.dst.CopyFrom(local(r.pe, r.src)))
	r.ok(shmem.AllReduce(r.ctx, r.t, r.dst, r.dst, o.op))
	r.holds(o, "allreduce in place", r.t.NPEs(), 0)
}

func (r reducer[T]) reduce(o operation[T], root int) {
	r.Helper()
	dst := r.dst
	if r.t.MyPE() != root {
		dst = shmem.Array[T]{} // nobody looks at it
	}
	r.ok(shmem.Reduce(r.ctx, r.t, dst, r.src, o.op, root))
	if r.t.MyPE() == root {
		r.holds(o, "reduce", r.t.NPEs(), 0)
	}
}

// reduceScatter needs as many elements of each member as there are members.
func (r reducer[T]) reduceScatter(o operation[T], src shmem.Array[T]) {
	r.Helper()
	n := r.dst.Len()
	r.ok(shmem.ReduceScatter(r.ctx, r.t, r.dst, part(r.pe, src, 0, n*r.t.NPEs()), o.op))
	r.holds(o, "reduce scatter", r.t.NPEs(), n*r.t.MyPE())
}

func (r reducer[T]) scan(o operation[T]) {
	r.Helper()
	me := r.t.MyPE()
	r.ok(shmem.InScan(r.ctx, r.t, r.dst, r.src, o.op))
	r.holds(o, "inscan", me+1, 0)
	r.ok(r.dst.CopyFrom(local(r.pe, r.src)))
	r.ok(shmem.ExScan(r.ctx, r.t, r.dst, r.dst, o.op))
	if me > 0 {
		r.holds(o, "exscan in place", me, 0)
	}
}

// reduceSizes goes through all ways that data can go.
func reduceSizes(p *pe) {
	draw := func(pe, i int) float64 { return spread(pe, i) }
	src, dst := alloc[float64](p, most*p.n), alloc[float64](p, most*p.n)
	set(p, src, func(i int) float64 { return draw(p.me, i) })
	sum := extremes[float64]()[0]
	onTeams(p, func(t *shmem.Team) {
		for round, n := range borders(t.NPEs()) {
			r := reducer[float64]{p, t, draw, part(p, src, 0, n), part(p, dst, 0, n)}
			r.allReduce(sum)
			r.reduce(sum, round%t.NPEs())
			r.scan(sum)
			r.dst = part(p, dst, 0, n/t.NPEs())
			r.reduceScatter(sum, src)
		}
	})
	whole := part(p, dst, 0, 200*p.n) // reduce scatter in place
	p.ok(whole.Put(part(p, src, 0, whole.Len()), p.me))
	p.quiet()
	r := reducer[float64]{p, p.w.Team(), draw, src, part(p, whole, 200*p.me, 200*(p.me+1))}
	p.ok(shmem.ReduceScatter(p.ctx, r.t, r.dst, whole, shmem.Sum))
	r.holds(sum, "reduce scatter in place", p.n, 200*p.me)
}

// neutralScan: the first member of an exclusive scan gets what changes nothing.
func neutralScan(p *pe) {
	first(p, shmem.Sum, int16(0))
	first(p, shmem.Prod, uint32(1))
	first(p, shmem.Min, int8(math.MaxInt8))
	first(p, shmem.Max, int64(math.MinInt64))
	first(p, shmem.Min, uint16(math.MaxUint16))
	first(p, shmem.Max, uint64(0))
	first(p, shmem.And, int32(-1))
	first(p, shmem.Or, uint8(0))
	first(p, shmem.Xor, uintptr(0))
	first(p, shmem.Min, math.Inf(1))
	first(p, shmem.Max, float32(math.Inf(-1)))
	first(p, shmem.Prod, complex64(1))
	first(p, shmem.Prod, dtype.F16(1))
	first(p, shmem.Sum, dtype.F8E4M3(0))
	first(p, shmem.Prod, dtype.F8E5M2(1))
	first(p, shmem.Max, dtype.BF16(float32(math.Inf(-1))))
}

func first[T shmem.Numeric](p *pe, op shmem.Reduction[T], want T) {
	p.Helper()
	src, dst := alloc[T](p, 40), alloc[T](p, 40)
	p.ok(shmem.ExScan(p.ctx, p.w.Team(), dst, src, op))
	if p.me == 0 {
		sameAll(p, local(p, dst), func(int) T { return want }, "%T of nobody", want)
	}
}

// sameBits adds up numbers of which the large ones cancel: another order gives another
// sum. All PEs show what they got.
func sameBits(p *pe) {
	for _, n := range []int{2, 300, most} {
		src, dst, all := alloc[float32](p, n), alloc[float32](p, n), alloc[float32](p, n*p.n)
		set(p, src, func(i int) float32 {
			return float32(math.Ldexp(float64(1-p.me%2*2), 20+i%7)) + float32(hash(p.me, i)%1000)/1000
		})
		for range 3 {
			p.ok(shmem.AllReduce(p.ctx, p.w.Team(), dst, src, shmem.Sum))
			p.ok(shmem.FCollect(p.ctx, p.w.Team(), all, dst))
			own := local(p, dst)
			sameAll(p, local(p, all), func(i int) float32 { return own[i%n] }, "sums of all PEs")
		}
	}
}
