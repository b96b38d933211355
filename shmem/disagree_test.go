package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// request is a collective as one PE asks for it.
type request struct {
	name string
	call func(ctx context.Context, x words) error
}

// words are arrays that are long enough for all requests.
type words struct {
	t        *shmem.Team
	n        int
	src, dst shmem.Array[int64]
	narrow   [2]shmem.Array[int32]
	unsigned [2]shmem.Array[uint64]

	send, receive shmem.Layout
	to, from      []int64 // ordinary memory
}

func newWords(ctx context.Context, w *shmem.World, t *shmem.Team, inSlices int) (x words, err error) {
	x.t, x.n = t, w.NPEs()
	x.to, x.from = make([]int64, inSlices), make([]int64, inSlices)
	x.send = shmem.Layout{Counts: make([]int, x.n), Offsets: make([]int, x.n)}
	x.receive = shmem.Layout{Counts: make([]int, x.n), Offsets: make([]int, x.n)}
	var errs [6]error
	x.src, errs[0] = shmem.Alloc[int64](ctx, w, 2000*x.n)
	x.dst, errs[1] = shmem.Alloc[int64](ctx, w, 2000*x.n)
	for i := range 2 {
		x.narrow[i], errs[2+i] = shmem.Alloc[int32](ctx, w, 8)
		x.unsigned[i], errs[4+i] = shmem.Alloc[uint64](ctx, w, 8)
	}
	return x, errors.Join(append(errs[:], x.src.Fill(-1))...)
}

// of are the first k elements of both arrays.
func (x words) of(to, from int) (dst, src shmem.Array[int64]) {
	dst, err := x.dst.Slice(0, to)
	src, err2 := x.src.Slice(0, from)
	if err != nil || err2 != nil {
		panic(errors.Join(err, err2))
	}
	return dst, src
}

// requests are all collectives with k elements for or of each PE.
func requests(k int) []request {
	type c = context.Context
	named := func(name string, to, from func(n int) int, call func(ctx c, t *shmem.Team, dst, src shmem.Array[int64]) error) request {
		return request{name, func(ctx c, x words) error {
			dst, src := x.of(to(x.n), from(x.n))
			return call(ctx, x.t, dst, src)
		}}
	}
	one, all := func(int) int { return k }, func(n int) int { return k * n }
	type arr = shmem.Array[int64]
	return []request{
		named("broadcast", one, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.Broadcast(ctx, t, d, s, 0) }),
		named("gather", all, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.Gather(ctx, t, d, s, 0) }),
		named("scatter", one, all, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.Scatter(ctx, t, d, s, 0) }),
		named("fcollect", all, one, shmem.FCollect[int64]),
		named("collect", all, one, func(ctx c, t *shmem.Team, d, s arr) error { return second(shmem.Collect(ctx, t, d, s)) }),
		named("alltoall", all, all, shmem.AllToAll[int64]),
		{"alltoallv", func(ctx c, x words) error { return x.allToFirst(ctx, k) }},
		named("reduce", one, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.Reduce(ctx, t, d, s, shmem.Sum, 0) }),
		named("allreduce", one, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.AllReduce(ctx, t, d, s, shmem.Sum) }),
		named("reduce scatter", one, all, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.ReduceScatter(ctx, t, d, s, shmem.Sum) }),
		named("inscan", one, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.InScan(ctx, t, d, s, shmem.Sum) }),
		named("exscan", one, one, func(ctx c, t *shmem.Team, d, s arr) error { return shmem.ExScan(ctx, t, d, s, shmem.Sum) }),
	}
}

// withoutData are collectives that move none.
func withoutData() []request {
	type c = context.Context
	return []request{
		{"barrier", func(ctx c, x words) error { return x.t.Barrier(ctx) }},
		{"split", func(ctx c, x words) error { return second(x.t.SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})) }},
	}
}

// mostInSlices is how many words slices have for each PE: several chunks of any room.
const mostInSlices = 20000

