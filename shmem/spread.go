package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// spread is how vectors that are ready on one node get to all others over a tree: along the
// row, from node to node into the destinations themselves, each of which is then copied to
// those of its neighbours.
type spread struct {
	c    *collective
	tree *tree
	bed
	came [2]int // pieces so far, from the node before and from the next
	some int    // elements of a piece
}

// sides of a node in the row, which are the counters of a bed as well.
const (
	lower = iota // pieces from the node before
	upper        // from the next
)

// spreads returns the tree and the bed for what is on heaps, nil if there is no tree. For
// use before this PE arrives, whose destination the others need to know.
func (c *collective) spreads(dst engine.Offset) (*spread, error) {
	r := c.t.trees()
	if c.way != byHeap || r == nil {
		return nil, nil
	}
	c.slip[2] = uint64(dst)
	_, room := c.t.gate.Room()
	b, err := c.t.makeBed(0, room)
	return &spread{c: c, tree: r, bed: b, some: max(1, spreadPiece/int(c.form.size))}, err
}

// spreadPiece is how many bytes are handed on at a time.
const spreadPiece = 64 << 10

// beside is who looks after this PE's way on the node on that side.
func (s *spread) beside(side int) (member int, ok bool) {
	if side == lower {
		return s.tree.before()
	}
	return s.tree.next()
}

// give hands elements lo to hi-1 of this PE's destination to both sides, and copies them to
// its neighbours' if they do not have them.
func (s *spread) give(lo, hi int, share bool) error {
	return s.pieces(lo, hi, func(at, n int) error {
		if share {
			s.share(at, n)
		}
		for side := range s.came {
			if err := s.pass(side, at, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// take awaits elements lo to hi-1 from one side, and hands them on to the other.
func (s *spread) take(side, lo, hi int) error {
	return s.pieces(lo, hi, func(at, n int) error {
		if err := s.c.arrived(s.bed, side, s.came[side]); err != nil {
			return err
		}
		s.came[side]++
		if err := s.pass(1-side, at, n); err != nil {
			return err
		}
		s.share(at, n)
		return nil
	})
}

// pieces calls do for the pieces of this PE's way of elements lo to hi-1, if it has one.
func (s *spread) pieces(lo, hi int, do func(at, n int) error) error {
	if s.tree.index >= s.tree.ways {
		return nil
	}
	from, to := shareOf(hi-lo, int(s.c.form.size), s.tree.ways, s.tree.index)
	for at := lo + from; at < lo+to; at += s.some {
		if err := do(at, min(s.some, lo+to-at)); err != nil {
			return err
		}
	}
	return nil
}

// pass hands a piece to one side, where it is from this side.
func (s *spread) pass(side, at, n int) error {
	member, ok := s.beside(side)
	if !ok {
		return nil
	}
	return s.c.hand(s.bed, member, s.c.offset(member, 2, at), s.c.at(s.c.t.me, 2, at), n, 1-side)
}

// share copies a piece to this PE's neighbours.
func (s *spread) share(at, n int) {
	for _, i := range s.tree.here() {
		if i != s.c.t.me {
			mem.Put(s.c.at(i, 2, at), s.c.at(s.c.t.me, 2, at), uintptr(n)*s.c.form.size)
		}
	}
}

// broadcast spreads n elements of the root. The members of its node copy them from there.
func (s *spread) broadcast(root, n int) error {
	if err := s.c.compare(); err != nil {
		return err
	}
	node := 0
	for i, members := range s.tree.nodes {
		if members[0] <= root { // they are in team order
			node = i
		}
	}
	var err error
	switch {
	case node < s.tree.node:
		err = s.take(lower, 0, n)
	case node > s.tree.node:
		err = s.take(upper, 0, n)
	default:
		mem.Put(s.c.at(s.c.t.me, 2, 0), unsafe.Add(s.c.t.bases[root], s.c.offset(root, 1, 0)), uintptr(n)*s.c.form.size)
		err = s.give(0, n, false)
	}
	if err != nil {
		return err
	}
	return s.c.complete()
}

// fcollect spreads what each node has, n elements of each member.
func (s *spread) fcollect(n int) error {
	if err := s.c.compare(); err != nil {
		return err
	}
	block := func(node int) (lo, hi int) {
		members := s.tree.nodes[node]
		return members[0] * n, (members[0] + len(members)) * n
	}
	for _, i := range s.tree.here() {
		if to, from := s.c.at(s.c.t.me, 2, i*n), s.c.at(i, 1, 0); to != from {
			mem.Get(to, from, uintptr(n)*s.c.form.size)
		}
	}
	lo, hi := block(s.tree.node)
	err := s.give(lo, hi, false)
	for node := s.tree.node - 1; node >= 0 && err == nil; node-- {
		lo, hi := block(node)
		err = s.take(lower, lo, hi)
	}
	for node := s.tree.node + 1; node < len(s.tree.nodes) && err == nil; node++ {
		lo, hi := block(node)
		err = s.take(upper, lo, hi)
	}
	if err != nil {
		return err
	}
	return s.c.complete()
}
