package conformance

import "slices"

// store writes an own cell without a put.
func (g *generator) store(pe int) {
	words := g.draw(2) == 0
	s, i := g.pick(1, own(pe, words, mine(pe)))
	if i < 0 {
		return
	}
	g.beforeChange(pe, s)
	o := op{kind: opSet, pe: pe, there: s, values: g.numbers(s)}
	g.write(s, o.values, complete)
	g.add(o)
}

// look reads an own cell without a get.
func (g *generator) look(pe int) {
	s, i := g.pick(1, own(pe, g.draw(2) == 0, theirs(pe)))
	if i < 0 {
		return
	}
	g.beforeRead(pe, s)
	g.add(op{kind: opLook, pe: pe, there: s, values: g.values(s)})
}

// put writes a span of any PE, from own cells or private memory.
func (g *generator) put(pe int) {
	s, i := g.pick(4, mine(pe))
	if i < 0 {
		return
	}
	kind := opPut + opKind(g.draw(int(opP-opPut)+1))
	o := op{kind: kind, pe: pe, there: s}
	if kind == opPut || kind == opPutNBI {
		if o.here, i = g.pick(s.n, own(pe, s.words(), theirs(pe))); i < 0 {
			return
		}
		o.there.n = o.here.n
		if o.here.overlaps(o.there) {
			return
		}
		g.beforeRead(pe, o.here)
		o.values = g.values(o.here)
	} else {
		if kind == opP {
			o.there.n = 1
		}
		o.values = g.numbers(o.there)
	}
	g.beforePut(pe, o.there)
	g.write(o.there, o.values, started)
	if kind == opPutNBI {
		g.source(pe, o.here)
	}
	g.add(o)
}

// source marks cells that a non-blocking operation of pe reads, where somebody
// may write them.
func (g *generator) source(pe int, s span) {
	i := slices.IndexFunc(extents(), func(first int) bool { return first > s.lo }) - 1
	if g.blocks[s.pe][i].role == owned {
		g.mark(s, func(c *cell) { c.src = true })
	}
}

// get reads a span of any PE into own cells or private memory.
func (g *generator) get(pe int) {
	s, i := g.pick(4, theirs(pe))
	if i < 0 {
		return
	}
	kind := opGet + opKind(g.draw(int(opG-opGet)+1))
	o := op{kind: kind, pe: pe, there: s}
	if kind == opG {
		o.there.n = 1
	}
	if kind == opGet || kind == opGetNBI {
		if o.here, i = g.pick(s.n, own(pe, s.words(), mine(pe))); i < 0 {
			return
		}
		o.there.n = o.here.n
		if o.here.overlaps(o.there) {
			return
		}
		g.beforeChange(pe, o.here)
	}
	g.beforeRead(pe, o.there)
	o.values = g.values(o.there)
	if o.here.n > 0 {
		g.write(o.here, o.values, func(c *cell) { c.get = kind == opGetNBI })
	}
	if kind == opGetNBI || kind == opGetSliceNBI {
		g.source(pe, o.there)
	}
	g.add(o)
}

// atomic does any atomic operation to a word that nobody else touches.
func (g *generator) atomic(pe int) {
	s, i := g.pick(1, onlyWords(mine(pe)))
	if i < 0 {
		return
	}
	o := op{kind: opAMO, pe: pe, there: s, amo: amo(g.draw(int(amos))), values: g.numbers(s)}
	before := beforeOf(g, o.amo)
	before(pe, s)
	was := g.values(s)[0]
	if o.amo == amoCompareSwap && g.draw(2) == 0 {
		o.cond = was
	}
	left := []uint64{o.amo.apply(was, o.values[0], o.cond)}
	if o.amo.fetches() {
		o.values = append(o.values, was)
		g.write(s, left, complete)
	} else {
		g.write(s, left, started)
	}
	g.add(o)
}

func beforeOf(g *generator, a amo) func(int, span) {
	if a.fetches() {
		return g.beforeChange
	}
	return g.beforePut
}

// sum updates a word that everybody may update in the same way.
func (g *generator) sum(pe int) {
	s, i := g.pick(1, func(_ int, _ bool, b block) bool { return b.role == summed })
	if i < 0 {
		return
	}
	o := op{kind: opAMO, pe: pe, there: s, amo: g.blocks[s.pe][i].amo, values: g.numbers(s)}
	g.write(s, []uint64{o.amo.apply(g.values(s)[0], o.values[0], 0)}, complete)
	g.add(o)
}

