package weaktest

import "github.com/goshmem/goshmem/shmem"

// idiom is a little program of three PEs, and the steps that it cannot do without.
type idiom struct {
	name  string
	steps []string
	run   func(l *little, send form)
}

// idioms are the usual ways to say that data has come.
func idioms() []idiom {
	return []idiom{
		{"flag", []string{"fence", "wait"}, func(l *little, send form) {
			tell(l, send, func() error { return l.flag.P(0, 1, 1) }, l.wait)
		}},
		{"atomic flag", []string{"fence"}, func(l *little, send form) {
			tell(l, send, func() error { return shmem.AtomicAdd(l.flag, 0, 1, 1) }, l.wait)
		}},
		{"fetching atomic flag", []string{"fence"}, func(l *little, send form) {
			tell(l, send, func() error { _, err := shmem.AtomicFetchAdd(l.flag, 0, 1, 1); return err }, l.wait)
		}},
		{"signal", []string{"fence", "wait"}, func(l *little, send form) {
			tell(l, send, func() error { return l.signal.Set(1, 1) }, l.waitSignal)
		}},
		{"flag through a context", []string{"fence"}, throughContext},
		{"third PE", []string{"quiet", "wait"}, thirdPE},
		{"third PE, through a context", []string{"quiet"}, func(l *little, send form) {
			enterContext(l)
			thirdPE(l, send)
		}},
		{"barrier", []string{"barrier"}, func(l *little, send form) {
			l.on(0, func() { l.do(func() error { return send.send(l.dst, l.src, 1) }) })
			l.barrier()
			l.on(1, l.here)
		}},
		{"quiet and sync", []string{"quiet", "sync"}, func(l *little, send form) {
			l.on(0, func() { l.do(func() error { return send.send(l.dst, l.src, 1) }) })
			l.quiet()
			l.sync()
			l.on(1, l.here)
		}},
		{"barrier of a team", []string{"barrier"}, teamBarrier},
		{"quiet and a collective", []string{"quiet"}, func(l *little, send form) {
			l.on(0, func() { l.do(func() error { return send.send(l.dst, l.src, 1) }) })
			l.quiet()
			l.do(func() error { return shmem.AllReduce(l.ctx, l.w.Team(), l.flag, l.flag, shmem.Sum[uint64]) })
			l.on(1, l.here)
		}},
		{"two senders", []string{"fence", "wait"}, twoSenders},
		{"forwarding", []string{"wait", "fence"}, forwarding},
		{"itself", []string{"quiet"}, func(l *little, send form) {
			l.do(func() error { return send.send(l.dst, l.src, l.w.MyPE()) })
			l.quiet()
			l.here()
		}},
		{"room", []string{"barrier"}, room},
	}
}

// tell has PE 0 send to PE 1 and then tell it so.
func tell(l *little, send form, flag func() error, wait func()) {
	l.on(0, func() {
		l.do(func() error { return send.send(l.dst, l.src, 1) })
		l.fence()
		l.do(flag)
	})
	l.on(1, func() {
		wait()
		l.here()
	})
}

// teamBarrier has the even PEs meet.
func teamBarrier(l *little, send form) {
	var even *shmem.Team
	l.do(func() (err error) {
		even, err = l.w.Team().SplitStrided(l.ctx, 0, 2, 2, shmem.TeamConfig{})
		return err
	})
	if even == nil {
		return
	}
	l.on(0, func() { l.do(func() error { return send.send(l.dst, l.src, 2) }) })
	l.step("barrier", func() error { return even.Barrier(l.ctx) })
	l.on(2, l.here)
}

// twoSenders has PEs 0 and 2 send to PE 1 and tell it so, which waits for both.
func twoSenders(l *little, send form) {
	for i, to := range []shmem.Array[uint64]{l.dst, l.more} {
		l.on(2*i, func() {
			l.do(func() error { return send.send(to, l.src, 1) })
			l.fence()
			l.do(func() error { return l.flag.P(i, 1, 1) })
		})
	}
	l.on(1, func() {
		l.step("wait", func() error {
			both, err := l.flag.Slice(0, 2)
			if err != nil {
				return err
			}
			return shmem.WaitUntilAll(l.ctx, both, nil, shmem.NE, 0)
		})
		l.here()
		l.do(func() error { return l.more.CopyTo(l.got) })
		l.do(func() error { return same(l.got) })
	})
}

