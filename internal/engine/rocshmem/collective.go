package rocshmem

import (
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// CollectiveOn does a collective on a stream: by the library's function for it, or by
// several of its calls.
func (g *group) CollectiveOn(s device.Handle, c *engine.Collective) error {
	if err := g.fits(c); err != nil || c.Bytes == 0 {
		return err
	}
	return g.ordered(s, func() error { return g.collective(s, c) })
}

func (g *group) collective(s device.Handle, c *engine.Collective) error {
	switch c.Kind {
	case engine.KindBroadcast:
		return g.broadcast(s, c)
	case engine.KindFCollect:
		return g.fcollect(s, c)
	case engine.KindAllToAll:
		return g.m.lib.do(func(l *rocshmem.Library) {
			l.AlltoallmemOnStream(g.team, g.m.own(c.Dst), g.m.own(c.Src), uint64(c.Bytes), rocshmem.Stream(s))
		})
	case engine.KindAllReduce:
		return g.reduceOn(s, c.Dst, c.Src, c.Bytes, c)
	case engine.KindReduce:
		return g.reduceThrough(s, c.Root, c.Dst, c.Src, c.Bytes, c)
	}
	return g.reduceScatter(s, c)
}

// own is an address of the own memory, of arrays or behind them.
func (m *memory) own(off engine.Offset) rocshmem.Symmetric { return rocshmem.Symmetric(m.Base + off) }

// fits refuses what is not in the heap, or no member.
func (g *group) fits(c *engine.Collective) error {
	n := uintptr(g.size)
	dst, src := c.Bytes, c.Bytes
	switch c.Kind {
	case engine.KindFCollect:
		dst *= n
	case engine.KindAllToAll:
		dst, src = dst*n, src*n
	case engine.KindReduceScatter:
		src *= n
	case engine.KindBroadcast, engine.KindAllReduce, engine.KindReduce:
	default:
		return fmt.Errorf("rocshmem: %w: %v is not done on streams", device.ErrArgument, c.Kind)
	}
	rooted := c.Kind == engine.KindBroadcast || c.Kind == engine.KindReduce
	if rooted && (c.Root < 0 || c.Root >= g.size) {
		return fmt.Errorf("rocshmem: %w: there is no member %d of %d", device.ErrArgument, c.Root, g.size)
	}
	if _, err := g.m.at(g.m.rank, c.Dst, dst); err != nil && (c.Kind != engine.KindReduce || g.self == c.Root) {
		return err
	}
	_, err := g.m.at(g.m.rank, c.Src, src)
	return err
}

// broadcast has the root copy for itself, which the library does not promise to do.
func (g *group) broadcast(s device.Handle, c *engine.Collective) error {
	err := g.m.lib.do(func(l *rocshmem.Library) {
		l.BroadcastmemOnStream(g.team, g.m.own(c.Dst), g.m.own(c.Src), uint64(c.Bytes), rocshmem.TeamPE(c.Root), rocshmem.Stream(s))
	})
	if err != nil || g.self != c.Root || c.Dst == c.Src {
		return err
	}
	return g.m.copyOn(s, c.Dst, c.Src, c.Bytes)
}

// copyOn copies inside the own memory.
func (m *memory) copyOn(s device.Handle, dst, src engine.Offset, n uintptr) error {
	return m.GPU.Copy(m.Dev, device.Ptr(m.Base+dst), device.Ptr(m.Base+src), n, s)
}

// fcollect is a put to everybody between two meetings: the library has none for streams.
func (g *group) fcollect(s device.Handle, c *engine.Collective) error {
	if err := g.sync(s); err != nil { // until then a destination may be in use
		return err
	}
	for i := range g.size {
		to := (g.self + i) % g.size // not everybody to the same one at a time
		if err := g.m.PutOn(s, g.member(to), c.Dst+uintptr(g.self)*c.Bytes, device.Ptr(g.m.own(c.Src)), c.Bytes); err != nil {
			return err
		}
	}
	return g.barrier(s)
}

// reductionOf finds the library's function for a type and an operation. Numbers without a
// sign are added, multiplied and combined like those with one. Of numbers with a point it
// promises neither which zero is the larger one nor what becomes of a NaN, and we do.
func reductionOf(t reduce.Type, op reduce.Op) (rocshmem.Function, error) {
	if t >= reduce.Uint8 && t <= reduce.Uint64 && op != reduce.Min && op != reduce.Max {
		t -= reduce.Uint8
	}
	types := []reduce.Type{reduce.Int16, reduce.Int32, reduce.Int64, reduce.Float32, reduce.Float64} // as in the table of the shim
	i := slices.Index(types, t)
	switch {
	case i >= 3 && op > reduce.Prod:
	case i >= 0 && op <= reduce.Max:
		return rocshmem.FnCtxShortSumReduceOnStream + rocshmem.Function(4*i+int(op)), nil
	case i >= 0 && i < 3 && op <= reduce.Xor:
		return rocshmem.FnCtxShortAndReduceOnStream + rocshmem.Function(3*i+int(op-reduce.And)), nil
	}
	return 0, refused("rocSHMEM has no %v of %v on streams: reduce it with a blocking call", op, t)
}

// mostElements is what one call is given, which counts them in an int.
const mostElements = 1 << 30

// reduceOn has the library reduce n bytes to all members.
func (g *group) reduceOn(s device.Handle, dst, src engine.Offset, n uintptr, c *engine.Collective) error {
	f, err := reductionOf(c.Elem, c.Op)
	if err != nil {
		return err
	}
	most := mostElements * c.Elem.Size()
	for at := uintptr(0); at < n; at += most {
		some := min(n-at, most) / c.Elem.Size()
		var status int32
		err := g.m.lib.do(func(l *rocshmem.Library) {
			status = l.Reduce(f, g.team, g.m.own(dst+at), g.m.own(src+at), int32(some), rocshmem.Stream(s))
		})
		if err == nil {
			err = failed("a reduction", status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scratch is the group's part of the memory behind the arrays.
func (g *group) scratch() engine.Offset { return g.m.Bytes + uintptr(g.slot)*scratchSize }

// reduceThrough reduces n bytes to the scratch, some at a time, and has member to copy them
// from there: the library writes all members' destinations.
func (g *group) reduceThrough(s device.Handle, to int, dst, src engine.Offset, n uintptr, c *engine.Collective) error {
	for at := uintptr(0); at < n; at += scratchSize {
		some := min(n-at, scratchSize)
		if err := g.sync(s); err != nil { // until then somebody may need what is in it
			return err
		}
		if err := g.reduceOn(s, g.scratch(), src+at, some, c); err != nil {
			return err
		}
		if g.self != to {
			continue
		}
		if err := g.m.copyOn(s, dst+at, g.scratch(), some); err != nil {
			return err
		}
	}
	return nil
}

// reduceScatter reduces the parts one after the other.
func (g *group) reduceScatter(s device.Handle, c *engine.Collective) error {
	for i := range g.size {
		if err := g.reduceThrough(s, i, c.Dst, c.Src+uintptr(i)*c.Bytes, c.Bytes, c); err != nil {
			return err
		}
	}
	return nil
}