// ofSlices are all collectives of slices with k elements for or of each PE.
func ofSlices(k int) []request {
	type c = context.Context
	return []request{
		{"broadcast of slices", func(ctx c, x words) error { return shmem.BroadcastSlice(ctx, x.t, x.to[:k], 0) }},
		{"fcollect of slices", func(ctx c, x words) error { return shmem.FCollectSlice(ctx, x.t, x.to[:k*x.n], x.from[:k]) }},
		{"alltoall of slices", func(ctx c, x words) error { return shmem.AllToAllSlice(ctx, x.t, x.to[:k*x.n], x.from[:k*x.n]) }},
		{"allreduce of slices", func(ctx c, x words) error { return shmem.AllReduceSlice(ctx, x.t, x.to[:k], x.from[:k], shmem.Sum) }},
		{"reduce scatter of slices", func(ctx c, x words) error {
			return shmem.ReduceScatterSlice(ctx, x.t, x.to[:k], x.from[:k*x.n], shmem.Sum)
		}},
	}
}

// allToFirst has all but the first member send it k elements.
func (x words) allToFirst(ctx context.Context, k int) error {
	dst, src := x.of(k*x.n, k*x.n)
	if x.t.MyPE() > 0 {
		x.send.Counts[0] = k
	} else {
		for i := 1; i < x.n; i++ {
			x.receive.Counts[i], x.receive.Offsets[i] = k, i*k
		}
	}
	return shmem.AllToAllV(ctx, x.t, dst, x.receive, src, x.send)
}

// disagree has PE odd ask for one thing and the others for another, and returns what
// came of it on each PE: of the call and, if that was well, of a barrier after it.
func disagree(t *testing.T, o shmem.Options, n, odd int, one, others request) []error {
	t.Helper()
	errs := make([]error, n)
	err := shmem.RunLocal(t.Context(), n, o, func(ctx context.Context, w *shmem.World) error {
		team, err := w.Team().SplitStrided(ctx, 0, 1, n, shmem.TeamConfig{})
		if err != nil {
			return err
		}
		x, err := newWords(ctx, w, team, 1500*max(n, 6))
		if err != nil {
			return err
		}
		mine := others
		if w.MyPE() == odd {
			mine = one
		}
		if errs[w.MyPE()] = mine.call(ctx, x); errs[w.MyPE()] == nil {
			errs[w.MyPE()] = team.Barrier(ctx)
		}
		return nil
	})
	must(t, err)
	return errs
}

// TestKindsDisagree: a PE that comes to another collective than the others is an error
// for everybody, at the latest in the next meeting.
func TestKindsDisagree(t *testing.T) {
	if jobSize(t) > 0 {
		return // worlds of goroutine PEs
	}
	for _, k := range []int{1, 500, 1500} {
		all := slices.Concat(requests(k), withoutData(), ofSlices(k))
		for i, one := range all {
			for j, others := range all {
				if i == j || (k > 1 || i+j > 26) && (i+j)%3 != 0 {
					continue
				}
				n := []int{3, 3, 18}[(i+j)%3]
				for pe, err := range disagree(t, badOptions(), n, (i+j)%n, one, others) {
					if !errors.Is(err, shmem.ErrMismatch) {
						t.Errorf("%s on PE %d of %d, others %s, of %d: PE %d: %v", one.name, (i+j)%n, n, others.name, k, pe, err)
					}
				}
			}
		}
	}
}

