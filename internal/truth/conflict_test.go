//go:build race

package truth

import "github.com/goshmem/goshmem/shmem"

func conflictsInBuffers() []program {
	put := func(p *pe) { must(p.x.PutSliceNBI(p.buf, 1)) }
	get := func(p *pe) { must(p.x.GetSliceNBI(p.buf, 1)) }
	load := func(p *pe) { discard(p.buf[0]) }
	store := func(p *pe) { p.buf[0] = 1 }
	both := func(a, b func(*pe)) func(*pe) {
		return func(p *pe) { p.on(0, func() { a(p); b(p) }) }
	}
	atomic := func(fetch func(p *pe) int64, other func(*pe)) func(*pe) {
		return both(func(p *pe) {
			wait := later(func() { p.buf[0] = fetch(p) })
			other(p)
			wait()
		}, func(*pe) {})
	}
	fetch := func(p *pe) int64 { return is(shmem.AtomicFetch(p.x, 0, 1)) }
	inc := func(p *pe) int64 { return is(shmem.AtomicFetchInc(p.x, 0, 1)) }
	swap := func(p *pe) int64 { return is(shmem.AtomicCompareSwap(p.x, 0, 0, 3, 1)) }
	return []program{
		{"putnbi / load, local", clean, 2, both(put, load)},
		{"putnbi / store, local", racy, 2, both(put, store)},
		{"putnbi / putnbi, local", clean, 2, both(put, func(p *pe) { must(p.y.PutSliceNBI(p.buf, 1)) })},
		{"getnbi / load, local", racy, 2, both(get, load)},
		{"getnbi / store, local", racy, 2, both(get, store)},
		{"getnbi / putnbi, local", racy, 2, both(get, func(p *pe) { must(p.y.PutSliceNBI(p.buf, 1)) })},
		{"getnbi / getnbi, local", racy, 2, both(get, func(p *pe) { must(p.y.GetSliceNBI(p.buf, 1)) })},
		{"atomicfetchnbi / store, local", racy, 2, atomic(fetch, store)},
		{"atomicfetchnbi / load, local", racy, 2, atomic(fetch, load)},
		{"atomicfetchincnbi / store, local", racy, 2, atomic(inc, store)},
		{"atomicfetchincnbi / load, local", racy, 2, atomic(inc, load)},
		{"atomiccompareswapnbi / store, local", racy, 2, atomic(swap, store)},
	}
}

// between has PE 0 do one operation on x of PE 1, and PE 1 or 2 another.
func between(a, b func(*pe), second int) func(*pe) {
	return func(p *pe) {
		p.on(0, func() { a(p) })
		p.on(second, func() { b(p) })
	}
}

func conflictsInTargets() []program {
	putSignal := func(p *pe) { must(p.x.PutSliceSignal(p.buf, 1, p.flag, shmem.SignalSet, 1)) }
	g := func(p *pe) { discard(is(p.x.G(0, 1))) }
	iput := func(p *pe) { must(p.x.IPut(p.y, 1, 1, 1, 1)) }
	return []program{
		{"get / load, remote", clean, 2, between((*pe).get, (*pe).load, 1)},
		{"get / get, remote", clean, 3, between((*pe).get, (*pe).get, 2)},
		{"get / store, remote", racy, 2, between((*pe).get, (*pe).store, 1)},
		{"get / put, remote", racy, 3, between((*pe).get, (*pe).put, 2)},
		{"get / atomicset, remote", racy, 3, between((*pe).get, (*pe).set, 2)},
		{"put / load, remote", racy, 2, between((*pe).put, (*pe).load, 1)},
		{"put / store, remote", racy, 2, between((*pe).put, (*pe).store, 1)},
		{"put / put, remote", racy, 3, between((*pe).put, (*pe).put, 2)},
		{"put / atomicfetch, remote", racy, 3, between((*pe).put, (*pe).fetch, 2)},
		{"put / atomicset, remote", racy, 3, between((*pe).put, (*pe).set, 2)},
		{"atomicset / load, remote", racy, 2, between((*pe).set, (*pe).load, 1)},
		{"atomicset / atomicset, remote", clean, 3, between((*pe).set, (*pe).set, 2)},
		{"atomicset / atomicfetch, remote", clean, 3, between((*pe).set, (*pe).fetch, 2)},
		{"atomicfetch / atomicfetch, remote", clean, 3, between((*pe).fetch, (*pe).fetch, 2)},
		{"put_signal / store, remote", racy, 2, between(putSignal, (*pe).store, 1)},
		{"g / store, remote", racy, 2, between(g, (*pe).store, 1)},
		{"g / put, remote", racy, 3, between(g, (*pe).put, 2)},
		{"iput / store, remote", racy, 2, between(iput, (*pe).store, 1)},
		{"iput / put, remote", racy, 3, between(iput, (*pe).put, 2)},
	}
}

// conflictsOfAtomics are those of atomics that bring their result later.
func conflictsOfAtomics() []program {
	fetch := func(p *pe) { later(p.fetch)() }
	swap := func(p *pe) { later(func() { is(shmem.AtomicCompareSwap(p.x, 0, 0, 3, 1)) })() }
	return []program{
		{"atomicfetchnbi / atomicfetchnbi, remote", clean, 3, between(fetch, fetch, 2)},
		{"atomicfetchnbi / load, remote", clean, 2, between(fetch, (*pe).load, 1)},
		{"atomicfetchnbi / store, remote", racy, 2, between(fetch, (*pe).store, 1)},
		{"atomiccompareswapnbi / store, remote", racy, 2, between(swap, (*pe).store, 1)},
		{"atomiccompareswapnbi / atomicfetchnbi, remote", clean, 3, between(swap, fetch, 2)},
	}
}
