package conformance

import "slices"

// role is what may be done to a block until the next meeting.
type role int

const (
	shared role = iota // anybody may read it
	owned              // one PE may do anything to it
	summed             // anybody may update it with one kind of commuting atomic
	moving             // it is on its way to its next owner
)

type block struct {
	role  role
	owner int
	amo   amo
}

// cell is one place of memory: its value in the serial model, and what its owner
// has started with it and not yet completed.
type cell struct {
	value  uint64
	put    bool // a put or a non-fetching atomic may not have arrived
	fenced bool // but a fence has come since
	get    bool // a non-blocking get may write it
	src    bool // a non-blocking operation may read it
}

// generator makes a program and runs it serially as it goes. Wherever an
// operation needs a fence or a quiet before it, and only there, it puts one.
type generator struct {
	*Program
	seed    uint64 // of the step that is being made
	drawn   int    // numbers that it has drawn
	cells   [][cells]cell
	blocks  [][]block
	counts  [][]uint64 // signals that PE i has sent to PE j
	unsent  [][]bool   // the last of them may not have arrived
	handing []handing
}

// handing is a block whose next owner has not waited for it yet.
type handing struct{ pe, block, from, to int }

// Generate makes a program: the first seed is for its teams and for who may write
// what at first, each other one is a step, 0 is none. Equal seeds make equal
// programs. A program is made smaller by setting seeds to 0.
func Generate(pes int, seeds []uint64) Program {
	g := &generator{Program: &Program{PEs: pes}, cells: make([][cells]cell, pes)}
	for pe := range pes {
		for i := range g.cells[pe] {
			g.cells[pe][i].value = initially(pe, i)
		}
		g.blocks = append(g.blocks, make([]block, len(extents())-1))
		g.counts = append(g.counts, make([]uint64, pes))
		g.unsent = append(g.unsent, make([]bool, pes))
	}
	g.seed = seeds[0]
	for range 2 {
		start, stride := g.draw((pes+1)/2), 1+g.draw(3)
		most := (pes-1-start)/stride + 1
		g.teams = append(g.teams, [3]int{start, stride, most - g.draw(most)})
	}
	g.deal()
	for _, seed := range seeds[1:] {
		if g.seed, g.drawn = seed, 0; seed != 0 {
			g.step()
		}
	}
	g.meet()
	for pe := range pes {
		var last []uint64
		for _, c := range g.cells[pe] {
			last = append(last, c.value)
		}
		g.final = append(g.final, last)
	}
	return *g.Program
}

// draw returns a number below limit.
func (g *generator) draw(limit int) int {
	g.drawn++
	return int(hash(int(g.seed), g.drawn) % uint64(limit))
}

// initially is what a cell holds when a program starts.
func initially(pe, cell int) uint64 { return hash(pe, cell) & 0xff }

// step adds one operation, and what must come before it.
func (g *generator) step() {
	pe := g.draw(g.PEs)
	kinds := []func(pe int){g.store, g.put, g.put, g.put, g.get, g.get, g.atomic, g.atomic, g.sum, g.sum, g.hand, g.hand, g.look, g.fence, g.quiet}
	switch k := g.draw(len(kinds) + 3); {
	case k < len(kinds):
		kinds[k](pe)
	case k == len(kinds):
		g.meet()
	case k == len(kinds)+1:
		g.meetTeam()
	default:
		g.receive()
	}
}

func (g *generator) add(o op) { g.ops = append(g.ops, o) }

// number draws a value; large ones are beyond 2^32.
func (g *generator) number(s span) uint64 {
	v := uint64(g.draw(250)) + 1
	if s.words() && g.draw(3) == 2 {
		v = v<<40 | v
	}
	return v
}

// deal gives every block a role, at a meeting of all.
func (g *generator) deal() {
	for pe := range g.PEs {
		for i := range g.blocks[pe] {
			b := block{role: []role{owned, owned, shared, summed}[g.draw(4)]}
			switch {
			case b.role == owned:
				b.owner = g.draw(g.PEs)
			case b.role == summed && extents()[i] < wordCells:
				b.amo = amo(g.draw(int(amoAnd) + 1))
			default:
				b.role = shared
			}
			g.blocks[pe][i] = b
		}
	}
}

