package host

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// far is what leads to the PEs of other nodes. Each has a shadow on this node: a control
// in memory that the PEs of the node share, to which that is written what the PE has told.
// So a gate, a board or an error finds it where that of a PE of the node would be. A PE
// tells once per node: one of the PEs there, its post, takes the message for all.
type far struct {
	h       *Heap
	node    []int   // of each PE
	near    []int   // the PEs of this node
	members [][]int // those of each
	posts   []int   // who takes this PE's messages, for each node; -1 for its own
	wire    wire

	telling sync.Mutex      // one tale at a time: the latest is the last to arrive
	answers []atomic.Uint32 // of PEs that were asked
	quiet   []silence       // of each node
	beating []atomic.Bool   // nodes to which a beat is on its way
	suspect []int           // for how many ticks a PE has been cut off and nobody has said why
	dropped []bool          // PEs that were given up
	stop    chan struct{}
	stopped sync.WaitGroup
}

// wire carries data and messages to PEs of other nodes. Offsets are from the beginning of
// a segment. What order there is, is that of engine.Lane; messages of one PE to another
// arrive in theirs.
type wire interface {
	put(pe int, at uintptr, src unsafe.Pointer, n uintptr, later bool) error
	get(pe int, at uintptr, dst unsafe.Pointer, n uintptr, later bool) error
	atomic(pe int, at uintptr, op engine.AMO) (uint64, error)
	fence() error
	// flush waits until what was put, got and asked for is done; drain until what was sent
	// has gone as well.
	flush(ctx context.Context) error
	drain() error
	send(pe int, message []byte) error
	// progress does what has come in, without waiting.
	progress()
	// lost is why a PE cannot be reached any more, nil if it can as far as is known.
	lost(pe int) error
	// signs counts what shows that a PE lives, beside its messages.
	signs(pe int) uint32
	// drop gives a PE up: what was started with it ends now.
	drop(pe int) error
	close() error
}

// newFar prepares for a world of several nodes, whose number each PE has.
func newFar(h *Heap, node []int, nodes int) *far {
	pes := len(node)
	f := &far{h: h, node: node, members: make([][]int, nodes), posts: make([]int, nodes), quiet: make([]silence, nodes), answers: make([]atomic.Uint32, pes), beating: make([]atomic.Bool, nodes), suspect: make([]int, pes), dropped: make([]bool, pes), stop: make(chan struct{})}
	for pe, node := range node {
		f.members[node] = append(f.members[node], pe)
	}
	own := node[h.rank]
	f.near = f.members[own]
	for node, pes := range f.members {
		f.posts[node] = pes[slices.Index(f.near, h.rank)%len(pes)]
	}
	f.posts[own] = -1
	return f
}

// is says whether pe is of another node. A world on one node has no far.
func (f *far) is(pe int) bool { return f != nil && f.node[pe] != f.node[f.h.rank] }

// others calls do for each PE of other nodes.
func (f *far) others(do func(pe int, c *control)) {
	if f == nil {
		return
	}
	for pe, c := range f.h.ctl {
		if f.is(pe) {
			do(pe, c)
		}
	}
}

// wake rings those of the node that sleep.
func (f *far) wake() {
	for _, pe := range f.near {
		f.h.Ring(pe)
	}
}

// alarm has all PEs of the node look at what happened.
func (f *far) alarm() {
	for _, pe := range f.near {
		f.h.alarm(pe)
	}
}

// post sends a message to each other node. That one cannot be reached is noticed by who
// looks after it.
func (f *far) post(m []byte) {
	for _, pe := range f.posts {
		if pe >= 0 {
			_ = f.wire.send(pe, m)
		}
	}
}

// cry sends a message to every PE of other nodes: there is something wrong, and it may be
// with a post.
func (f *far) cry(m []byte) {
	f.others(func(pe int, _ *control) { _ = f.wire.send(pe, m) })
}

// The fate of a PE of another node: 0, or one of these, or fateDied and more, which tells
// in what order its end was noticed there.
const (
	fateToldNow = 1 // somebody of this node is writing it
	fateNoNews  = 2 // it ended, and had said so or why before
	fateDied    = 3
)

// mourn notes for the node that a PE of another one has ended, with what is known of it
// there. The first to know counts.
func (f *far) mourn(pe int, e ending) {
	c := f.h.ctl[pe]
	if !c.fate.CompareAndSwap(0, fateToldNow) {
		return
	}
	if e.board != nil {
		c.takeBoard(*e.board)
	}
	if e.state == engine.Failed {
		c.exit.Store(e.exit)
		c.setState(engine.Failed)
	}
	switch c.getState() {
	case engine.Finalized, engine.Left:
		c.fate.Store(fateNoNews)
		return
	case engine.Failed:
		c.fate.Store(fateNoNews)
	default:
		storeText(c.end[:], e.text)
		c.fate.Store(uint32(fateDied + e.order))
		c.setState(engine.Dead)
	}
	f.alarm()
}

// ending is what is known of the end of a PE.
type ending struct {
	order int
	text  string
	state engine.State // Failed, if the PE was when it ended
	exit  int32
	board *shown // what it showed last; nil: not known
}

// exits ends this process if a PE of another node has asked for that and has ended.
func (f *far) exits(c *control) {
	if code := c.exit.Load(); code > 0 && c.fate.Load() != 0 && c.getState() == engine.Failed {
		f.h.own.state.CompareAndSwap(uint32(engine.Running), uint32(engine.Left))
		os.Exit(int(code) - 1)
	}
}

// hurry waits a little for what was said last, in a process that is about to exit.
func (f *far) hurry() {
	if f != nil {
		f.drainWithin(tick)
	}
}

// drainWithin waits for what is on its way, but not for long: those that do not get it
// notice by themselves that there is something wrong.
func (f *far) drainWithin(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.wire.drain()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// relay tells the other nodes that a PE of this one has ended.
func (f *far) relay(pe int, o *obit) {
	if f != nil {
		f.cry(endedMessage(f.h.rank, pe, o, f.h.ctl[pe]))
	}
}

// tell tells the other nodes what has become of this PE, and where it was.
func (f *far) tell(urgent bool) {
	if f == nil {
		return
	}
	f.telling.Lock()
	defer f.telling.Unlock()
	m := stateMessage(f.h.rank, f.h.own, urgent)
	if f.h.own.getState() == engine.Finalized {
		f.post(m)
	} else {
		f.cry(m)
	}
}

// How long a PE that has finalized stays, so that it still takes what the others say last.
const (
	lingerLimit = 2 * time.Second
	lingerTick  = 200 * time.Microsecond
)

// leave ends what this PE has with other nodes. In good order all have come to the last
// meeting, and say so: who left before it has heard them would take their node's ears away.
func (f *far) leave() error {
	if f == nil {
		return nil
	}
	f.tell(false)
	good := f.h.own.getState() == engine.Finalized
	for end := time.Now().Add(lingerLimit); good && f.awaited() && time.Now().Before(end); {
		f.wire.progress()
		time.Sleep(lingerTick)
	}
	close(f.stop)
	f.stopped.Wait()
	f.drainWithin(lingerLimit / 4)
	if err := f.wire.close(); err != nil {
		return fmt.Errorf("leave the other nodes: %w", err)
	}
	return nil
}

// awaited says whether a PE of another node has not said that it is over with the world.
func (f *far) awaited() (some bool) {
	f.others(func(_ int, c *control) { some = some || c.getState() == engine.Running && c.fate.Load() == 0 })
	return some
}
