package host

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestProgress reads on another PE's side what a PE has written on its board.
func TestProgress(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		me, other := heaps[0], heaps[1]
		look := func(want engine.Progress) {
			t.Helper()
			got := other.Progress(0)
			if me.peers != nil { // a process has a host and a pid
				if got.Host == "" || got.Pid == 0 {
					t.Errorf("%+v: no host or pid", got)
				}
				got.Host, got.Pid = "", 0
			}
			if got != want {
				t.Errorf("the board says\n%+v, want\n%+v", got, want)
			}
		}
		look(engine.Progress{State: engine.Running})
		barrier := engine.Call{Kind: engine.KindBarrier, Slot: 3, Seq: 12}
		me.enter(barrier)
		look(engine.Progress{State: engine.Running, Call: barrier, Active: true})
		me.noteSite(engine.Call{Kind: barrier.Kind, Slot: 3, Seq: 12, Site: "ring.go:31"})
		look(engine.Progress{State: engine.Running, Call: barrier, Active: true, Site: "ring.go:31"})
		me.leave(barrier)
		look(engine.Progress{State: engine.Running, Call: barrier, Site: "ring.go:31"})
		sync := engine.Call{Kind: engine.KindSync, Seq: 1}
		me.enter(sync) // the site belongs to the call before
		look(engine.Progress{State: engine.Running, Call: sync, Active: true})
		me.leave(barrier) // late: another goroutine is in a sync since
		look(engine.Progress{State: engine.Running, Call: sync, Active: true})
		alloc := engine.Call{Kind: engine.KindAlloc, Seq: 7}
		me.enter(engine.Call{Kind: engine.KindAlloc, Seq: 7, Site: "main.go:8"})
		look(engine.Progress{State: engine.Running, Call: alloc, Active: true, Site: "main.go:8"})
		me.Note("too much")
		look(engine.Progress{State: engine.Running, Call: alloc, Active: true, Site: "main.go:8", Note: "too much"})
		me.Fail("out of ideas", -1)
		look(engine.Progress{State: engine.Failed, Call: alloc, Active: true, Site: "main.go:8", Note: "out of ideas", Reason: "failed: out of ideas"})
		me.Fail("a second reason", 3) // the first counts
		if got := other.Progress(0).Reason; got != "failed: out of ideas" {
			t.Errorf("the reason became %q", got)
		}
	})
}

// TestProgressSites: a program that does not name its line gets it noted.
func TestProgressSites(t *testing.T) {
	heaps := newLocal(2, smallConfig())
	call := engine.Call{Kind: engine.KindWait, Seq: 1}
	heaps[0].enter(call)
	heaps[0].noteSite(call)
	if got := heaps[1].Progress(0).Site; !strings.Contains(got, ".go:") {
		t.Errorf("the site is %q", got) // of the test runner: this package is ours
	}
}

// TestProgressWhileWritten reads the board while it changes all the time: a site
// never stands beside a call that it does not belong to.
func TestProgressWhileWritten(t *testing.T) {
	heaps := newLocal(2, smallConfig())
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for seq := uint64(1); ; seq++ {
			select {
			case <-stop:
				return
			default:
			}
			call := engine.Call{Kind: engine.KindAlloc, Seq: seq, Site: fmt.Sprintf("a file with a long name %d.go:%d", seq, seq)}
			heaps[0].enter(call)
			heaps[0].leave(call)
		}
	}()
	sites := 0
	for range 50000 {
		p := heaps[1].Progress(0)
		if p.Site == "" {
			continue
		}
		sites++
		if want := fmt.Sprintf("a file with a long name %d.go:%d", p.Call.Seq, p.Call.Seq); p.Site != want {
			t.Errorf("call %v has the site %q", p.Call, p.Site)
			break
		}
	}
	close(stop)
	<-done
	if sites == 0 {
		t.Error("no site was ever seen")
	}
}

// TestStates walks through a PE's life.
func TestStates(t *testing.T) {
	heaps := newLocal(3, smallConfig())
	if got := heaps[1].Progress(0).State; got != engine.Running {
		t.Errorf("a joined PE is in state %v", got)
	}
	if s := heaps[1].broken(); s != nil {
		t.Errorf("nothing has happened, but the world is broken: %v", s)
	}
	if err := heaps[0].Close(); err != nil {
		t.Fatal(err)
	}
	if got := heaps[1].Progress(0).State; got != engine.Finalized {
		t.Errorf("a closed PE is in state %v", got)
	}
	heaps[0].Fail("too late", -1)
	if got := heaps[1].Progress(0).State; got != engine.Finalized || heaps[1].broken() != nil {
		t.Errorf("who has left in good order fails: state %v, %v", got, heaps[1].broken())
	}
	heaps[2].Fail("", -1) // it only follows somebody else
	if s := heaps[1].broken(); s != nil {
		t.Errorf("a PE that follows is the cause of %v", s)
	}
	heaps[1].Fail("real", -1)
	if s := heaps[0].broken(); s == nil || !errors.Is(s, engine.ErrFailed) || !strings.Contains(s.Error(), "PE 1 failed: real") {
		t.Errorf("PE 1 has failed, but: %v", s)
	}
}

// TestHeapBasics: what a heap says about itself, and its wrappers around memory.
func TestHeapBasics(t *testing.T) {
	onBoth(t, []int{3}, func(t *testing.T, heaps []*Heap) {
		for rank, h := range heaps {
			if h.Rank() != rank || h.NPEs() != 3 || h.Size() != pageSize || h.Engine() != "host" || h.Spin() <= 0 {
				t.Errorf("PE %d says rank %d of %d, size %d, engine %s, spin %d", rank, h.Rank(), h.NPEs(), h.Size(), h.Engine(), h.Spin())
			}
			if err := h.Commit(0, pageSize); err != nil {
				t.Fatal(err)
			}
		}
		*(*uint64)(heaps[0].Base(0)) = 0x1122334455667788
		for _, h := range heaps {
			if got := *(*uint64)(h.Base(0)); got != 0x1122334455667788 {
				t.Errorf("PE %d reads %#x from PE 0", h.rank, got)
			}
			if got := *(*uint64)(h.Base(1)); got != 0 {
				t.Errorf("PE %d reads %#x from PE 1", h.rank, got)
			}
		}
	})
}

// TestFailKeepsReason: another goroutine of a PE that has failed gives its wait up;
// the others still read why the PE failed.
func TestFailKeepsReason(t *testing.T) {
	onBoth(t, []int{2}, func(t *testing.T, heaps []*Heap) {
		meeting, over := gates(heaps, 4)[0], make(chan error)
		go func() {
			over <- meeting.Meet(t.Context(), engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1})
		}()
		for heaps[0].own.sleepers.Load() == 0 {
			heaps[0].policy.yield(func() bool { return true })
		}
		heaps[0].Fail("out of cheese", engine.Stays)
		if err := <-over; !errors.Is(err, engine.ErrFailed) {
			t.Errorf("the other goroutine: %v", err)
		}
		if p := heaps[1].Progress(0); p.Reason != "failed: out of cheese" {
			t.Errorf("the other PE reads %q", p.Reason)
		}
	})
}