// pick draws a block that fits, and a span in it of at most most cells.
func (g *generator) pick(most int, fits func(pe int, words bool, b block) bool) (s span, index int) {
	var found [][2]int
	for pe := range g.PEs {
		for i, b := range g.blocks[pe] {
			if fits(pe, extents()[i] < wordCells, b) {
				found = append(found, [2]int{pe, i})
			}
		}
	}
	if len(found) == 0 {
		return span{}, -1
	}
	f := found[g.draw(len(found))]
	lo, hi := extents()[f[1]], extents()[f[1]+1]
	at := lo + g.draw(hi-lo)
	return span{f[0], at, 1 + g.draw(min(most, hi-at))}, f[1]
}

// mine fits blocks that pe may write, theirs those that it may read; own ones are
// in its own memory.
func mine(pe int) func(int, bool, block) bool {
	return func(_ int, _ bool, b block) bool { return b.role == owned && b.owner == pe }
}

func theirs(pe int) func(int, bool, block) bool {
	return func(_ int, _ bool, b block) bool { return b.role == shared || b.role == owned && b.owner == pe }
}

func own(pe int, words bool, fits func(int, bool, block) bool) func(int, bool, block) bool {
	return func(at int, w bool, b block) bool { return at == pe && w == words && fits(at, w, b) }
}

func onlyWords(fits func(int, bool, block) bool) func(int, bool, block) bool {
	return func(at int, w bool, b block) bool { return w && fits(at, w, b) }
}

func (g *generator) at(s span) []cell { return g.cells[s.pe][s.lo : s.lo+s.n] }

func (g *generator) any(s span, what func(c cell) bool) bool {
	return slices.ContainsFunc(g.at(s), what)
}

// beforePut adds what a put to s needs: order after an earlier one, and the end of
// what still reads or writes the cells.
func (g *generator) beforePut(pe int, s span) {
	switch {
	case g.any(s, func(c cell) bool { return c.get || c.src }):
		g.quiet(pe)
	case g.any(s, func(c cell) bool { return c.put && !c.fenced }):
		g.fence(pe)
	}
}

func (g *generator) beforeRead(pe int, s span) {
	if g.any(s, func(c cell) bool { return c.put || c.get }) {
		g.quiet(pe)
	}
}

func (g *generator) beforeChange(pe int, s span) {
	if g.any(s, func(c cell) bool { return c.put || c.get || c.src }) {
		g.quiet(pe)
	}
}

func (g *generator) values(s span) []uint64 {
	var v []uint64
	for _, c := range g.at(s) {
		v = append(v, c.value)
	}
	return v
}

// write changes the model.
func (g *generator) write(s span, values []uint64, change func(c *cell)) {
	for i := range g.at(s) {
		c := &g.at(s)[i]
		c.value = values[i]
		change(c)
	}
}

func started(c *cell) { c.put, c.fenced = true, false }

func complete(*cell) {}

func (g *generator) mark(s span, change func(c *cell)) {
	for i := range g.at(s) {
		change(&g.at(s)[i])
	}
}

func (g *generator) numbers(s span) []uint64 {
	var v []uint64
	for range s.n {
		v = append(v, g.number(s))
	}
	return v
}

func (g *generator) fence(pe int) {
	g.add(op{kind: opFence, pe: pe})
	g.settle(pe, func(c *cell) { c.fenced = true })
}

func (g *generator) quiet(pe int) {
	g.add(op{kind: opQuiet, pe: pe})
	g.settle(pe, func(c *cell) { *c = cell{value: c.value} })
}

// settle changes the state of all cells that pe owns, and of its signals.
func (g *generator) settle(pe int, change func(c *cell)) {
	for at := range g.PEs {
		for i, b := range g.blocks[at] {
			if b.role == owned && b.owner == pe {
				g.mark(span{at, extents()[i], extents()[i+1] - extents()[i]}, change)
			}
		}
	}
	clear(g.unsent[pe])
}
