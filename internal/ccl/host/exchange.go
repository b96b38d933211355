package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// part is a piece of a rank's memory, in bytes from its beginning.
type part struct{ at, n uintptr }

// outgoing is what rank j has for rank i in its send memory. Of an all-to-all-v only what
// concerns this rank is known.
func (x *collective) outgoing(j, i int) part {
	root := x.call.Peer
	switch x.call.Kind {
	case ccl.AllToAllV:
		if i != x.c.place.Rank {
			return part{uintptr(x.call.Counts.SendAt[i]) * x.size, uintptr(x.call.Counts.Send[i]) * x.size}
		}
		return x.c.parts[j]
	case ccl.AllToAll, ccl.ReduceScatter:
		return part{uintptr(i) * x.bytes, x.bytes}
	case ccl.Scatter:
		if j == root {
			return part{uintptr(i) * x.bytes, x.bytes}
		}
		return part{}
	case ccl.Broadcast:
		if j != root {
			return part{}
		}
	case ccl.Gather, ccl.Reduce:
		if i != root {
			return part{}
		}
	}
	return part{0, x.bytes}
}

// incoming is where in this rank's receive memory that of rank j goes.
func (x *collective) incoming(j int) uintptr {
	switch x.call.Kind {
	case ccl.AllToAllV:
		return uintptr(x.call.Counts.RecvAt[j]) * x.size
	case ccl.AllGather, ccl.Gather, ccl.AllToAll:
		return uintptr(j) * x.bytes
	}
	return 0
}

// from is where the send memory of rank j can be read, or what it has staged of it.
func (x *collective) from(j int) unsafe.Pointer {
	w := x.c.world
	switch {
	case j == x.c.place.Rank:
		return mem.Pointer(x.call.Send)
	case x.way == bySlip:
		return unsafe.Pointer(&w.gate.Slip(j)[dataAt])
	case x.way == byStage:
		return w.gate.Stage(j)
	}
	return mem.Pointer(w.address(j, w.gate.Slip(j)[sendAt]))
}

// to is at bytes into the receive memory.
func (x *collective) to(at uintptr) unsafe.Pointer {
	return unsafe.Add(mem.Pointer(x.call.Recv), at)
}

// take reads what all others have for this rank.
func (x *collective) take() {
	if x.call.Kind.Reduces() {
		for j := range x.c.place.Size {
			x.c.sources[j] = unsafe.Add(x.from(j), x.outgoing(j, x.c.place.Rank).at)
		}
		x.fold(x.to(0), x.call.Count)
		return
	}
	for k := range x.c.place.Size { // this rank first: then they are spread over each other
		x.copyOf(x.turn(k))
	}
}

// turn is the k-th rank that this one turns to.
func (x *collective) turn(k int) int {
	if k += x.c.place.Rank; k >= x.c.place.Size {
		k -= x.c.place.Size
	}
	return k
}

// copyOf copies what rank j has for this rank.
func (x *collective) copyOf(j int) {
	p := x.outgoing(j, x.c.place.Rank)
	if p.n == 0 {
		return
	}
	dst, src := x.to(x.incoming(j)), unsafe.Add(x.from(j), p.at)
	if dst != src {
		mem.Get(dst, src, p.n)
	}
}

// direct reads memory of others where it is.
func (x *collective) direct() error {
	switch k := x.call.Kind; {
	case k.Reduces() && k != ccl.ReduceScatter:
		x.foldShare()
	default:
		x.take()
	}
	return x.again()
}

// mostParts is how many ranks there can be in an all-to-all-v.
const mostParts = engine.StageSize / 16

// stageCounts tells others what this rank has for them.
func (x *collective) stageCounts() error {
	n := x.c.place.Size
	if n > mostParts {
		return ccl.Unsupported(names[ccl.AllToAllV], "%d ranks, at most %d are possible", n, mostParts)
	}
	p, err := x.c.world.gate.OwnStage(x.c.ctx, x.at, engine.StageSize)
	if err != nil {
		return err
	}
	table := unsafe.Slice((*uint64)(p), 2*n)
	for i := range n {
		table[2*i], table[2*i+1] = uint64(x.call.Counts.SendAt[i]), uint64(x.call.Counts.Send[i])
	}
	return nil
}

// readCounts reads what others have for this rank, and what is the largest part at all.
func (x *collective) readCounts() error {
	n, me := x.c.place.Size, x.c.place.Rank
	x.bytes = 0
	for j := range n {
		table := unsafe.Slice((*uint64)(x.c.world.gate.Stage(j)), 2*n)
		for i := range n {
			x.bytes = max(x.bytes, uintptr(table[2*i+1])*x.size)
		}
		count := table[2*me+1]
		x.c.parts[j] = part{uintptr(table[2*me]) * x.size, uintptr(count) * x.size}
		if count != uint64(x.call.Counts.Recv[j]) {
			return uneven(j, count, me, uint64(x.call.Counts.Recv[j]))
		}
	}
	return nil
}
