package host

import "slices"

// away is another node that has members of a team.
type away struct {
	post    int   // who takes this PE's messages there
	members []int // those there, in team order
}

// homes returns which of the members is the first of this node, and the other nodes.
func (f *far) homes(members []int) (home int, list []away) {
	home = slices.IndexFunc(members, func(pe int) bool { return !f.is(pe) })
	for node, post := range f.posts {
		there := slices.DeleteFunc(slices.Clone(members), func(pe int) bool { return f.node[pe] != node })
		if post >= 0 && len(there) > 0 {
			list = append(list, away{post, there})
		}
	}
	return home, list
}

// announce tells the other nodes that this PE has come to a meeting. One that is not told
// is one that has lost this PE's, of which both will learn.
func (g *gate) announce() {
	if g.away == nil {
		return
	}
	m := comeMessage(g.h.rank, g.slot, g.h.own.call.Load(), g.slots[g.self].at(g.gen))
	if g.staged > 0 {
		m = append(m, g.h.own.stage[g.slot][g.gen%stages][:g.staged]...)
		g.staged = 0
	}
	for _, a := range g.away {
		_ = g.h.far.wire.send(a.post, m)
	}
}
