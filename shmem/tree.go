package shmem

import (
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/reduce"
)

// tree is how a team lies on nodes that share no memory, for large vectors: what a node has
// is put together in its memory, so that each link carries it once. Nodes stand in a row. A
// vector has so many ways as the smallest of them has members; the members with the same
// number on their nodes look after one of them, piece by piece.
//
// A reduction goes from the first node to the last, each of which goes on with the fold
// where the one before it has stopped: the result has the bits that it would have on one
// node. From the last it goes back.
type tree struct {
	nodes [][]int // members of each node, in team order
	node  int     // of this PE
	index int     // of this PE among its node's
	ways  int
}

// mostNodes is how many nodes stand in a row: what comes from the last has a long way.
const mostNodes = 8

// trees returns how the team lies on nodes; nil if there is one node only, or nothing to be
// put together on any, or a node's members are not one behind the other: then a fold
// would not be in team order. All members find the same.
func (t *Team) trees() *tree {
	if !t.folding.looked {
		t.folding.looked = true
		t.folding.tree = t.grow()
	}
	return t.folding.tree
}

func (t *Team) grow() *tree {
	if t.direct || !t.staged || t.w.node == nil || t.slot >= maxTeams {
		return nil
	}
	r, seen := &tree{ways: len(t.members)}, map[int]bool{}
	for i, pe := range t.members {
		node := t.w.node(pe)
		if i == 0 || node != t.w.node(t.members[i-1]) {
			if seen[node] {
				return nil
			}
			seen[node], r.nodes = true, append(r.nodes, nil)
		}
		last := len(r.nodes) - 1
		if i == t.me {
			r.node, r.index = last, len(r.nodes[last])
		}
		r.nodes[last] = append(r.nodes[last], i)
		if node == t.w.node(t.w.rank) && t.bases[i] == nil {
			return nil
		}
	}
	for _, members := range r.nodes {
		r.ways = min(r.ways, len(members))
	}
	if len(r.nodes) < 2 || len(r.nodes) > mostNodes || len(r.nodes) == len(t.members) {
		return nil
	}
	return r
}

// here are the members of this node.
func (r *tree) here() []int { return r.nodes[r.node] }

// next and before are who looks after the same way on the nodes beside this one; ok says
// whether there is one.
func (r *tree) next() (i int, ok bool) {
	if r.node+1 == len(r.nodes) {
		return 0, false
	}
	return r.nodes[r.node+1][r.index], true
}

func (r *tree) before() (i int, ok bool) {
	if r.node == 0 {
		return 0, false
	}
	return r.nodes[r.node-1][r.index], true
}

// bed is the part of the team's room where pieces land, and what counts them: first the
// pieces that have come from the node before, then those from the next. Every member has it
// at the same place.
type bed struct {
	begin engine.Offset
	piece uintptr   // bytes
	had   [2]uint64 // the counters when the collective began
}

// window is how many pieces may be under way to the next node, or back from there.
const window = 4

// counterSize keeps the counters apart.
const counterSize = 64

// rises returns the tree and the bed for a reduction of what is on heaps, nil if there is
// no tree, or if its elements are rounded once that have been combined: they would have to
// travel in another form. For use before this PE arrives.
func (c *collective) rises() (*tree, bed, error) {
	if c.way != byHeap || c.form.elem.Narrow() {
		return nil, bed{}, nil
	}
	r := c.t.trees()
	if r == nil {
		return nil, bed{}, nil
	}
	_, room := c.t.gate.Room()
	b, err := c.t.makeBed(0, room)
	return r, b, err
}

// makeBed prepares for a collective, before this PE arrives: nobody writes here before that.
// It takes n bytes of the room.
func (t *Team) makeBed(skip, n uintptr) (b bed, err error) {
	if _, err := t.halfRoom(); err != nil {
		return b, err
	}
	at, _ := t.gate.Room()
	b.begin = at + skip
	b.piece = (n - 2*counterSize) / (window + 1) &^ 63
	for i := range b.had {
		b.had[i] = t.counter(b, i).Load()
	}
	return b, nil
}

func (t *Team) counter(b bed, i int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(t.w.own, b.begin+uintptr(i)*counterSize))
}

