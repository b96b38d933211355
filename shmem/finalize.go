package shmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/goshmem/goshmem/internal/engine"
)

// Finalize completes all operations, waits for all PEs, destroys the contexts and
// teams that are left, newest first, and closes the world. They and memory that is
// still allocated are reported to Options.Logf. Later calls on the world and its arrays return
// ErrClosed; a second Finalize does nothing. If it fails the world is closed all
// the same. It also returns the error of a collective that was started, has failed, and
// was never asked for that with Wait or Test. Blocking, collective over the world. OpenSHMEM: shmem_finalize.
func (w *World) Finalize(ctx context.Context) error {
	if w == nil {
		return noWorld("finalize")
	}
	if !w.state.CompareAndSwap(live, freed) { // freed: closing, by somebody
		return nil
	}
	ctx = orBackground(ctx)
	err := w.finishStreams(ctx)
	if err == nil {
		err = w.quietAll(ctx)
	}
	for _, c := range w.leftContexts() {
		w.logf("shmem: finalize: context made at %s was not destroyed", c.site)
	}
	for _, t := range w.leftTeams() {
		broken, left := t.destroy(ctx)
		if left != nil { // the world may be fine
			w.logf("shmem: finalize: %v", left)
		}
		if !broken { // else an error has ended it, not the program's want of care
			w.logf("shmem: finalize: team of %d PEs made at %s was not destroyed", len(t.members), t.site)
		}
	}
	if err == nil { // what was started on the shared team still uses memory
		err = w.shared.waitForStarted(ctx)
	}
	if err == nil {
		err = w.shared.endGroup(ctx)
	}
	if err == nil {
		err = w.world.meet(ctx, engine.KindFinalize, "finalize", engine.Site())
	}
	w.reportLocks()
	for _, l := range w.Leaks() {
		w.logf("shmem: finalize: still allocated: %v", l)
	}
	w.close()
	untold := w.untold()
	if err != nil {
		w.fail(err, engine.Stays)
		if untold != nil {
			w.logf("%v", untold)
		}
		return rewrap(w, "finalize", err)
	}
	return cmp.Or(untold, fail(w, "finalize", noPeer, w.closeMemory()))
}

// rewrap keeps an Error as it is.
func rewrap(w *World, op string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	return fail(w, op, noPeer, err)
}

// leftTeams returns the user's teams, newest first: the order of creation is the
// same on all members.
func (w *World) leftTeams() []*Team {
	w.mu.Lock()
	defer w.mu.Unlock()
	var left []*Team
	for i := len(w.teams) - 1; i >= 0; i-- {
		left = append(left, w.teams[i])
	}
	return left
}

// close makes every handle of the world useless.
func (w *World) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Store(closed)
	w.endStreams()
	for _, b := range w.blocks {
		b.become(closed)
	}
	for _, c := range w.contexts {
		c.lane.closed.Store(true)
	}
	for _, t := range append(w.teams, w.world, w.shared) {
		t.state.CompareAndSwap(live, closed)
		t.endMeetings()
	}
}

// Leak is memory that is still allocated.
type Leak struct {
	Bytes int
	Site  string // file:line of the Alloc
	Seq   int    // the how-manieth Alloc of the world
}

// String returns the leak as a log line tells it.
func (l Leak) String() string {
	return fmt.Sprintf("%d bytes of alloc #%d (%s)", l.Bytes, l.Seq, l.Site)
}

// Leaks returns what is allocated now, oldest first. Local.
func (w *World) Leaks() []Leak {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Leak
	for _, b := range w.blocks {
		if b.state.Load() == live {
			all = append(all, Leak{int(b.n), b.site, int(b.seq)})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seq < all[j].Seq })
	return all
}

// Abort ends this world for everybody without ending a process: every wait of
// every PE returns an error with this reason, and this PE's handles are closed.
// Local; it does not wait.
func (w *World) Abort(reason error) {
	if reason == nil {
		reason = errors.New("no reason given")
	}
	err := fmt.Errorf("aborted: %w", reason)
	w.ended.Store(&err)
	w.fail(err, engine.Stays)
	w.close()
}

// fail ends the world because of err. A PE that fails only because another one
// did says so, lest the others take it for the culprit. exit is for engine.Heap.Fail.
func (w *World) fail(err error, exit int) {
	reason := err.Error()
	if errors.Is(err, ErrDied) || errors.Is(err, ErrFailed) {
		reason = ""
	}
	w.heap.Fail(reason, exit)
}

// GlobalExit ends the whole job with an exit code, without waiting for anybody,
// and does not return: processes exit with status, also those that compute or
// wait; goroutine PEs end with an error in every wait. A status that is no exit
// code, outside 0 to 255, becomes 255. OpenSHMEM: shmem_global_exit.
func (w *World) GlobalExit(status int) {
	if status < 0 || status > 255 {
		status = 255
	}
	err := fmt.Errorf("called global exit %d", status)
	w.ended.Store(&err)
	w.heap.Fail(err.Error(), status)
	w.close()
	w.exit(status)
}