// differing are pairs of requests of the same kind, what an error says of the first and
// of the second.
func differing() [][2]request {
	type c = context.Context
	r := func(say string, call func(ctx c, x words) error) request { return request{say, call} }
	broadcast := func(n, root int) request {
		return r(fmt.Sprintf("broadcast of %d elements of 8 bytes, root %d", n, root), func(ctx c, x words) error {
			d, s := x.of(n, n)
			return shmem.Broadcast(ctx, x.t, d, s, root)
		})
	}
	sum := func(n int) request {
		return r(fmt.Sprintf("allreduce (sum) of %d int64", n), func(ctx c, x words) error {
			d, s := x.of(n, n)
			return shmem.AllReduce(ctx, x.t, d, s, shmem.Sum)
		})
	}
	sumOfSlices := func(n int) request {
		return r(fmt.Sprintf("allreduce (sum) of %d int64 in slices", n), func(ctx c, x words) error {
			return shmem.AllReduceSlice(ctx, x.t, x.to[:n], x.from[:n], shmem.Sum)
		})
	}
	ofSlices := func(n, root int) request {
		return r(fmt.Sprintf("broadcast of %d elements of 8 bytes in slices, root %d", n, root), func(ctx c, x words) error {
			return shmem.BroadcastSlice(ctx, x.t, x.to[:n], root)
		})
	}
	fcollect := func(n int) request {
		return r(fmt.Sprintf("fcollect of %d elements of 8 bytes", n), func(ctx c, x words) error {
			d, s := x.of(n*x.n, n)
			return shmem.FCollect(ctx, x.t, d, s)
		})
	}
	return [][2]request{
		{broadcast(1, 0), broadcast(2, 0)}, {broadcast(1, 0), broadcast(1, 1)}, {broadcast(3, 0), broadcast(2000, 0)},
		{broadcast(8, 0), r("broadcast of 8 elements of 4 bytes, root 0", func(ctx c, x words) error {
			return shmem.Broadcast(ctx, x.t, x.narrow[0], x.narrow[1], 0)
		})},
		{sum(1), sum(2)}, {sum(1), sum(2000)}, {sum(500), sum(600)}, {sum(1500), sum(2000)},
		{sum(8), r("allreduce (max) of 8 int64", func(ctx c, x words) error {
			d, s := x.of(8, 8)
			return shmem.AllReduce(ctx, x.t, d, s, shmem.Max)
		})},
		{sum(8), r("allreduce (sum) of 8 uint64", func(ctx c, x words) error {
			return shmem.AllReduce(ctx, x.t, x.unsigned[0], x.unsigned[1], shmem.Sum)
		})},
		{sum(1), sumOfSlices(1)}, {sumOfSlices(2000), sum(2000)}, {sumOfSlices(6), sumOfSlices(7)}, {sumOfSlices(2000), sumOfSlices(9000)},
		{broadcast(1, 0), ofSlices(1, 0)}, {ofSlices(2000, 2), broadcast(2000, 2)}, {ofSlices(1, 0), ofSlices(9000, 0)}, {ofSlices(8, 0), ofSlices(8, 2)},
		{fcollect(1), fcollect(2000)}, {fcollect(2), fcollect(3)}, {fcollect(1500), fcollect(2000)},
		{r("collect of elements of 8 bytes", func(ctx c, x words) error { return second(shmem.Collect(ctx, x.t, x.dst, x.src)) }),
			r("collect of elements of 4 bytes", func(ctx c, x words) error {
				return second(shmem.Collect(ctx, x.t, x.narrow[0], x.narrow[1]))
			})},
	}
}

// TestArgumentsDisagree: in checked mode every PE learns who asked for what, and where.
// Otherwise at least all that read what does not fit get an error.
func TestArgumentsDisagree(t *testing.T) {
	if jobSize(t) > 0 {
		return // worlds of goroutine PEs
	}
	for _, pair := range differing() {
		for _, n := range []int{3, 18} {
			o := badOptions()
			disagree(t, o, n, 1, pair[0], pair[1]) // ends
			o.Check = shmem.CheckOn
			const site = ` \(disagree_test.go:\d+\)`
			one, others := regexp.QuoteMeta(pair[0].name), regexp.QuoteMeta(pair[1].name)
			form := regexp.MustCompile(fmt.Sprintf(`^shmem: \w+( \w+)?: (PE \d+ gave this team up: )?PE (1 asked for %s(%s)?, PE \d+ for %s|\d+ asked for %s(%s)?, PE 1 for %s) \(\w+ #1 of team 2, disagree_test.go:\d+\)`, one, site, others, others, site, one))
			for pe, err := range disagree(t, o, n, 1, pair[0], pair[1]) {
				if !errors.Is(err, shmem.ErrMismatch) || !form.MatchString(err.Error()) {
					t.Errorf("%d PEs: PE %d: %v\nwant %v", n, pe, err, form)
				}
			}
		}
	}
}
