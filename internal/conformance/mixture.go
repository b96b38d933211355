package conformance

import "github.com/goshmem/goshmem/shmem"

// mixture is a row of collectives without anything between them, each of a kind, a size, a
// root and a team that its number says: whatever a member that is ahead writes, those
// behind must still find what belongs to their collective.
type mixture struct {
	*pe
	src, dst shmem.Array[uint64]
	round    int
	t        *shmem.Team
	n, root  int // elements of each member, or for each; and a member
	slices   bool
}

// mixtures are as many collectives as make most pairs of kinds neighbours.
func mixtures(p *pe) {
	p.Helper()
	x := &mixture{pe: p, src: alloc[uint64](p, most*p.n), dst: alloc[uint64](p, most*p.n)}
	both := []func(){x.broadcast, x.broadcast, x.fcollect, x.alltoall, x.allreduce, x.reduceScatter}
	kinds := append(both, x.gather, x.scatter, x.reduce, x.collect, x.inScan, x.sync)
	first := int(hash(p.n) % 1000)
	onTeams(p, func(t *shmem.Team) {
		x.t = t
		for x.round = first; x.round < first+90; x.round++ {
			draw := func(what, below int) int { return int(hash(x.round, what) % uint64(below)) }
			kind := draw(1, len(kinds))
			x.slices, x.root = kind < len(both) && draw(2, 2) == 0, draw(3, t.NPEs())
			if stretch := x.round / 30; stretch%3 == 0 { // whose root waits for nobody
				kind, x.slices, x.root = 0, false, stretch%t.NPEs()
			}
			x.n = borders(x.round)[draw(4, 9)]
			if x.slices && t.NPEs() <= 4 && draw(5, 20) == 0 { // through both halves of a room
				x.n = 2*16384 + draw(6, 200)
			}
			kinds[kind]()
		}
		first += 1000
	})
}

// word is element i of what member m has.
func (x *mixture) word(m, i int) uint64 { return drawWord(member(x.pe, x.t, m), x.round, i) }

// sum is that of the elements i of the first members.
func (x *mixture) sum(members, i int) (sum uint64) {
	for m := range members {
		sum += x.word(m, i)
	}
	return sum
}

// arrays are to elements of the destination, and from loaded ones of the source.
func (x *mixture) arrays(to, from int) (dst, src shmem.Array[uint64]) {
	x.Helper()
	dst, src = part(x.pe, x.dst, 0, to), part(x.pe, x.src, 0, from)
	load(x.pe, src, x.round)
	return dst, src
}

// does looks at what a collective has left in an array or a slice.
func (x *mixture) does(err error, what string, a shmem.Array[uint64], s []uint64, want func(i int) uint64) {
	x.Helper()
	x.ok(err)
	if !x.slices {
		s = local(x.pe, a)
	}
	sameAll(x.pe, s, want, "%s of %d words, round %d, root %d of %d, slices: %v", what, x.n, x.round, x.root, x.t.NPEs(), x.slices)
}

// do does a collective in one of its forms, and looks at what it leaves.
func (x *mixture) do(what string, to, from int, arrays func(dst, src shmem.Array[uint64]) error, slices func(dst, src []uint64) error, want func(i int) uint64) {
	x.Helper()
	if x.slices {
		dst := make([]uint64, to)
		x.does(slices(dst, drawn(x.me, x.round, from)), what, shmem.Array[uint64]{}, dst, want)
		return
	}
	dst, src := x.arrays(to, from)
	x.does(arrays(dst, src), what, dst, nil, want)
}

func (x *mixture) broadcast() {
	x.do("broadcast", x.n, x.n, func(dst, src shmem.Array[uint64]) error { return shmem.Broadcast(x.ctx, x.t, dst, src, x.root) },
		func(dst, src []uint64) error { copy(dst, src); return shmem.BroadcastSlice(x.ctx, x.t, dst, x.root) },
		func(i int) uint64 { return x.word(x.root, i) })
}

