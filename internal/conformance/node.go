package conformance

import "github.com/goshmem/goshmem/shmem"

func nodeChecks() []Check {
	return []Check{check("node: views end at the virtual node", 1, nodeViews)}
}

// nodeViews: where there are nodes, all of the same size, exactly the PEs of the own one can be loaded
// and stored, they are the shared team, and data moves everywhere all the same.
func nodeViews(p *pe) {
	size := p.w.Info().NodeSize
	if size == 0 {
		size = p.n / p.w.Info().Nodes
	}
	a := alloc[uint64](p, p.n)
	near := 0
	for pe := range p.n {
		view, err := a.Peer(pe)
		if p.far {
			p.is(err, shmem.ErrNoPeerAccess, "view of a device's memory")
			_, err = a.Address(pe)
			p.ok(err)
		} else if pe/size == p.me/size && p.w.SharedTeam().NPEs() > 1 {
			p.ok(err)
			same(p, len(view), p.n, "elements of a view")
		} else if pe != p.me {
			p.is(err, shmem.ErrNoPeerAccess, "view of a PE on another node")
		}
		if err == nil {
			near++
		}
		p.ok(a.P(p.me, hash(p.me, pe), pe))
	}
	same(p, near, p.w.SharedTeam().NPEs(), "members of the shared team")
	if p.w.Info().NodeSize > 0 {
		same(p, near, min(size, p.n-p.me/size*size), "PEs of the node")
	}
	p.barrier()
	sameAll(p, local(p, a), func(i int) uint64 { return hash(i, p.me) }, "words of all PEs")
	p.ok(p.w.SharedTeam().Barrier(p.ctx))
}
