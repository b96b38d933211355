package host

import (
	"fmt"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// A node that is cut off says nothing about that. So every PE tells the others from time
// to time that it lives, and a node of which nobody is heard for long has gone.
const (
	tick       = 100 * time.Millisecond // of looking after the others
	silentMost = 10 * time.Second       // unless two fifths of the time limit of a wait are less
	graceTicks = 3                      // for others to say how a PE has ended that is cut off
)

// silence is for how many ticks nothing has been heard of a node.
type silence struct {
	heard uint32 // messages and other signs of life of all its PEs until then
	ticks int
}

// watch looks after the other nodes until it is stopped. It counts its own ticks, not the
// time: after it was stopped itself it must not take others for silent.
func (f *far) watch() {
	defer f.stopped.Done()
	limit := int(min(silentMost, f.h.timeout*2/5)/tick) + 1 // before launchers do, who cannot say as much
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for n := 0; ; n++ {
		select {
		case <-f.stop:
			return
		case <-clock.C:
		}
		if n%max(1, limit/10) == 0 {
			f.beat()
		}
		f.listen(limit)
		f.others(f.look)
	}
}

// beat says to each other node that this PE lives. What has not left yet says so as well,
// and is not waited for: a node that takes nothing must not keep the others from hearing.
func (f *far) beat() {
	for node, pe := range f.posts {
		if pe < 0 || f.beating[node].Swap(true) {
			continue
		}
		go func() {
			defer f.beating[node].Store(false)
			_ = f.wire.send(pe, head(msgBeat, 0, f.h.rank)) // that it cannot be reached is noticed by look
		}()
	}
}

// listen counts for how long the other nodes have been silent.
func (f *far) listen(limit int) {
	heard := make([]uint32, len(f.quiet))
	f.others(func(pe int, c *control) { heard[f.node[pe]] += c.heard.Load() + f.wire.signs(pe) })
	for node := range f.quiet {
		q := &f.quiet[node]
		if q.ticks++; q.heard != heard[node] {
			q.heard, q.ticks = heard[node], 0
		}
		if q.ticks >= limit && f.posts[node] >= 0 {
			q.ticks = 0
			f.giveUp(node, time.Duration(limit)*tick)
		}
	}
}

// giveUp notes that a node says nothing any more. Its processes may be stopped, its network
// cut, its machine off: from here it looks the same.
func (f *far) giveUp(node int, after time.Duration) {
	for _, pe := range f.members[node] {
		f.mourn(pe, ending{order: cutOff, text: fmt.Sprintf("is stopped, cut off or dead: nothing has come from %s for %v", f.name(pe), after)})
	}
}

// name is the node of a PE, for errors.
func (f *far) name(pe int) string {
	node := f.node[pe]
	return fmt.Sprintf("node %d (host %s, PEs %s)", node, f.h.peers[pe].host, engine.Ranges(f.members[node]))
}

// cutOff is the order of an end that only the network tells of: what somebody has seen is
// better to know.
const cutOff = 1000

// orderMost is more than orders of ends become.
const orderMost = 1 << 20

// look notes that a PE cannot be reached, if nobody says why.
func (f *far) look(pe int, c *control) {
	if err := f.wire.lost(pe); err != nil && c.fate.Load() == 0 {
		if f.suspect[pe]++; f.suspect[pe] > graceTicks {
			f.mourn(pe, ending{order: cutOff, text: fmt.Sprintf("of %s is gone: %v", f.name(pe), err) + lastWords(c)})
		}
	}
	if c.fate.Load() > fateToldNow && !f.dropped[pe] {
		f.dropped[pe] = true
		_ = f.wire.drop(pe) // what it was asked for will not be answered
	}
	f.exits(c)
}
