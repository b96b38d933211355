package nccl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/ccl"
)

const opGrow = "grow"

// childOptions are what a new communicator takes over, with its own config.
func (c *Comm) childOptions(config []Config) (settled, *ccl.Config, error) {
	o := settled{Options: Options{Config: c.config, Timeout: c.timeout}}
	switch len(config) {
	case 0:
		return o, nil, nil // the library takes over the parent's
	case 1:
	default:
		return o, nil, problem(ErrArgument, "%d configs: at most one is read", len(config))
	}
	if err := checkConfig(&config[0]); err != nil {
		return o, nil, err
	}
	o.Config = config[0]
	o.Config.Blocking = c.config.Blocking // a group has communicators of one kind
	return o, o.config(), o.tunes(c.lib)
}

// Split makes communicators of the ranks with the same color, ordered by key and then by
// rank. A color is not negative; NoColor gets none: nil, which is no error. Without a
// config it is as this one. It waits as long as ctx allows; in a group it returns at once,
// and the communicator is ready after it. Checked mode reaches it where the ranks are in one
// process, or were launched on one machine: elsewhere those of a part cannot tell where to
// meet, and Options.Logf is told. Collective. ncclCommSplit.
func (c *Comm) Split(ctx context.Context, color, key int, config ...Config) (*Comm, error) {
	const op = "split"
	if color < 0 && color != NoColor {
		return nil, c.fail(op, problem(ErrArgument, "color %d: NoColor, or not negative", color))
	}
	n, err := c.child(ctx, op, op, color, config, func(cfg *ccl.Config) (ccl.Comm, error) {
		return c.c.Split(color, key, cfg)
	})
	return n, c.fail(op, err)
}

// Shrink makes a communicator without some ranks, who do not call it. With abort what is
// under way is broken off first: for ranks that have died. At least one rank is left out,
// and not this one. It waits, and checked mode reaches it, as with Split. Collective of those
// that are left.
// ncclCommShrink (2.27).
func (c *Comm) Shrink(ctx context.Context, exclude []int, abort bool, config ...Config) (*Comm, error) {
	const op = "shrink"
	if err := c.absent(); err != nil {
		return nil, c.fail(op, err)
	}
	s, ok := c.c.(ccl.Shrinker)
	if !ok {
		return nil, c.fail(op, c.without("shrink"))
	}
	list := slices.Sorted(slices.Values(exclude))
	switch {
	case len(list) == 0:
		return nil, c.fail(op, problem(ErrArgument, "no rank is left out: the library wants at least one"))
	case list[0] < 0 || list[len(list)-1] >= c.size || len(slices.Compact(slices.Clone(list))) != len(list):
		return nil, c.fail(op, problem(ErrArgument, "ranks %v: each once, from 0 to %d", exclude, c.size-1))
	case slices.Contains(list, c.rank):
		return nil, c.fail(op, problem(ErrArgument, "ranks %v: rank %d is one of those, and must not call", exclude, c.rank))
	}
	n, err := c.child(ctx, op, fmt.Sprint(list), 0, config, func(cfg *ccl.Config) (ccl.Comm, error) {
		return s.Shrink(list, abort, cfg)
	})
	return n, c.fail(op, err)
}

// GrowID makes, on one rank, the id for those that come in by Join. Local.
// ncclCommGetUniqueId (2.29).
func (c *Comm) GrowID() (UniqueID, error) {
	const op = "grow id"
	if err := c.absent(); err != nil {
		return UniqueID{}, c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return UniqueID{}, c.fail(op, err)
	}
	g, ok := c.c.(ccl.Grower)
	if !ok {
		return UniqueID{}, c.fail(op, c.without("grow"))
	}
	id, err := g.GrowID()
	return id, c.fail(op, err)
}

// Grow makes a communicator of this one's ranks, who keep their numbers, and of those that
// call Join: of size ranks in all. The rank that has the id of GrowID passes it, the others
// nil. It waits as Split does. Checked mode does not reach it: who joins knows nothing but the
// id, over which nobody can meet. Collective. ncclCommGrow (2.29).
func (c *Comm) Grow(ctx context.Context, size int, id *UniqueID, config ...Config) (*Comm, error) {
	const op = opGrow
	if err := c.absent(); err != nil {
		return nil, c.fail(op, err)
	}
	g, ok := c.c.(ccl.Grower)
	switch {
	case !ok:
		return nil, c.fail(op, c.without("grow"))
	case size <= c.size:
		return nil, c.fail(op, problem(ErrArgument, "to %d ranks: there are %d already", size, c.size))
	}
	n, err := c.child(ctx, op, op, 0, config, func(cfg *ccl.Config) (ccl.Comm, error) {
		return g.Grow(size, id, cfg)
	})
	return n, c.fail(op, err)
}

// Join makes this rank one of a communicator that others Grow: Options have the id that one
// of them has made, the size that all name, and a rank that is not below the old size.
// It waits as Init does. ncclCommGrow (2.29).
func Join(ctx context.Context, o Options) (*Comm, error) {
	const op = "join"
	s, err := o.settle()
	if err == nil && o.ID == nil {
		err = problem(ErrArgument, "Options.ID is missing: it is that of GrowID")
	}
	if err != nil {
		return nil, failed(op, err)
	}
	s.grow = true
	job, err := s.job()
	if err != nil {
		return nil, failed(op, err)
	}
	ctx, cancel := bounded(ctx, s.Timeout)
	defer cancel()
	c, err := s.join(ctx, job, &meeting{rank: o.Rank, size: o.Size})
	if err != nil {
		return nil, failed(op, err)
	}
	return c, nil
}

// child has the library make a communicator, and waits for it outside groups. While it
// does, the parent cannot be used.
func (c *Comm) child(ctx context.Context, op, how string, color int, config []Config, call func(*ccl.Config) (ccl.Comm, error)) (*Comm, error) {
	if err := c.absent(); err != nil {
		return nil, err
	}
	o, cfg, err := c.childOptions(config)
	if err != nil {
		return nil, err
	}
	g := grouped()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil && (c.state.Load() != live || c.fault.Load() != nil) {
		return nil, err
	}
	if g != nil {
		if err := g.enter(c); err != nil {
			return nil, err
		}
	}
	if c.births == nil {
		c.births = map[string]int{}
	}
	c.births[how]++
	by := birth{how, c.births[how], color}
	relatives := c.family.child(by)
	relatives.expect(1)
	bound, cancel := bounded(ctx, c.timeout)
	defer cancel()
	made, came, err := apart(bound, g == nil && c.blocks(), func() (ccl.Comm, error) { return call(cfg) }, drop)
	if err != nil && !errors.Is(err, ccl.ErrInProgress) {
		relatives.expect(-1)
		if !came { // the abort has it come back
			err = c.spoil(op, err, c)
		}
		return nil, err
	}
	var n *Comm
	if made != nil {
		n = newComm(c.lib, made, c.device, c.place, o)
		n.checker = c.checker.heir(relatives, op, by)
		relatives.add(n)
	}
	return c.born(ctx, g, op, n)
}

// born waits until parent and child are ready, or leaves that to the group.
func (c *Comm) born(ctx context.Context, g *group, op string, n *Comm) (*Comm, error) {
	if g != nil {
		if n != nil {
			g.comms = append(g.comms, n)
		}
		return n, nil
	}
	err := c.settled(ctx, op)
	if n != nil && err == nil {
		n.mu.Lock()
		err = n.settled(ctx, op)
		n.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}
