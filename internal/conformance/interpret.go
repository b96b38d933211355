package conformance

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// Run runs the program on a world of its size and holds every read, and in the end
// the memory of this PE, to what the serial model says.
func (p Program) Run(t testing.TB, w *shmem.World) {
	t.Helper()
	r := &runner{pe: enter(named{t, "program"}, w), program: p}
	r.words, r.bytes = alloc[uint64](r.pe, wordCells), alloc[byte](r.pe, cells-wordCells)
	r.signals = allocSignals(r.pe, p.PEs)
	r.initialize()
	for _, c := range p.teams {
		r.teams = append(r.teams, split(r.pe, w.Team(), c[0], c[1], c[2]))
	}
	for i, o := range p.ops {
		if o.meeting() || o.pe == r.me {
			r.TB = named{t, fmt.Sprintf("operation %d (%v)", i, o)}
			r.do(o)
		}
	}
	r.TB = named{t, "final memory"}
	final := p.final[r.me]
	sameAll(r.pe, local(r.pe, r.words), func(i int) uint64 { return final[i] }, "words")
	sameAll(r.pe, local(r.pe, r.bytes), func(i int) byte { return byte(final[wordCells+i]) }, "bytes")
	slices.Reverse(r.teams)
	destroy(r.pe, r.teams...)
	r.leave()
}

// runner is one PE that runs a program.
type runner struct {
	*pe
	program Program
	words   shmem.Array[uint64]
	bytes   shmem.Array[byte]
	signals []shmem.Signal // from each PE
	teams   []*shmem.Team
	late    []func() // looks at what non-blocking gets have brought, after a quiet
}

func (r *runner) initialize() {
	set(r.pe, r.words, func(i int) uint64 { return initially(r.me, i) })
	set(r.pe, r.bytes, func(i int) byte { return byte(initially(r.me, wordCells+i)) })
	r.barrier()
}

func (r *runner) do(o op) {
	switch {
	case o.meeting():
		r.meet(o)
	case o.kind == opFence:
		r.fence()
	case o.kind == opQuiet:
		r.quiet()
		r.look()
	case o.kind == opAMO:
		r.atomic(o)
	case o.kind == opSignalSet:
		r.ok(r.signals[r.me].Set(o.count, o.signal))
	case o.kind == opSignalAdd:
		r.ok(r.signals[r.me].Add(1, o.signal))
	case o.kind == opWait:
		r.await(r.signals[o.signal], o.count)
	case o.there.words():
		transfer(r, o, r.words)
	default:
		transfer(r, o, r.bytes)
	}
}

// await looks for itself at first, as the signal is seen soonest that way.
func (r *runner) await(sig shmem.Signal, count uint64) {
	r.Helper()
	for range 200 {
		seen, err := sig.Test(shmem.GE, count)
		r.ok(err)
		if seen {
			return
		}
		runtime.Gosched()
	}
	_, err := sig.WaitUntil(r.ctx, shmem.GE, count)
	r.ok(err)
}

func (r *runner) meet(o op) {
	team := r.w.Team()
	if o.team >= 0 {
		team = r.teams[o.team]
	}
	if team == nil {
		return
	}
	if o.collective() {
		r.collect(o)
		return
	}
	if o.kind == opSync {
		r.ok(team.Sync(r.ctx))
		return
	}
	r.ok(team.Barrier(r.ctx))
	r.look()
}

func (r *runner) collect(o op) {
	r.Helper()
	dst, src := part(r.pe, r.words, o.there.lo, o.there.lo+o.there.n), part(r.pe, r.words, o.here.lo, o.here.lo+o.here.n)
	switch o.kind {
	case opBroadcast:
		r.ok(shmem.Broadcast(r.ctx, r.w.Team(), dst, src, o.signal))
	case opAllReduce:
		r.ok(shmem.AllReduce(r.ctx, r.w.Team(), dst, src, shmem.Sum))
	case opInScan:
		r.ok(shmem.InScan(r.ctx, r.w.Team(), dst, src, shmem.Sum))
	}
}

// look looks at what the gets before a quiet have brought.
func (r *runner) look() {
	for _, f := range r.late {
		f()
	}
	r.late = nil
}

// transfer does what moves elements of one type.
func transfer[T byte | uint64](r *runner, o op, a shmem.Array[T]) {
	r.Helper()
	lo, hi := o.there.bounds()
	there, values := part(r.pe, a, lo, hi), converted[T](o.values)
	var here shmem.Array[T]
	if o.here.n > 0 {
		lo, hi := o.here.bounds()
		here = part(r.pe, a, lo, hi)
	}
	switch o.kind {
	case opSet:
		r.ok(there.Set(0, values[0]))
	case opPut:
		r.ok(there.Put(here, o.there.pe))
	case opPutNBI:
		r.ok(there.PutNBI(here, o.there.pe))
	case opPutSlice:
		r.ok(there.PutSlice(values, o.there.pe))
		clear(values)
	case opPutSliceNBI:
		r.ok(there.PutSliceNBI(values, o.there.pe))
	case opP:
		r.ok(there.P(0, values[0], o.there.pe))
	case opPutSignal:
		r.ok(there.PutSignal(here, o.there.pe, r.signals[r.me], shmem.SignalSet, o.count))
	case opGet:
		r.ok(here.Get(there, o.there.pe))
	case opGetNBI:
		r.ok(here.GetNBI(there, o.there.pe))
	default:
		read(r, o, there, values)
	}
}

// read does what brings elements to private memory.
func read[T byte | uint64](r *runner, o op, there shmem.Array[T], want []T) {
	r.Helper()
	buf := make([]T, len(want))
	check := func() { sameAll(r.pe, buf, func(i int) T { return want[i] }, "what came from %v", o.there) }
	switch o.kind {
	case opLook:
		buf[0] = at(r.pe, there, 0)
	case opG:
		buf[0] = g(r.pe, there, 0, o.there.pe)
	case opGetSlice:
		r.ok(there.GetSlice(buf, o.there.pe))
	case opGetSliceNBI:
		r.ok(there.GetSliceNBI(buf, o.there.pe))
		r.late = append(r.late, check)
		return
	}
	check()
}

func converted[T byte | uint64](values []uint64) []T {
	var list []T
	for _, v := range values {
		list = append(list, T(v))
	}
	return list
}

// atomic does an atomic operation and compares the old value, if there is one.
func (r *runner) atomic(o op) {
	r.Helper()
	a, i, v, to := r.words, o.there.lo, o.values[0], o.there.pe
	var was uint64
	var err error
	switch o.amo {
	case amoAdd:
		err = shmem.AtomicAdd(a, i, v, to)
	case amoXor:
		err = shmem.AtomicXor(a, i, v, to)
	case amoOr:
		err = shmem.AtomicOr(a, i, v, to)
	case amoAnd:
		err = shmem.AtomicAnd(a, i, v, to)
	case amoSet:
		err = shmem.AtomicSet(a, i, v, to)
	case amoFetchAdd:
		was, err = shmem.AtomicFetchAdd(a, i, v, to)
	case amoFetchXor:
		was, err = shmem.AtomicFetchXor(a, i, v, to)
	case amoSwap:
		was, err = shmem.AtomicSwap(a, i, v, to)
	case amoCompareSwap:
		was, err = shmem.AtomicCompareSwap(a, i, o.cond, v, to)
	case amoFetch:
		was, err = shmem.AtomicFetch(a, i, to)
	}
	r.ok(err)
	if o.amo.fetches() {
		same(r.pe, was, o.values[1], "old value")
	}
}