func (x *mixture) fcollect() {
	x.do("fcollect", x.n*x.t.NPEs(), x.n, func(dst, src shmem.Array[uint64]) error { return shmem.FCollect(x.ctx, x.t, dst, src) },
		func(dst, src []uint64) error { return shmem.FCollectSlice(x.ctx, x.t, dst, src) },
		func(i int) uint64 { return x.word(i/x.n, i%x.n) })
}

func (x *mixture) alltoall() {
	x.do("alltoall", x.n*x.t.NPEs(), x.n*x.t.NPEs(), func(dst, src shmem.Array[uint64]) error { return shmem.AllToAll(x.ctx, x.t, dst, src) },
		func(dst, src []uint64) error { return shmem.AllToAllSlice(x.ctx, x.t, dst, src) },
		func(i int) uint64 { return x.word(i/x.n, x.t.MyPE()*x.n+i%x.n) })
}

func (x *mixture) allreduce() {
	x.do("allreduce", x.n, x.n, func(dst, src shmem.Array[uint64]) error { return shmem.AllReduce(x.ctx, x.t, dst, src, shmem.Sum) },
		func(dst, src []uint64) error { return shmem.AllReduceSlice(x.ctx, x.t, dst, src, shmem.Sum) },
		func(i int) uint64 { return x.sum(x.t.NPEs(), i) })
}

func (x *mixture) reduceScatter() {
	x.do("reduce scatter", x.n, x.n*x.t.NPEs(), func(dst, src shmem.Array[uint64]) error { return shmem.ReduceScatter(x.ctx, x.t, dst, src, shmem.Sum) },
		func(dst, src []uint64) error { return shmem.ReduceScatterSlice(x.ctx, x.t, dst, src, shmem.Sum) },
		func(i int) uint64 { return x.sum(x.t.NPEs(), x.t.MyPE()*x.n+i) })
}

func (x *mixture) gather() {
	dst, src := x.arrays(x.n*x.t.NPEs(), x.n)
	err := shmem.Gather(x.ctx, x.t, dst, src, x.root)
	if x.t.MyPE() != x.root {
		x.ok(err)
		return
	}
	x.does(err, "gather", dst, nil, func(i int) uint64 { return x.word(i/x.n, i%x.n) })
}

func (x *mixture) scatter() {
	x.do("scatter", x.n, x.n*x.t.NPEs(), func(dst, src shmem.Array[uint64]) error { return shmem.Scatter(x.ctx, x.t, dst, src, x.root) }, nil,
		func(i int) uint64 { return x.word(x.root, x.t.MyPE()*x.n+i) })
}

func (x *mixture) reduce() {
	dst, src := x.arrays(x.n, x.n)
	err := shmem.Reduce(x.ctx, x.t, dst, src, shmem.Sum, x.root)
	if x.t.MyPE() != x.root {
		x.ok(err)
		return
	}
	x.does(err, "reduce", dst, nil, func(i int) uint64 { return x.sum(x.t.NPEs(), i) })
}

// collect takes a different length from each member.
func (x *mixture) collect() {
	length := func(m int) int { return x.n * ((m + x.round) % 3) / 2 }
	all := 0
	for m := range x.t.NPEs() {
		all += length(m)
	}
	dst, src := x.arrays(all, length(x.t.MyPE()))
	total, err := shmem.Collect(x.ctx, x.t, dst, src)
	same(x.pe, total, all, "elements of all")
	x.does(err, "collect", dst, nil, func(i int) uint64 {
		m := 0
		for ; i >= length(m); m++ {
			i -= length(m)
		}
		return x.word(m, i)
	})
}

func (x *mixture) inScan() {
	x.do("inscan", x.n, x.n, func(dst, src shmem.Array[uint64]) error { return shmem.InScan(x.ctx, x.t, dst, src, shmem.Sum) }, nil,
		func(i int) uint64 { return x.sum(x.t.MyPE()+1, i) })
}

func (x *mixture) sync() { x.ok(x.t.Sync(x.ctx)) }
