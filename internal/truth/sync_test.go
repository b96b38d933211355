//go:build race

package truth

import "github.com/goshmem/goshmem/shmem"

func syncsOfBuffers() []program {
	nbi := func(p *pe) { must(p.x.GetSliceNBI(p.buf, 1)) }
	load := func(p *pe) { discard(p.buf[0]) }
	return []program{
		{"barrierall, local", racy, 2, func(p *pe) {
			p.on(0, func() { nbi(p); load(p) })
			p.barrier()
		}},
		{"barrierall, local", clean, 2, func(p *pe) {
			p.on(0, func() { nbi(p) })
			p.barrier()
			p.on(0, func() { load(p) })
		}},
		{"quiet, local", racy, 2, func(p *pe) { p.on(0, func() { nbi(p); load(p); p.quiet() }) }},
		{"quiet, local", clean, 2, func(p *pe) { p.on(0, func() { nbi(p); p.quiet(); load(p) }) }},
		{"waituntil, local", clean, 2, func(p *pe) { // the answer says that the buffer was read
			send := func(to int) { must(p.x.PutSignalNBI(p.y, to, p.flag, shmem.SignalSet, 1)) }
			p.on(0, func() { send(1); p.awaitFlag(1); is(p.y.Local())[0] = 7 })
			p.on(1, func() { p.awaitFlag(1); send(0) })
		}},
	}
}

func syncsOfTargets() []program {
	quietSync := func(meet func(*pe)) func(*pe) {
		return func(p *pe) {
			p.on(0, func() { p.put(); meet(p) })
			p.on(1, p.sync)
			p.on(1, p.load)
		}
	}
	return []program{
		{"barrierall, remote", racy, 2, func(p *pe) {
			p.on(0, p.put)
			p.on(1, p.load)
			p.barrier()
		}},
		{"barrierall, remote", clean, 2, func(p *pe) {
			p.on(0, p.put)
			p.barrier()
			p.on(1, p.load)
		}},
		{"quiet sync, remote", clean, 2, quietSync(func(p *pe) { p.quiet(); p.sync() })},
		{"quiet sync, remote", racy, 2, quietSync(func(p *pe) { p.sync(); p.quiet() })},
		{"fence put put, remote", clean, 2, func(p *pe) { p.on(0, func() { p.put(); p.fence(); p.put() }) }},
		{"fence getnbi put, remote", racy, 2, func(p *pe) {
			p.on(0, func() { must(p.x.GetSliceNBI(make([]int64, 1), 1)); p.fence(); p.put() })
		}},
		{"lock, remote", clean, 2, func(p *pe) {
			must(p.lock.Set(p.ctx))
			p.put()
			must(p.lock.Clear(p.ctx))
		}},
		{"lock, remote", racy, 2, lockReleasedEarly},
		{"waituntil, remote", racy, 2, func(p *pe) {
			p.on(0, func() { p.put(); p.fence(); must(p.flag.Set(1, 1)) })
			p.on(1, func() { p.load(); p.awaitFlag(1) })
		}},
		{"putsignal, remote", racy, 2, plainPolling},
	}
}

// lockReleasedEarly: one PE puts after it has given up the lock, which it had first.
func lockReleasedEarly(p *pe) {
	p.on(1, func() { must(p.lock.Set(p.ctx)) })
	p.barrier()
	p.on(0, func() {
		must(p.lock.Set(p.ctx))
		p.put()
		must(p.lock.Clear(p.ctx))
	})
	p.on(1, func() {
		must(p.lock.Clear(p.ctx))
		p.put()
	})
}

// plainPolling looks at a signal with plain loads.
func plainPolling(p *pe) {
	word := is(shmem.SignalAt(as[uint64](p), 0))
	p.on(0, func() { must(p.y.PutSliceSignal(p.buf, 1, word, shmem.SignalAdd, 1)) })
	p.on(1, func() {
		for range 1000 {
			p.load()
		}
	})
}

func syncsOfMore() []program {
	through := func(same bool) func(*pe) {
		return func(p *pe) {
			c := is(p.NewContext(shmem.ContextOptions{}))
			x := is(p.x.Via(c))
			p.on(0, func() {
				must(x.PutSlice(p.buf, 1))
				if same {
					must(c.Quiet(p.ctx))
				} else {
					p.quiet()
				}
				must(x.PutSlice(p.buf, 1))
			})
			must(c.Destroy(p.ctx))
		}
	}
	return []program{
		{"ctx, remote", clean, 2, through(true)},
		{"ctx, remote", racy, 2, through(false)},
		{"collective reduce, remote", clean, 4, func(p *pe) {
			must(shmem.AllReduce(p.ctx, p.Team(), p.x, p.y, shmem.Sum))
			p.barrier()
			p.on(0, p.put)
		}},
		{"collective reduce, remote", racy, 4, func(p *pe) {
			must(shmem.AllReduce(p.ctx, p.Team(), p.x, p.y, shmem.Sum))
			p.on(0, p.put)
		}},
		{"team sync, remote", racy, 4, teamSync(1)},
		{"team sync, remote", clean, 4, teamSync(0)},
	}
}

// teamSync: PE 2 puts to PE 1 or to PE 0, and syncs with PE 0 only.
func teamSync(to int) func(*pe) {
	return func(p *pe) {
		team := is(p.Team().SplitStrided(p.ctx, 0, 2, 2, shmem.TeamConfig{}))
		p.barrier()
		p.on(2, func() { must(p.x.PutSlice(p.buf, to)) })
		if team != nil {
			p.quiet()
			must(team.Sync(p.ctx))
		}
		p.on(to, p.load)
	}
}