// hand passes the right to write a block on to another PE: with a put and its
// signal, with a fence and a signal, or with a quiet and a signal.
func (g *generator) hand(pe int) {
	s, i := g.pick(4, mine(pe))
	if i < 0 {
		return
	}
	to := (pe + 1 + g.draw(g.PEs)) % g.PEs
	if to == pe {
		return
	}
	if g.unsent[pe][to] { // signals to one word keep their order
		g.fence(pe)
	}
	whole := span{s.pe, extents()[i], extents()[i+1] - extents()[i]}
	o := op{kind: []opKind{opSignalSet, opSignalAdd}[g.draw(2)], pe: pe, signal: to, count: g.counts[pe][to] + 1}
	var signalled bool
	if s.pe == to && g.draw(2) == 0 {
		signalled = g.withData(&o, s)
	}
	switch {
	case s.pe != to, g.any(whole, func(c cell) bool { return c.get || c.src }):
		g.quiet(pe)
	case g.any(whole, func(c cell) bool { return c.put && !c.fenced }):
		g.fence(pe)
	}
	if signalled {
		g.write(o.there, o.values, complete)
	}
	g.counts[pe][to]++
	g.unsent[pe][to] = true
	g.blocks[s.pe][i].role = moving
	g.handing = append(g.handing, handing{s.pe, i, pe, to})
	g.add(o)
}

// withData makes o a put to s with a signal, if there is something to put.
func (g *generator) withData(o *op, s span) bool {
	here, i := g.pick(s.n, own(o.pe, s.words(), theirs(o.pe)))
	if i < 0 {
		return false
	}
	g.beforeRead(o.pe, here)
	o.kind, o.here, o.there, o.values = opPutSignal, here, span{s.pe, s.lo, here.n}, g.values(here)
	return true
}

// receive lets the new owner of a block wait for it.
func (g *generator) receive() {
	if len(g.handing) == 0 {
		return
	}
	i := g.draw(len(g.handing))
	h := g.handing[i]
	g.add(op{kind: opWait, pe: h.to, signal: h.from, count: g.counts[h.from][h.to]})
	g.handing = slices.DeleteFunc(g.handing, func(x handing) bool {
		if x.from != h.from || x.to != h.to {
			return false
		}
		g.blocks[x.pe][x.block] = block{role: owned, owner: x.to}
		whole := span{x.pe, extents()[x.block], extents()[x.block+1] - extents()[x.block]}
		g.mark(whole, func(c *cell) { *c = cell{value: c.value} })
		g.add(op{kind: opGetSlice, pe: x.to, there: whole, values: g.values(whole)})
		return true
	})
}

// meet has all PEs meet and deals the blocks anew.
func (g *generator) meet() {
	for len(g.handing) > 0 {
		g.receive()
	}
	kind := opBarrier
	if g.draw(3) == 2 {
		kind = opSync
		for pe := range g.PEs {
			g.quiet(pe)
		}
	}
	g.add(op{kind: kind, team: -1})
	for pe := range g.PEs {
		g.settle(pe, func(c *cell) { *c = cell{value: c.value} })
	}
	if g.draw(2) == 0 {
		g.deal()
		return
	}
	src, dst := g.collect()
	g.deal()
	for pe := range g.PEs { // others may still be in it, so what it used is their own
		g.blocks[pe][src], g.blocks[pe][dst] = block{role: owned, owner: pe}, block{role: owned, owner: pe}
	}
}

// collect has all PEs do a collective after a meeting, when nothing is under way. It
// returns the blocks that it uses on every PE, which may be the same.
func (g *generator) collect() (src, dst int) {
	const blocks = 4 // of words
	src, dst = g.draw(blocks), g.draw(blocks)
	n := 1 + g.draw(4)
	o := op{kind: opBroadcast + opKind(g.draw(3)), team: -1, signal: g.draw(g.PEs)}
	o.here, o.there = span{0, extents()[src], n}, span{0, extents()[dst], n}
	var sums [][]uint64
	for pe := range g.PEs {
		sums = append(sums, g.values(span{pe, o.here.lo, n}))
		for i := range n {
			if pe > 0 && o.kind != opBroadcast {
				sums[pe][i] += sums[pe-1][i]
			}
		}
	}
	for pe := range g.PEs {
		from := map[opKind]int{opBroadcast: o.signal, opAllReduce: g.PEs - 1, opInScan: pe}[o.kind]
		g.write(span{pe, o.there.lo, n}, sums[from], complete)
	}
	g.add(o)
	return src, dst
}

// meetTeam has a team meet in a barrier; its members exchange what they own.
func (g *generator) meetTeam() {
	team := g.draw(len(g.teams))
	members := g.members(team)
	g.add(op{kind: opBarrier, team: team})
	for _, pe := range members {
		g.settle(pe, func(c *cell) { *c = cell{value: c.value} })
	}
	for pe := range g.PEs {
		for i, b := range g.blocks[pe] {
			if b.role == owned && slices.Contains(members, b.owner) {
				g.blocks[pe][i].owner = members[g.draw(len(members))]
			}
		}
	}
}
