package ipc

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// CollectiveOn does a collective in one kernel of each member: through stages what is
// small, and from memory to memory what is not.
func (g *group) CollectiveOn(s device.Handle, c *engine.Collective) error {
	p := g.p
	if err := p.usable(); err != nil || c.Bytes == 0 {
		return err
	}
	kind, ok := jobKind(c.Kind)
	switch {
	case !ok:
		return fmt.Errorf("engine ipc: a %v is no collective of streams", c.Kind)
	case g.size == 1:
		return p.alone(s, c)
	case p.bare != nil:
		return p.kernelless("a " + c.Kind.String() + " on a stream")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	j := &g.kernel().arg
	staged := c.Bytes <= min(uintptr(j.part), stagedUpTo)
	blocks, chunk := shape(c.Bytes, perBlock, p.most)
	if staged {
		blocks, chunk = stageShape(c.Bytes, uintptr(j.part), p.most)
	}
	j.set(kind, c, chunk, staged)
	f := p.code.exchange
	if j.reduces() {
		var err error
		if f, err = p.reducer(c.Elem); err != nil {
			return g.lost(err)
		}
	}
	return g.launch(f, blocks, threadsFor(c.Bytes), s)
}

// alone is what a collective does in a team of one.
func (p *plane) alone(s device.Handle, c *engine.Collective) error {
	if c.Dst == c.Src {
		return nil
	}
	return p.driver.Copy(p.dev, p.at(p.rank, c.Dst), p.at(p.rank, c.Src), c.Bytes, s)
}

// kernel is the launch that this group uses again and again.
func (g *group) kernel() *call[job] {
	if g.call == nil {
		g.call = newCall[job]()
		g.call.arg = g.job()
	}
	return g.call
}

// launch starts a kernel in which the members meet. The watch is told before: the stream
// may be full and have this wait. Kernels of a group run one after the other, also on
// several streams, since one of this PE would meet another one of that. A graph is outside
// of this order.
func (g *group) launch(f device.Handle, blocks, threads uint32, s device.Handle) error {
	p := g.p
	captured, err := p.capturing(s)
	if err != nil {
		return err
	}
	if captured {
		p.watch.wake()
		return g.kernel().on(p, f, blocks, threads, s)
	}
	if g.event != 0 && g.last != s {
		if err := p.driver.StreamWait(p.dev, s, g.event); err != nil {
			return err
		}
	}
	p.watch.latest.Store(g)
	p.watch.launched.Add(uint64(blocks))
	p.watch.wake()
	if err := g.kernel().on(p, f, blocks, threads, s); err != nil {
		return g.lost(err)
	}
	return g.follow(s)
}

// follow has kernels on other streams wait for what is in this one.
func (g *group) follow(s device.Handle) (err error) {
	if g.event == 0 {
		if g.event, err = g.p.driver.NewEvent(g.p.dev, false); err != nil {
			return err
		}
	}
	g.last = s
	return g.p.driver.Record(g.p.dev, g.event, s)
}
