package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
)

// A communicator made of another has a token derived from that one's: those that are in it
// meet without having to tell each other where.

// child is a communicator of some of the ranks, whose place is not known yet, and its
// number among those that are made so: the ranks that make them do it in the same order,
// and who is left out of some does not count these.
func (c *Comm) child(config *ccl.Config, so string) (*Comm, int) {
	if config == nil {
		config = &c.config
	}
	n := c.l.newComm(c.device, c.driver, Place{}, token{}, config)
	n.parent, n.limit = c, c.limit
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.born == nil {
		c.born = map[string]int{}
	}
	c.born[so]++
	c.busy++
	return n, c.born[so]
}

// rest ends what AsyncError calls progress since then.
func (c *Comm) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
}

// settleAt gives a communicator its place.
func (c *Comm) settleAt(t token, rank, size int) {
	c.token, c.place = t, c.l.place(t, "", rank, size)
}

// offspring says why the communicator can have none. A revoked one can.
func (c *Comm) offspring(call string) error {
	err := c.usable(call)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revoked && c.world != nil {
		return nil
	}
	return err
}

// Split makes a communicator of all ranks of a color.
func (c *Comm) Split(color, key int, config *ccl.Config) (ccl.Comm, error) {
	if err := c.offspring(callSplit); err != nil {
		return nil, err
	}
	if color < 0 && color != ccl.NoColor {
		return nil, invalid(callSplit, "color %d: it is negative, and not NoColor", color)
	}
	n, number := c.child(config, "split")
	made, err := n.launch(func(ctx context.Context) error {
		all, err := c.exchange(ctx, number, engine.Words{uint64(color), uint64(int64(key))})
		if err != nil || color == ccl.NoColor {
			return err
		}
		rank, size := standing(all, c.place.Rank)
		n.settleAt(c.token.derive("split", number, color), rank, size)
		return n.join(ctx)
	})
	if color == ccl.NoColor || err != nil {
		return nil, err
	}
	return made, nil
}

// standing is the number of a rank among those of its color, and how many these are.
func standing(all []engine.Words, rank int) (place, size int) {
	mine := all[rank]
	for i, w := range all {
		if w[0] != mine[0] {
			continue
		}
		size++
		if a, b := int64(w[1]), int64(mine[1]); a < b || a == b && i < rank {
			place++
		}
	}
	return place, size
}

// exchange tells all ranks each other's words: at the gate, in the order of calls, or where
// the communicator is revoked where communicators are made.
func (c *Comm) exchange(ctx context.Context, number int, mine engine.Words) ([]engine.Words, error) {
	all := make([]engine.Words, c.place.Size)
	c.mu.Lock()
	revoked := c.revoked
	c.mu.Unlock()
	if revoked {
		return all, c.exchangeAside(ctx, number, mine, all)
	}
	in, err := c.enter(c.issue(), true)
	defer func() { c.exit(in) }()
	if err != nil {
		return nil, err
	}
	c.calls[engine.KindSplit]++
	call := engine.Call{Kind: engine.KindSplit, Seq: c.calls[engine.KindSplit]}
	if err := c.world.gate.Gather(ctx, call, mine, all); err != nil {
		return nil, c.fail(callSplit, err)
	}
	return all, nil
}

func (c *Comm) exchangeAside(ctx context.Context, number int, mine engine.Words, all []engine.Words) (err error) {
	x, err := c.l.meet(ctx, c.l.place(c.token.derive("aside", number), "", c.place.Rank, c.place.Size))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	var buf [len(mine) * 8]byte
	for i := range all {
		for k, w := range mine {
			binary.LittleEndian.PutUint64(buf[8*k:], w)
		}
		if err := x.Broadcast(ctx, buf[:], i); err != nil {
			return err
		}
		for k := range all[i] {
			all[i][k] = binary.LittleEndian.Uint64(buf[8*k:])
		}
	}
	return x.Barrier(ctx)
}

// Shrink makes a communicator of all ranks but some, which need not be alive.
func (c *Comm) Shrink(exclude []int, abort bool, config *ccl.Config) (ccl.Comm, error) {
	const call = "ncclCommShrink"
	if err := c.usable(call); err != nil && !abort && !c.isRevoked() {
		return nil, err
	}
	out := slices.Compact(slices.Sorted(slices.Values(exclude)))
	_, self := slices.BinarySearch(out, c.place.Rank)
	if len(out) == 0 || out[0] < 0 || out[len(out)-1] >= c.place.Size || self {
		return nil, invalid(call, "rank %d of %d leaves out %v: at least one other rank must be left out, and not this one", c.place.Rank, c.place.Size, exclude)
	}
	if abort {
		c.stop(call, fault(call, ccl.Remote, "rank %d leaves out ranks %v", c.place.Rank, out))
	}
	if err := c.drain(call); err != nil {
		return nil, err
	}
	before, _ := slices.BinarySearch(out, c.place.Rank)
	n, number := c.child(config, fmt.Sprint(out))
	n.settleAt(c.token.derive("shrink", number, fmt.Sprint(out)), c.place.Rank-before, c.place.Size-len(out))
	return n.launch(n.join)
}

func (c *Comm) isRevoked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revoked
}

// GrowID makes the id with which more ranks come in.
func (c *Comm) GrowID() (ccl.ID, error) { return c.l.UniqueID() }

// Grow makes a communicator of all ranks and more. One of them has the id.
func (c *Comm) Grow(size int, id *ccl.ID, config *ccl.Config) (ccl.Comm, error) {
	const call = "ncclCommGrow"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if size <= c.place.Size {
		return nil, invalid(call, "%d ranks are no more than %d", size, c.place.Size)
	}
	n, _ := c.child(config, "grow")
	return n.launch(func(ctx context.Context) error {
		t, err := c.spread(ctx, id)
		if err != nil {
			return err
		}
		n.settleAt(t, c.place.Rank, size)
		return n.join(ctx)
	})
}

// spread tells all ranks the token of an id, which one of them has.
func (c *Comm) spread(ctx context.Context, id *ccl.ID) (t token, err error) {
	var mine engine.Words
	if id != nil {
		if t, _, err = parse(*id); err != nil {
			return t, err
		}
		mine = engine.Words{binary.LittleEndian.Uint64(t[:]), binary.LittleEndian.Uint64(t[8:]), 1}
	}
	all, err := c.exchange(ctx, 0, mine)
	if err != nil {
		return t, err
	}
	i := slices.IndexFunc(all, func(w engine.Words) bool { return w[2] == 1 })
	if i < 0 {
		return t, invalid("ncclCommGrow", "no rank has the id")
	}
	binary.LittleEndian.PutUint64(t[:], all[i][0])
	binary.LittleEndian.PutUint64(t[8:], all[i][1])
	return t, nil
}