// landing is where piece k lands; the place behind those is where a PE makes its own.
func (b bed) landing(k int) engine.Offset {
	return b.begin + 2*counterSize + uintptr(k%window)*b.piece
}

func (b bed) making() engine.Offset { return b.begin + 2*counterSize + window*b.piece }

// climb is a reduction over a tree.
type climb struct {
	c    *collective
	tree *tree
	bed
	lo    int // this PE's way
	hi    int
	some  int                           // elements of a piece
	owner func(at int) (member, to int) // who gets the result from element at on, and up to which; nil: all members get all
}

// reduceOver combines n elements of all members' heaps. What each has to know of the others
// came with their slips. owner is that of a climb.
func (c *collective) reduceOver(r *tree, b bed, n int, owner func(at int) (member, to int)) error {
	if err := c.compare(); err != nil {
		return err
	}
	if err := c.climb(r, b, n, owner); err != nil {
		return err
	}
	if owner != nil { // pushed to, but not told
		return c.again(engine.All)
	}
	return c.complete()
}

// complete is again where all has been counted that others have pushed here.
func (c *collective) complete() error {
	c.t.gate.Leave(c.call)
	if err := c.goOn(); err != nil {
		return err
	}
	c.t.gate.Arrive(c.call)
	return c.t.gate.Await(c.ctx, c.call, engine.All)
}

