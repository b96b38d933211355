//go:build race

package truth

func deepBuffers() []program {
	put := func(p *pe) { must(p.x.PutSliceNBI(p.buf, 1)) }
	get := func(p *pe) { must(p.x.GetSliceNBI(p.buf, 1)) }
	both := func(a, b func(*pe)) func(*pe) { return func(p *pe) { p.on(0, func() { a(p); b(p) }) } }
	deep := func(p *pe) { nest(6, func() { discard(p.buf[0]) }) }
	aliased := func(p *pe) {
		alias := p.buf
		other := &alias
		discard((*other)[0])
	}
	returned := func(p *pe) { discard(*p.buffer()) }
	copied := func(p *pe) { copy(make([]int64, 1), p.buf) }
	return []program{
		{"putnbi load deep nesting, local", clean, 2, both(put, deep)},
		{"getnbi load deep nesting, local", racy, 2, both(get, deep)},
		{"putnbi load aliasing, local", clean, 2, both(put, aliased)},
		{"getnbi load aliasing, local", racy, 2, both(get, aliased)},
		{"putnbi load retval, local", clean, 2, both(put, returned)},
		{"getnbi load retval, local", racy, 2, both(get, returned)},
		{"putnbi load memcpy, local", clean, 2, both(put, copied)},
	}
}

func deepTargets() []program {
	own := func(p *pe) *int64 { return &is(p.x.Local())[0] }
	deep := func(p *pe) { nest(6, p.store) }
	pointer := func(f func()) func() { return f }
	return []program{
		{"get store deep nesting, remote", racy, 2, between((*pe).get, deep, 1)},
		{"get load funcpointer, remote", clean, 2, between((*pe).get, func(p *pe) { pointer(p.load)() }, 1)},
		{"get store funcpointer, remote", racy, 2, between((*pe).get, func(p *pe) { pointer(p.store)() }, 1)},
		{"get load aliasing, remote", clean, 2, between((*pe).get, func(p *pe) { a := own(p); b := &a; discard(**b) }, 1)},
		{"get store aliasing, remote", racy, 2, between((*pe).get, func(p *pe) { a := own(p); b := &a; **b = 5 }, 1)},
		{"get load retval, remote", clean, 2, between((*pe).get, func(p *pe) { discard(*own(p)) }, 1)},
		{"get store retval, remote", racy, 2, between((*pe).get, func(p *pe) { *own(p) = 5 }, 1)},
		{"get store memcpy, remote", racy, 2, between((*pe).get, func(p *pe) { copy(is(p.x.Local()), p.buf) }, 1)},
	}
}

// nest calls f from so many calls further down.
func nest(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	nest(depth-1, f)
}

func (p *pe) buffer() *int64 { return &p.buf[0] }
