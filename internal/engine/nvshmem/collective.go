package nvshmem

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// CollectiveOn queues a collective.
func (g *group) CollectiveOn(s device.Handle, c *engine.Collective) error {
	if c.Bytes == 0 {
		return nil
	}
	dst, src, err := g.arrays(c)
	if err != nil {
		return err
	}
	lib, what := g.m.lib, c.Kind.String()+" on a stream"
	switch c.Kind {
	case engine.KindBroadcast:
		return g.on(&lib.broadcastOn, what, s, dst, src, c.Bytes, uintptr(c.Root))
	case engine.KindFCollect:
		return g.on(&lib.fcollectOn, what, s, dst, src, c.Bytes)
	case engine.KindAllToAll:
		return g.on(&lib.allToAllOn, what, s, dst, src, c.Bytes)
	case engine.KindReduce:
		return g.reduceOn(s, c)
	}
	f, err := g.reduction(c)
	if err != nil {
		return err
	}
	return g.on(f, what, s, dst, src, c.Bytes/c.Elem.Size())
}

// arrays are where the own arrays are, if all of them is in the heap.
func (g *group) arrays(c *engine.Collective) (dst, src uintptr, err error) {
	to, from := c.Bytes, c.Bytes
	switch c.Kind {
	case engine.KindBroadcast, engine.KindAllReduce, engine.KindReduce:
	case engine.KindFCollect:
		to *= uintptr(g.size)
	case engine.KindAllToAll:
		to, from = to*uintptr(g.size), from*uintptr(g.size)
	case engine.KindReduceScatter:
		from *= uintptr(g.size)
	default:
		return 0, 0, fmt.Errorf("nvshmem: %w: there is no %v on a stream", device.ErrUnsupported, c.Kind)
	}
	if rooted := c.Kind == engine.KindBroadcast || c.Kind == engine.KindReduce; rooted && uint(c.Root) >= uint(g.size) {
		return 0, 0, fmt.Errorf("nvshmem: %w: a %v from or to member %d of %d", device.ErrArgument, c.Kind, c.Root, g.size)
	}
	if dst, err = g.m.At(g.m.Control.Rank(), c.Dst, to); err == nil {
		src, err = g.m.At(g.m.Control.Rank(), c.Src, from)
	}
	return dst, src, err
}

// reduction is the function for a type and an operation. The library promises no order,
// nor what becomes of NaNs and of zeros with a sign, so that only integers are exact.
func (g *group) reduction(c *engine.Collective) (*function, error) {
	if c.Exact && c.Elem > reduce.Uint64 {
		return nil, fmt.Errorf("nvshmem: %w: NVSHMEM does not promise in which order elements of %v are combined", device.ErrUnsupported, c.Elem)
	}
	if c.Elem <= reduce.BFloat16 && c.Op <= reduce.Xor {
		scatter := 0
		if c.Kind == engine.KindReduceScatter {
			scatter = 1
		}
		if f := &g.m.lib.reductions[c.Elem][c.Op][scatter]; f.name != "" {
			return f, nil
		}
	}
	return nil, fmt.Errorf("nvshmem: %w: NVSHMEM has no %v of %v for %v", device.ErrUnsupported, c.Kind, c.Op, c.Elem)
}

// reduceOn is a reduction to one member, which the library does not have: to all of them,
// a part at a time into memory behind the arrays, from which the root takes it. Nobody
// comes to the next part, or to the next reduction, before it has.
func (g *group) reduceOn(s device.Handle, c *engine.Collective) error {
	all := *c
	all.Kind = engine.KindAllReduce
	f, err := g.reduction(&all)
	if err != nil {
		return err
	}
	m := g.m
	scratch := m.Base + m.Bytes + uintptr(g.slot)*scratchSize
	for done := uintptr(0); done < c.Bytes; done += scratchSize {
		n := min(scratchSize, c.Bytes-done)
		if err := g.on(f, "reduce on a stream", s, scratch, m.Base+c.Src+done, n/c.Elem.Size()); err != nil {
			return err
		}
		if g.self == c.Root {
			if err := m.GPU.Copy(m.Dev, device.Ptr(m.Base+c.Dst+done), device.Ptr(scratch), n, s); err != nil {
				return err
			}
		}
		if err := g.SyncOn(s); err != nil {
			return err
		}
	}
	return nil
}
