package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/reduce"
)

// fold combines n elements of all sources into this rank's memory.
func (x *collective) fold(dst unsafe.Pointer, n int) {
	x.c.dsts[0] = dst
	x.foldTo(1, n)
}

// foldTo combines n elements of all sources for the first few destinations.
func (x *collective) foldTo(dsts, n int) {
	if n == 0 {
		return
	}
	c, t, op := x.c, types[x.call.Type], x.call.Op
	switch {
	case op == ccl.Avg:
		reduce.Mean(t, c.dsts[:dsts], c.sources, n, c.scratch)
	case op >= ccl.UserOps:
		for j := range c.scales {
			c.scales[j] = c.world.gate.Slip(j)[scaleAt]
		}
		reduce.Weighted(t, c.dsts[:dsts], c.sources, c.scales, n, c.scratch)
	default:
		reduce.FoldTo(t, reductions[op], c.dsts[:dsts], c.sources, n, c.scratch)
	}
}

// foldShare combines this rank's share of the elements, for all or for the root.
func (x *collective) foldShare() {
	c := x.c
	lo, hi := share(x.call.Count, int(x.size), c.place.Size, c.place.Rank)
	at, dsts := uintptr(lo)*x.size, 0
	for j := range c.place.Size {
		c.sources[j] = unsafe.Add(x.from(j), at)
		if x.call.Kind != ccl.Reduce || j == x.call.Peer {
			c.dsts[dsts] = unsafe.Add(x.result(j), at)
			dsts++
		}
	}
	x.foldTo(dsts, hi-lo)
}

// result is where the receive memory of rank j is.
func (x *collective) result(j int) unsafe.Pointer {
	if j == x.c.place.Rank {
		return mem.Pointer(x.call.Recv)
	}
	w := x.c.world
	return mem.Pointer(w.address(j, w.gate.Slip(j)[recvAt]))
}

// share is which elements a rank combines: whole cache lines, if there are enough.
func share(n, size, ranks, rank int) (lo, hi int) {
	line := max(1, 64/size)
	each := ((n+ranks-1)/ranks + line - 1) / line * line
	lo = min(n, each*rank)
	return lo, min(n, lo+each)
}

// addBias adds it to the result, on every rank for itself.
func (x *collective) addBias() {
	if x.call.Kind != ccl.AllReduceBias || x.call.Count == 0 {
		return
	}
	p := x.to(0)
	two := [2]unsafe.Pointer{p, mem.Pointer(x.call.Bias)}
	x.c.dsts[0] = p
	reduce.FoldTo(types[x.call.Type], reduce.Sum, x.c.dsts[:1], two[:], x.call.Count, x.c.scratch)
}
