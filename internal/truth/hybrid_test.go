//go:build race

package truth

import (
	"runtime"
	"sync"
)

// In these programs a PE works with several goroutines. A parallel loop is workers, a
// single region a sync.Once, sections are functions side by side, a task is later, and an
// ordered region a mutex.

// workers runs n goroutines and waits for them.
func workers(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func sections(fs ...func()) { workers(len(fs), func(i int) { fs[i]() }) }

// ordered lets one worker at a time do f.
func ordered(f func()) {
	var turn sync.Mutex
	workers(2, func(int) {
		turn.Lock()
		defer turn.Unlock()
		f()
	})
}

// bring asks for what use uses.
func (p *pe) bring()    { must(p.x.GetSliceNBI(p.buf, 1)) }
func (p *pe) bringNow() { p.bring(); p.quiet() }
func (p *pe) use()      { discard(p.buf[0]) }

func hybridsInBuffers() []program {
	here := func(f func(p *pe)) func(*pe) { return func(p *pe) { p.on(0, func() { f(p) }) } }
	either := func(master, other func()) { sections(master, other) }
	nothing := func() {}
	once := func(first, then func()) {
		var o sync.Once
		workers(2, func(int) { o.Do(first); then() })
	}
	return []program{
		{"for, local", racy, 2, here(func(p *pe) { workers(2, func(int) { p.bringNow() }) })},
		{"for ordered, local", clean, 2, here(func(p *pe) { ordered(func() { p.bringNow(); p.use() }) })},
		{"master, local", clean, 2, here(func(p *pe) { either(p.bringNow, nothing); p.use() })},
		{"master, local", racy, 2, here(func(p *pe) { either(p.bringNow, p.use) })},
		{"single, local", clean, 2, here(func(p *pe) { once(p.bringNow, p.use) })},
		{"single, local", racy, 2, here(func(p *pe) { once(p.bring, p.use) })},
		{"section, local", clean, 2, here(func(p *pe) {
			there := make(chan struct{})
			sections(func() { p.bringNow(); close(there) }, func() { <-there; p.use() })
		})},
		{"section, local", racy, 2, here(func(p *pe) { sections(p.bringNow, p.use) })},
		{"task, local", clean, 2, here(func(p *pe) { later(p.bringNow)(); p.use() })},
	}
}

func hybridsInTargets() []program {
	then := func(f func(p *pe)) func(*pe) { // PE 1 looks after the barrier
		return func(p *pe) {
			p.on(0, func() { f(p) })
			p.barrier()
			p.on(1, p.load)
		}
	}
	single := func(p *pe) {
		var once sync.Once
		workers(2, func(int) { once.Do(p.put) })
	}
	return []program{
		{"for ordered, remote", clean, 2, then(func(p *pe) { ordered(func() { p.put(); p.quiet() }) })},
		{"for, remote", racy, 2, then(func(p *pe) { workers(2, func(int) { p.put() }) })},
		{"master, remote", clean, 2, then(func(p *pe) { sections(p.put, func() {}) })},
		{"single, remote", clean, 2, then(single)},
		{"single, remote", racy, 2, between(single, (*pe).load, 1)},
		{"section, remote", clean, 2, then(func(p *pe) { sections(p.put, func() { must(p.y.PutSlice(p.buf, 1)) }) })},
		{"task, remote", clean, 2, then(func(p *pe) { later(p.put)() })},
		{"lock section barrier origin signal, remote", racy, 2, signalOfAnother},
	}
}

// signalOfAnother: the goroutine that sets the flag knows nothing of the other's put, nor
// of its fence, though both come first.
func signalOfAnother(p *pe) {
	p.on(0, func() {
		sections(func() { p.put(); p.fence() }, func() {
			for range 1000 {
				runtime.Gosched()
			}
			must(p.flag.Set(1, 1))
		})
	})
	p.on(1, func() { p.awaitFlag(1); p.load() })
}
