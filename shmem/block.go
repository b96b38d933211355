package shmem

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"
)

// block is one allocation, as operations on one lane see it.
type block struct {
	bases []unsafe.Pointer // of the lane: what the fast paths need is here
	own   unsafe.Pointer   // where this PE's copy of every array begins
	state atomic.Uint32
	w     *World
	lane  *lane
	far   *deviceMemory // what own is an address of, which Go cannot load and store; nil: it can
	at, n uintptr       // offset and bytes
	seq   uint64        // the how-manieth allocation of the world
	site  string        // where it was allocated
	born  time.Time
	end   atomic.Pointer[string] // where it was freed or released, in words; set before the state
	of    *block                 // what this is the view of a context of; nil: the allocation itself
	views atomic.Pointer[[]*block]
	turn  atomic.Uintptr // offset at which the next search for any element begins
	why   error          // of an absent block
}

// The states of a world and of a block.
const (
	live     uint32 = iota
	freed           // a world: closing
	closed          // with the world, or a view with its context
	released        // by this PE; the memory waits for the others
	absent          // there never was an allocation: why says why not
)

func (w *World) newBlock(at, n uintptr) *block {
	return &block{w: w, lane: w.lane, bases: w.lane.bases, own: w.arrays, far: w.device, at: at, n: n, born: w.now()}
}

// absent stands for an allocation that was not found, and why.
func (w *World) absent(why error) *block {
	b := &block{w: w, lane: w.lane, why: why}
	b.state.Store(absent)
	return b
}

// allocation is the block that b is or is a view of.
func (b *block) allocation() *block {
	if b.of != nil {
		return b.of
	}
	return b
}

// become changes the state of an allocation and of its views, and returns the old one.
// It takes no lock.
func (b *block) become(state uint32) uint32 {
	old := b.state.Swap(state)
	b.spread(state)
	return old
}

// bury ends a block whose memory goes back; site is where it was freed, "" if where it
// was released says it.
func (w *World) bury(b *block, site string) {
	if site != "" {
		b.end.Store(&site)
	}
	if b.become(freed) == released {
		w.released.Add(-1)
	}
}

func (b *block) spread(state uint32) {
	if views := b.views.Load(); views != nil {
		for _, v := range *views {
			v.state.CompareAndSwap(live, state)
		}
	}
}

// view returns b as operations on l see it, made if there is none yet.
func (b *block) view(l *lane) *block {
	if v := b.viewOf(l); v != nil {
		return v
	}
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	if v := b.viewOf(l); v != nil {
		return v
	}
	v := &block{w: b.w, lane: l, bases: l.bases, own: b.own, far: b.far, at: b.at, n: b.n, seq: b.seq, site: b.site, of: b}
	views := []*block{v}
	if old := b.views.Load(); old != nil {
		for _, other := range *old {
			if !other.lane.closed.Load() {
				views = append(views, other)
			}
		}
	}
	b.views.Store(&views)
	v.state.CompareAndSwap(live, b.state.Load()) // b may have ended before its views were read
	if l.closed.Load() {
		v.state.CompareAndSwap(live, closed)
	}
	return v
}

func (b *block) viewOf(l *lane) *block {
	if views := b.views.Load(); views != nil {
		for _, v := range *views {
			if v.lane == l {
				return v
			}
		}
	}
	return nil
}

// ended returns why the block may not be used any more.
func (b *block) ended() error {
	switch state := b.state.Load(); {
	case state == live:
		return nil
	case state == closed && b.lane.closed.Load() && b.w.state.Load() == live:
		return problem(ErrClosed, "the context was destroyed")
	case state == closed:
		return b.w.gone()
	case state == absent:
		return b.why
	case state == released:
		return problem(ErrFreed, "PE %d has released the array%s", b.w.rank, b.history())
	}
	return problem(ErrFreed, "the array was freed%s", b.history())
}

// history says where an allocation ended and where it came from.
func (b *block) history() string {
	b = b.allocation()
	text := ""
	if at := b.end.Load(); at != nil && *at != "" {
		text = " at " + *at
	}
	return fmt.Sprintf("%s (allocated in alloc #%d, %s)", text, b.seq, b.site)
}

// place returns where in w.blocks the block at an offset is or would be. The caller
// holds w.mu.
func (w *World) place(at uintptr) (int, bool) {
	return slices.BinarySearchFunc(w.blocks, at, func(b *block, at uintptr) int { return cmp.Compare(b.at, at) })
}

// holder returns the block that an offset is in, nil if there is none. The caller
// holds w.mu.
func (w *World) holder(off uintptr) *block {
	i, found := w.place(off)
	if !found {
		i--
	}
	if i < 0 || off >= w.blocks[i].at+w.blocks[i].n {
		return nil
	}
	return w.blocks[i]
}
