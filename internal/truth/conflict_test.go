//go:build race

package truth

import "github.com/goshmem/goshmem/shmem"

func conflictsInBuffers() []program {
	return []program{
		{"putnbi / load, local", clean, 2, func(p *pe) { p.on(0, func() { must(p.x.PutSliceNBI(p.buf, 1)); p.sink = p.buf[0] }) }},
		{"putnbi / store, local", racy, 2, func(p *pe) { p.on(0, func() { must(p.x.PutSliceNBI(p.buf, 1)); p.buf[0] = 1 }) }},
		{"putnbi / putnbi, local", clean, 2, func(p *pe) {
			p.on(0, func() { must(p.x.PutSliceNBI(p.buf, 1)); must(p.y.PutSliceNBI(p.buf, 1)) })
		}},
		{"getnbi / load, local", racy, 2, func(p *pe) { p.on(0, func() { must(p.x.GetSliceNBI(p.buf, 1)); p.sink = p.buf[0] }) }},
		{"getnbi / store, local", racy, 2, func(p *pe) { p.on(0, func() { must(p.x.GetSliceNBI(p.buf, 1)); p.buf[0] = 1 }) }},
		{"getnbi / putnbi, local", racy, 2, func(p *pe) {
			p.on(0, func() { must(p.x.GetSliceNBI(p.buf, 1)); must(p.y.PutSliceNBI(p.buf, 1)) })
		}},
		{"getnbi / getnbi, local", racy, 2, func(p *pe) {
			p.on(0, func() { must(p.x.GetSliceNBI(p.buf, 1)); must(p.y.GetSliceNBI(p.buf, 1)) })
		}},
	}
}

func conflictsInTargets() []program {
	put := func(p *pe) { must(p.x.PutSlice(p.buf, 1)) }
	get := func(p *pe) { must(p.x.GetSlice(p.buf, 1)) }
	set := func(p *pe) { must(shmem.AtomicSet(p.x, 0, 7, 1)) }
	fetch := func(p *pe) { p.sink = is(shmem.AtomicFetch(p.x, 0, 1)) }
	meet := func(a, b func(*pe), second int) func(*pe) {
		return func(p *pe) { p.on(0, func() { a(p) }); p.on(second, func() { b(p) }) }
	}
	return []program{
		{"get / load, remote", clean, 2, meet(get, (*pe).load, 1)},
		{"get / get, remote", clean, 3, meet(get, get, 2)},
		{"get / store, remote", racy, 2, meet(get, (*pe).store, 1)},
		{"get / put, remote", racy, 3, meet(get, put, 2)},
		{"get / atomicset, remote", racy, 3, meet(get, set, 2)},
		{"put / load, remote", racy, 2, meet(put, (*pe).load, 1)},
		{"put / store, remote", racy, 2, meet(put, (*pe).store, 1)},
		{"put / put, remote", racy, 3, meet(put, put, 2)},
		{"put / atomicfetch, remote", racy, 3, meet(put, fetch, 2)},
		{"put / atomicset, remote", racy, 3, meet(put, set, 2)},
		{"atomicset / load, remote", racy, 2, meet(set, (*pe).load, 1)},
		{"atomicset / atomicset, remote", clean, 3, meet(set, set, 2)},
		{"atomicset / atomicfetch, remote", clean, 3, meet(set, fetch, 2)},
		{"atomicfetch / atomicfetch, remote", clean, 3, meet(fetch, fetch, 2)},
	}
}
