package raw_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

type collective = func(ctx context.Context, c *shmem.CommContext, team *shmem.Team, dest, source uintptr, n int) error

// reductions and those below are structs of checkFamilies, see there.
type reductions[T shmem.Waitable] struct{ sum, prod, min, max collective }

func (r reductions[T]) check(t testing.TB, w *shmem.World, c string) {
	r.reduce(t, w, c, false)
}

func (r reductions[T]) reduce(t testing.TB, w *shmem.World, c string, scatter bool) {
	reducing[T]{t, w, c, scatter}.check(map[string]folder[T]{
		"sum":  {r.sum, func(a, b T) T { return a + b }},
		"prod": {r.prod, func(a, b T) T { return a * b }},
		"min":  {r.min, func(a, b T) T { return min(a, b) }},
		"max":  {r.max, func(a, b T) T { return max(a, b) }},
	})
}

type scatters[T shmem.Waitable] reductions[T]

func (s scatters[T]) check(t testing.TB, w *shmem.World, c string) {
	reductions[T](s).reduce(t, w, c, true)
}

// bits are numbers with bitwise operations.
type bits interface{ int16 | int32 | int64 }

type bitReductions[T bits] struct{ and, or, xor collective }

func (r bitReductions[T]) check(t testing.TB, w *shmem.World, c string) {
	r.reduce(t, w, c, false)
}

func (r bitReductions[T]) reduce(t testing.TB, w *shmem.World, c string, scatter bool) {
	reducing[T]{t, w, c, scatter}.check(map[string]folder[T]{
		"and": {r.and, func(a, b T) T { return a & b }},
		"or":  {r.or, func(a, b T) T { return a | b }},
		"xor": {r.xor, func(a, b T) T { return a ^ b }},
	})
}

type bitScatters[T bits] bitReductions[T]

func (s bitScatters[T]) check(t testing.TB, w *shmem.World, c string) {
	bitReductions[T](s).reduce(t, w, c, true)
}

// folder is a reduction, and what it does with two elements.
type folder[T any] struct {
	call collective
	fold func(a, b T) T
}

// reducing checks reductions of three elements, of each member or for each.
type reducing[T shmem.Waitable] struct {
	testing.TB
	w       *shmem.World
	c       string
	scatter bool
}

func (r reducing[T]) check(all map[string]folder[T]) {
	n := raw.NPes(r.w)
	f := newFamily[T](r.TB, r.w, r.c, 3*(n+1))
	source := own[T](f.pe, f.addr, 3*n)
	dest := f.addr + uintptr(3*n*sizeOf[T]())
	have := func(pe, j int) T { return T((pe+1)*(j+1)%7 + 1) }
	for j := range source {
		source[j] = have(f.me, j)
	}
	for _, op := range sortedKeys(all) {
		f.ok(all[op].call(f.ctx, nil, f.world(), dest, f.addr, 3))
		for j, got := range own[T](f.pe, dest, 3) {
			at := j
			if r.scatter {
				at += 3 * f.me
			}
			want := have(0, at)
			for pe := 1; pe < n; pe++ {
				want = all[op].fold(want, have(pe, at))
			}
			same(f.pe, fmt.Sprintf("%s %s, element %d", r.c, op, j), got, want)
		}
	}
	f.free(f.addr)
}

type broadcasts[T shmem.Waitable] struct {
	typed func(ctx context.Context, c *shmem.CommContext, team *shmem.Team, dest, source uintptr, n, root int) error
}

func (b broadcasts[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 4)
	both := own[T](f.pe, f.addr, 4)
	for root := range f.n {
		both[0], both[1] = value[T](f.me), value[T](f.me+1)
		f.ok(b.typed(f.ctx, nil, f.world(), f.addr+uintptr(2*sizeOf[T]()), f.addr, 2, root))
		same(f.pe, c+" broadcast", both[2], value[T](root))
		same(f.pe, c+" broadcast", both[3], value[T](root+1))
	}
	f.free(f.addr)
}