func (c *collective) climb(r *tree, b bed, n int, owner func(at int) (member, to int)) error {
	if r.index >= r.ways {
		return nil
	}
	u := climb{c: c, tree: r, bed: b, owner: owner}
	size := int(c.form.size)
	u.lo, u.hi = shareOf(n, size, r.ways, r.index)
	quarter := (u.hi - u.lo + 3) / 4 * size
	u.some = max(leastPiece, min(int(b.piece), (quarter+63)&^63)) / size
	pieces := (u.hi - u.lo + u.some - 1) / u.some
	for k := range pieces + window {
		if k >= window {
			if err := u.down(k - window); err != nil {
				return err
			}
		}
		if k < pieces {
			if err := u.up(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// leastPiece is what is not divided: a message costs more than it saves.
const leastPiece = 4 << 10

// elements are those of piece k.
func (u *climb) elements(k int) (at, n int) {
	at = u.lo + k*u.some
	return at, min(u.some, u.hi-at)
}

// up goes on with the fold of piece k, and hands it on.
func (u *climb) up(k int) error {
	f, sources := u.c.t.prepare(), 0
	at, n := u.elements(k)
	if u.tree.node > 0 {
		if err := u.c.arrived(u.bed, 0, k); err != nil {
			return err
		}
		f.sources[0], sources = unsafe.Add(u.c.t.w.own, u.landing(k)), 1
	}
	next, ok := u.tree.next()
	if !ok {
		return u.finish(k, at, n)
	}
	for _, i := range u.tree.here() {
		f.sources[sources] = u.c.at(i, 1, at)
		sources++
	}
	made := unsafe.Add(u.c.t.w.own, u.making())
	reduce.Fold(u.c.form.elem, u.c.form.op, made, f.sources[:sources], n, f.scratch)
	return u.c.hand(u.bed, next, u.landing(k), made, n, 0)
}

// finish makes the result of piece k on the last node, and hands it to who gets it.
func (u *climb) finish(k, at, n int) error {
	before, _ := u.tree.before()
	if u.owner == nil {
		u.foldHere(k, at, at, n, u.tree.here())
		return u.c.hand(u.bed, before, u.c.offset(before, 2, at), u.c.at(u.c.t.me, 2, at), n, 1)
	}
	for from, end := at, at+n; from < end; {
		member, to := u.owner(from)
		to = min(to, end)
		if u.c.t.bases[member] != nil {
			u.foldHere(k, at, from, to-from, []int{member})
		} else {
			made := unsafe.Add(u.c.t.w.own, u.making())
			u.foldTo(k, at, from, to-from, made)
			if err := u.c.t.push(member, u.c.offset(member, 2, from), made, uintptr(to-from)*u.c.form.size); err != nil {
				return err
			}
		}
		from = to
	}
	return u.c.count(u.bed, before, 1)
}

// foldHere combines n elements from element from on of piece k, which begins at element at,
// for some members of this node.
func (u *climb) foldHere(k, at, from, n int, members []int) {
	f := u.c.t.prepare()
	for d, i := range members {
		f.dsts[d] = u.c.at(i, 2, from)
	}
	u.foldTo(k, at, from, n, f.dsts[:len(members)]...)
}

func (u *climb) foldTo(k, at, from, n int, dsts ...unsafe.Pointer) {
	f := u.c.t.prepare()
	f.sources[0] = unsafe.Add(u.c.t.w.own, u.landing(k)+uintptr(from-at)*u.c.form.size)
	for s, i := range u.tree.here() {
		f.sources[s+1] = u.c.at(i, 1, from)
	}
	reduce.FoldTo(u.c.form.elem, u.c.form.op, dsts, f.sources[:len(u.tree.here())+1], n, f.scratch)
}

// down takes piece k of the result from the next node, if it is for all, and hands it on.
// That it has come says as well that there is room for another piece there.
func (u *climb) down(k int) error {
	if _, ok := u.tree.next(); !ok {
		return nil
	}
	if err := u.c.arrived(u.bed, 1, k); err != nil {
		return err
	}
	at, n := u.elements(k)
	before, ok := u.tree.before()
	switch {
	case u.owner != nil && ok:
		return u.c.count(u.bed, before, 1)
	case u.owner != nil:
		return nil
	}
	if ok {
		if err := u.c.hand(u.bed, before, u.c.offset(before, 2, at), u.c.at(u.c.t.me, 2, at), n, 1); err != nil {
			return err
		}
	}
	for _, i := range u.tree.here() {
		if i != u.c.t.me {
			mem.Put(u.c.at(i, 2, at), u.c.at(u.c.t.me, 2, at), uintptr(n)*u.c.form.size)
		}
	}
	return nil
}

// hand gives a member of another node n elements, and counts them there.
func (c *collective) hand(b bed, member int, to engine.Offset, from unsafe.Pointer, n, counter int) error {
	if err := c.t.push(member, to, from, uintptr(n)*c.form.size); err != nil {
		return err
	}
	return c.count(b, member, counter)
}

// count says that what was pushed to a member is there.
func (c *collective) count(b bed, member, counter int) error {
	w, pe := c.t.w, c.t.members[member]
	lane := w.courier.of(w.heap)
	lane.Fence()
	_, err := lane.Atomic(pe, b.begin+uintptr(counter)*counterSize, engine.AMO{Kind: engine.AMOAdd, Width: 8, Blind: true, Value: 1})
	if w.info.Nodes <= 1 { // elsewhere who waits makes progress, and a bell costs a message
		w.heap.Ring(pe)
	}
	return err
}

// arrived waits for piece k.
func (c *collective) arrived(b bed, counter, k int) error {
	word, want := c.t.counter(b, counter), b.had[counter]+uint64(k)
	return c.t.gate.Until(c.ctx, c.call, func() bool { return int64(word.Load()-want) > 0 })
}

// reduceSlices is an all-reduce of n bytes of Go memory over a tree: by way of one half of
// the rooms, the other being the bed. They take turns, as in chunks.
func (c *collective) reduceSlices(r *tree, to, from unsafe.Pointer, n uintptr) error {
	begin, room := c.t.gate.Room()
	for done := uintptr(0); ; {
		data, skip := begin, room/2
		if c.t.folding.half = !c.t.folding.half; c.t.folding.half {
			data, skip = begin+room/2, 0
		}
		b, err := c.t.makeBed(skip, room/2)
		if err != nil {
			return err
		}
		some, here := min(n-done, room/2&^63), unsafe.Add(c.t.w.own, data)
		mem.Get(here, unsafe.Add(from, done), some)
		c.slip[2] = uint64(data)
		if err := c.meetWith(data, some); err != nil {
			return err
		}
		if err := c.reduceOver(r, b, int(some/c.form.size), nil); err != nil {
			return err
		}
		mem.Get(unsafe.Add(to, done), here, some)
		if done += some; done == n {
			return nil
		}
		if err := c.reopen(); err != nil {
			return err
		}
	}
}