// forwarding has PE 0 send to PE 1, which sends to PE 2 when it has the data.
func forwarding(l *little, send form) {
	for from := range 2 {
		l.on(from, func() {
			src := l.src
			if from == 1 {
				l.wait()
				src = l.dst
			}
			l.do(func() error { return send.send(l.dst, src, from+1) })
			l.fence()
			l.do(func() error { return l.flag.P(0, 1, from+1) })
		})
	}
	l.on(2, func() {
		l.wait()
		l.here()
	})
}

// enterContext has what the program does go through a context.
func enterContext(l *little) {
	l.do(func() (err error) { l.lane, err = l.w.NewContext(shmem.ContextOptions{}); return err })
	for _, a := range []*shmem.Array[uint64]{&l.dst, &l.flag} {
		l.do(func() (err error) { *a, err = a.Via(l.lane); return err })
	}
}

func throughContext(l *little, send form) {
	enterContext(l)
	tell(l, send, func() error { return l.flag.P(0, 1, 1) }, l.wait)
}

// thirdPE has PE 0 send to PE 1 and tell PE 2, which looks there.
func thirdPE(l *little, send form) {
	l.on(0, func() {
		l.do(func() error { return send.send(l.dst, l.src, 1) })
		l.quiet()
		l.do(func() error { return l.flag.P(0, 1, 2) })
	})
	l.on(2, func() {
		l.wait()
		l.do(func() error { return l.dst.GetSlice(l.got, 1) })
		l.do(func() error { return same(l.got) })
	})
}

// room has PE 1 use its memory for something else until the barrier.
func room(l *little, send form) {
	l.on(1, func() {
		l.do(func() error { return l.flag.Set(1, 1) })
		for range 20 {
			l.do(func() error { return l.dst.Fill(5) })
			l.do(func() error { _, err := l.flag.G(0, 0); return err })
		}
		l.do(func() error { return l.dst.Fill(0) })
	})
	l.barrier()
	l.on(0, func() { l.do(func() error { return send.send(l.dst, l.src, 1) }) })
	l.do(func() error { return l.w.Barrier(l.ctx) })
	l.on(1, l.here)
}

// special are idioms of operations that are no way to send something.
func special() []idiom {
	return []idiom{
		{"get nbi", []string{"quiet"}, func(l *little, _ form) {
			l.do(func() error { return l.w.Barrier(l.ctx) })
			l.do(func() error { return l.dst.GetNBI(l.src, 1) })
			l.quiet()
			l.here()
		}},
		{"get slice nbi", []string{"quiet"}, func(l *little, _ form) {
			l.do(func() error { return l.w.Barrier(l.ctx) })
			l.do(func() error { return l.src.GetSliceNBI(l.got, 1) })
			l.quiet()
			l.do(func() error { return same(l.got) })
		}},
		{"source of a put nbi", []string{"quiet"}, func(l *little, _ form) {
			l.do(func() error { return l.dst.PutNBI(l.src, (l.w.MyPE()+1)%3) })
			l.quiet()
			l.do(func() error { return l.src.Fill(1) })
			l.do(func() error { return l.w.Barrier(l.ctx) })
			l.here()
		}},
		{"put with signal", []string{"order", "fence of its own", "wait"}, func(l *little, _ form) {
			signalled(l, func() error { return l.dst.PutSignal(l.src, 1, l.signal, shmem.SignalSet, 1) })
		}},
		{"put slice with signal", []string{"order", "fence of its own", "wait"}, func(l *little, _ form) {
			signalled(l, func() error { return l.dst.PutSliceSignal(values(), 1, l.signal, shmem.SignalAdd, 1) })
		}},
	}
}

// signalled has PE 0 send to PE 1 with a signal. A mutant sends the signal first, or
// behind the data without a fence.
func signalled(l *little, put func() error) {
	l.on(0, func() {
		signal := func() error { return l.signal.Set(1, 1) }
		data := func() error { return l.dst.Put(l.src, 1) }
		switch l.without {
		case "order":
			l.do(signal)
			l.do(data)
		case "fence of its own":
			l.do(data)
			l.do(signal)
		default:
			l.do(put)
		}
	})
	l.on(1, func() {
		l.waitSignal()
		l.here()
	})
}
