// Package faulty makes an engine fail where it is told to: it counts the operations of a
// PE and, when one is there that a fault asks for, delays, stops or kills the PE, or has
// the operation fail. What package shmem does without its heap, it asks for through the
// lanes of this one, so that all operations are seen. Nothing here is in the way of a
// world without faults, or of a PE that none concerns.
package faulty

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/fault"
)

// Heap is an engine.Heap with faults.
type Heap struct {
	below
	engine.Lane // the default one
	rules       []*rule
	node        int // PEs of a virtual node
	counts      map[fault.Op]*atomic.Uint64
	mortal      bool // a fault may kill this PE
	say         func(text string)
}

// below is the heap that does the work. It is wrapped so that the methods of the
// lane come before its own.
type below struct{ engine.Heap }

// rule is a fault and how often its operation came.
type rule struct {
	fault.Fault
	seen atomic.Int64
}

// Wrap puts the faults in front of h that concern its PE, and returns h if none does.
// say gets a line about each fault when it happens. A node size of 0 is one node.
func Wrap(h engine.Heap, faults []fault.Fault, nodeSize int, say func(text string)) engine.Heap {
	if nodeSize == 0 {
		nodeSize = h.NPEs()
	}
	f := &Heap{below: below{h}, node: nodeSize, counts: map[fault.Op]*atomic.Uint64{}, say: say}
	for _, one := range faults {
		if one.Concerns(h.Rank(), nodeSize) {
			f.rules = append(f.rules, &rule{Fault: one})
			f.mortal = f.mortal || one.Verb == fault.Kill || one.Verb == fault.Lose
		}
	}
	if f.rules == nil {
		return h
	}
	for _, op := range fault.Ops() {
		f.counts[op] = &atomic.Uint64{}
	}
	f.Lane = &lane{f, h}
	return f
}

// Distant has all operations come here.
func (h *Heap) Distant() {}

// Spin is 0, so that every wait comes to Wait.
func (h *Heap) Spin() (looks int, pause bool) { return 0, false }

// reach counts an operation and does what a fault asks for at this one. An error is that
// of the operation, which must not happen then.
func (h *Heap) reach(op fault.Op) error {
	h.live()
	k := h.counts[op].Add(1)
	for _, r := range h.rules {
		if r.Takes(op) && r.seen.Add(1) == int64(r.N) {
			if err := h.strike(r, fmt.Sprintf("%s #%d", op, k)); err != nil {
				return err
			}
		}
	}
	return nil
}

// live ends a goroutine of a goroutine PE that has died: it must not go on.
func (h *Heap) live() {
	if h.mortal && h.Heap.Progress(h.Rank()).State == engine.Dead {
		runtime.Goexit()
	}
}

// strike does what a fault asks for at an operation, what.
func (h *Heap) strike(r *rule, what string) error {
	site := engine.Site()
	if r.Verb == fault.Lose && h.Rank() != r.Node*h.node {
		return nil // the first PE of the node does it for all
	}
	h.tell(r, what, site)
	switch r.Verb {
	case fault.Delay:
		time.Sleep(r.By)
	case fault.Stop:
		if err := h.Heap.Hang(engine.Call{Kind: engine.KindStop, Site: what + ", " + site}); err != nil {
			return fmt.Errorf("%s was stopped until the world ended (%w %q): %w", what, fault.ErrFault, r, err)
		}
	case fault.Fail:
		return fmt.Errorf("%s of PE %d fails (%w: %q)", what, h.Rank(), fault.ErrFault, r)
	case fault.Kill, fault.Lose:
		h.Heap.Die(fmt.Sprintf("fault %q at %s of PE %d", r, what, h.Rank()), h.victims(r))
		runtime.Goexit()
	}
	return nil
}

// victims are the PEs that a fault kills.
func (h *Heap) victims(r *rule) []int {
	if r.Verb == fault.Kill {
		return []int{h.Rank()}
	}
	var all []int
	for pe := r.Node * h.node; pe < min((r.Node+1)*h.node, h.NPEs()); pe++ {
		all = append(all, pe)
	}
	return all
}

// tell says what happens now, and where it comes from if that is a seed.
func (h *Heap) tell(r *rule, what, site string) {
	text := fmt.Sprintf("PE %d: %v, at %s (%s)", h.Rank(), r, what, site)
	if r.Drawn() {
		text += fmt.Sprintf(", drawn for %q", r.From)
	}
	h.say(text)
}

// slow waits for as long as a link to one of these PEs takes longer.
func (h *Heap) slow(pes ...int) {
	for _, r := range h.rules {
		if r.Verb != fault.Slow {
			continue
		}
		for _, pe := range pes {
			if pe == r.Link[0]+r.Link[1]-h.Rank() {
				if r.seen.Add(1) == 1 {
					h.tell(r, "its first use", engine.Site())
				}
				time.Sleep(r.By)
			}
		}
	}
}

// Commit finds no memory where a fault says so. What lies behind the heap belongs to
// teams, not to allocations.
func (h *Heap) Commit(at engine.Offset, n uintptr) error {
	if at < h.Size() {
		if err := h.Exhausted(); err != nil {
			return err
		}
	}
	return h.Heap.Commit(at, n)
}

// Exhausted counts an allocation, and returns why it must fail.
func (h *Heap) Exhausted() error {
	for _, r := range h.rules {
		if r.Verb == fault.Exhaust && r.seen.Add(1) == int64(r.N) {
			what := fmt.Sprintf("alloc #%d", r.N)
			h.tell(r, what, engine.Site())
			return fmt.Errorf("symmetric heap exhausted at %s of PE %d (%w: %q)", what, h.Rank(), fault.ErrFault, r)
		}
	}
	return nil
}

// Close tells of faults that were asked for and did not happen: a test that waits for one
// would pass for the wrong reason.
func (h *Heap) Close() error {
	for _, r := range h.rules {
		if seen := r.seen.Load(); seen < int64(r.N) && (r.Verb != fault.Lose || h.Rank() == r.Node*h.node) {
			h.say(fmt.Sprintf("PE %d: %v, did not happen: there were %d such operations", h.Rank(), r, seen))
		}
	}
	return h.Heap.Close()
}

// Wait counts a wait.
func (h *Heap) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	if err := h.reach(opOf(call.Kind)); err != nil {
		return err
	}
	defer h.live() // who has died meanwhile does not learn of it
	return h.Heap.Wait(ctx, call, ready)
}