// bytes are the collectives that know no type, on a team of some PEs.
func bytes(p *pe) {
	t := p.even()
	const size = 5
	src, dst := p.malloc(size*p.n), p.malloc(size*p.n)
	if t != nil {
		k, me := raw.TeamNPes(t), raw.TeamMyPe(t)
		from, to := own[byte](p, src, size*k), own[byte](p, dst, size*k)
		for j := range from {
			from[j] = byte(50*me + j)
		}
		p.ok(raw.Alltoallmem(p.ctx, t, dst, src, size))
		for j, b := range to {
			same(p, "alltoallmem", b, byte(50*(j/size)+me*size+j%size))
		}
		p.ok(raw.Broadcastmem(p.ctx, t, dst, src, size*k-1, k-1))
		for j, b := range to[:size*k-1] {
			same(p, "broadcastmem", b, byte(50*(k-1)+j))
		}
	}
	p.destroy(t)
	p.free(dst)
	p.free(src)
}

// together are collectives of n elements of each member.
func together(p *pe) map[string]func(t *shmem.Team, dest, source uintptr, n int) error {
	return map[string]func(t *shmem.Team, dest, source uintptr, n int) error{
		"alltoallmem":   func(t *shmem.Team, d, s uintptr, n int) error { return raw.Alltoallmem(p.ctx, t, d, s, n) },
		"broadcastmem":  func(t *shmem.Team, d, s uintptr, n int) error { return raw.Broadcastmem(p.ctx, t, d, s, n, p.n-1) },
		"int_broadcast": func(t *shmem.Team, d, s uintptr, n int) error { return raw.CtxIntBroadcast(p.ctx, nil, t, d, s, n, 0) },
		"int_sum_reduce": func(t *shmem.Team, d, s uintptr, n int) error {
			return raw.CtxIntSumReduce(p.ctx, nil, t, d, s, n)
		},
		"int_sum_reduce_scatter": func(t *shmem.Team, d, s uintptr, n int) error {
			return raw.CtxIntSumReduceScatter(p.ctx, nil, t, d, s, n)
		},
	}
}

// wrongOne is what cannot be done, and which error it is.
type wrongOne struct {
	dest, source uintptr
	n            int
	is           error
	text         string
}

// wrongCollectives: what is wrong on the last PE alone is an error on all, with the
// reason.
func wrongCollectives(p *pe) {
	freed := p.malloc(4096)
	good, other := p.malloc(256), p.malloc(256)
	p.free(freed)
	private := make([]int32, 16)
	all := together(p)
	wrong := map[string]wrongOne{
		"dest at nothing":          {0, other, 1, shmem.ErrBounds, "address 0x0 is not in"},
		"source in private memory": {good, mem.Address(private), 1, shmem.ErrBounds, "is not in this PE's symmetric heap"},
		"freed dest":               {freed, other, 1, shmem.ErrFreed, "is in no live allocation"},
		"source past the end":      {good, other + 255, 2, shmem.ErrBounds, "past the end of alloc"},
		"fewer than no elements":   {good, other, -1, shmem.ErrBounds, "elements: the symmetric heap has"},
		"too many elements":        {good, other, math.MaxInt, shmem.ErrBounds, "elements: the symmetric heap has"},
		"source over dest":         {good, good + 4, 5, shmem.ErrArgument, "overlap"},
	}
	for _, name := range sortedKeys(all) {
		for _, what := range sortedKeys(wrong) {
			p.wrongTogether(name+", "+what, all[name], wrong[what], good, other)
		}
		p.refused(name+" of no team", all[name](nil, good, other, 1), shmem.ErrNotMember)
	}
	p.free(other)
	p.free(good)
}

// wrongTogether has the last PE do what is wrong while the others do what is right. The
// team is of no use then, and is left to Finalize.
func (p *pe) wrongTogether(what string, call func(t *shmem.Team, dest, source uintptr, n int) error, x wrongOne, good, other uintptr) {
	t := p.split(p.world(), 0, 1, p.n)
	if p.me == p.n-1 {
		err := call(t, x.dest, x.source, x.n)
		p.refused(what, err, x.is)
		return
	}
	err := call(t, good, other, 1)
	if err == nil { // a root need not wait for the others
		err = raw.Barrier(p.ctx, t)
	}
	p.refused(what+", on another PE", err, shmem.ErrMismatch)
	if err != nil && !strings.Contains(err.Error(), x.text) {
		p.Errorf("%s, on another PE: error %v, want %q in it", what, err, x.text)
	}
}

// wrongRoot is one that the team does not have.
func wrongRoot(p *pe) {
	good := p.malloc(8)
	t := p.split(p.world(), 0, 1, p.n)
	p.refused("broadcastmem", raw.Broadcastmem(p.ctx, t, good, good, 8, p.n), shmem.ErrPE)
	p.free(good)
}
