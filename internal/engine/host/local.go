package host

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// newLocal makes a world of goroutine PEs. Each segment is one contiguous block
// of Go memory, flags and boards included: the race detector then sees symmetric
// memory, and the flags order accesses for it as they do for the machine.
func newLocal(n int, c engine.Config) []*Heap {
	segments := make([]unsafe.Pointer, n)
	bells := make([]*bell, n)
	for i := range segments {
		segments[i] = goSegment(c.HeapSize)
		bells[i] = &bell{}
	}
	heaps := make([]*Heap, n)
	for i := range heaps {
		heaps[i] = newHeap(i, c, segments, goroutineRoom, nil, goMemory{})
		heaps[i].policy = &goroutines{own: heaps[i].own, bell: bells[i], bells: bells}
		heaps[i].obits = heaps[0].obits // a death is known to all at once
	}
	return heaps
}

// goSegment allocates a segment whose heap starts on a page boundary. The memory
// is touched only where it is used: fresh Go memory of this size comes zeroed
// from the system.
func goSegment(heapSize uintptr) unsafe.Pointer {
	block := make([]byte, segmentSize(heapSize, goroutineRoom)+pageSize)
	p := unsafe.Pointer(unsafe.SliceData(block))
	return unsafe.Add(p, -uintptr(p)&(pageSize-1))
}

// goMemory backs a heap with Go memory.
type goMemory struct{}

func (goMemory) commit(unsafe.Pointer, uintptr, uintptr) error { return nil }

func (goMemory) release(base unsafe.Pointer, at, n uintptr) error {
	mem.Zero(unsafe.Add(base, at), n)
	return nil
}

// goroutines is how goroutine PEs wait: let others run a few times, then park.
// They never spin long or lock threads, since the awaited PE may need this very
// thread.
type goroutines struct {
	own   *control
	bell  *bell
	bells []*bell
}

const (
	goSpin   = 32
	goYields = 16
)

func (*goroutines) spin() (looks int, pause bool) { return goSpin, false }

func (g *goroutines) yield(ready func() bool) bool {
	for range goYields {
		runtime.Gosched()
		if ready() || g.own.alarm.Load() != 0 {
			return true
		}
	}
	return false
}

func (*goroutines) brief(ready func() bool) bool {
	for range goYields {
		runtime.Gosched()
		if ready() {
			return true
		}
	}
	return false
}

func (g *goroutines) sleep(limit time.Duration, ready func() bool) {
	rung := g.doze(1)
	defer g.doze(-1)
	if ready() {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	mem.Untrack() // who rings need not be who is waited for
	defer mem.Track()
	select {
	case <-rung:
	case <-timer.C:
	}
}

// doze counts who sleeps, and returns what wakes them.
func (g *goroutines) doze(more int32) <-chan struct{} {
	mem.Untrack()
	defer mem.Track()
	g.own.sleepers.Add(more)
	return g.bell.listen()
}

func (g *goroutines) ring(pe int) { g.bells[pe].ring() }

// bell wakes all goroutines that listen.
type bell struct {
	mu sync.Mutex
	ch chan struct{}
}

// listen returns a channel that the next ring closes. Like ring it is called untracked:
// the detector does not see the lock that guards the channel, and must not look.
//
//go:norace
func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

//go:norace
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}
