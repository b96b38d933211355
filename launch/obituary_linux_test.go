package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// announce opens the obituaries of a job until the end of the test.
func announce(t *testing.T, j Job) *Obituaries {
	t.Helper()
	o, err := Announce(j)
	if err != nil {
		t.Fatal(err)
	}
	o.Begin()
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// TestEndedBeforeJoin: a rank ends that others wait for in join, or come to wait
// for. Nobody waits for the time limit.
func TestEndedBeforeJoin(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, victim := range []int{0, 2} {
		for _, order := range []string{"before", "meanwhile"} {
			t.Run(fmt.Sprintf("rank %d, %s", victim, order), func(t *testing.T) {
				j := newJob(t, "unix", 3)
				o := announce(t, j)
				end := func() { o.Ended(victim, self(j).host, 17, "exited with status 0") }
				if order == "before" {
					end()
				}
				errs := onRanks(3, func(r int) error {
					if r == victim {
						if order == "meanwhile" {
							waitFor(t, "two readers", func() bool { return o.audience() == 2 })
							end()
						}
						return nil
					}
					_, err := Join(testContext(t), j.at(r))
					return err
				})
				for r, err := range errs {
					if r != victim {
						wantError(t, err, ErrLost, fmt.Sprintf("launch: join: rank %d (host %s, pid 17) exited with status 0 before all had joined", victim, host))
					}
				}
			})
		}
	}
}

func (o *Obituaries) audience() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.readers)
}

// TestEndedAfterJoin: who has joined and ends is its connection's business; a group
// of ranks does not mind who is not part of it.
func TestEndedAfterJoin(t *testing.T) {
	j := newJob(t, "unix", 2)
	o := announce(t, j)
	o.Ended(7, "h", 1, "exited with status 1") // no rank of this job
	stores := members(t, j, defaultLimits())
	o.Ended(1, "h", 1, "exited with status 0")
	for r, err := range onRanks(2, func(r int) error { return stores[r].Barrier(testContext(t)) }) {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
	for r, err := range onRanks(2, func(r int) error {
		g, err := j.at(r).Group("all", r, 2)
		if err != nil {
			return err
		}
		s, err := Join(testContext(t), g)
		if err != nil {
			return err
		}
		return s.Close()
	}) {
		if err != nil {
			t.Errorf("rank %d in a group: %v", r, err)
		}
	}
}

// TestJoinWaitsForTheLauncher: nobody gets past join before the launcher watches all.
func TestJoinWaitsForTheLauncher(t *testing.T) {
	j := newJob(t, "unix", 2)
	o, err := Announce(j)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var begun atomic.Bool
	go func() {
		waitFor(t, "two readers", func() bool { return o.audience() == 2 })
		begun.Store(true)
		o.Begin()
	}()
	members(t, j, defaultLimits())
	if !begun.Load() {
		t.Error("the ranks have met before")
	}
}

// TestLauncherThatDoesNotBegin holds the ranks up until their time is over.
func TestLauncherThatDoesNotBegin(t *testing.T) {
	j := newJob(t, "unix", 2)
	o, err := Announce(j)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ctx, cancel := context.WithCancelCause(testContext(t))
	go func() {
		waitFor(t, "two readers", func() bool { return o.audience() == 2 })
		cancel(errors.New("time is over"))
	}()
	for _, err := range onRanks(2, func(r int) error {
		_, err := Join(ctx, j.at(r))
		return err
	}) {
		if err == nil || !strings.Contains(err.Error(), "has not started all ranks: time is over") {
			t.Errorf("join: %v", err)
		}
	}
}

// TestReaderThatDoesNotRead: nobody waits for it, neither the launcher nor the others.
func TestReaderThatDoesNotRead(t *testing.T) {
	j := newJob(t, "unix", 2)
	lim := defaultLimits()
	lim.frame, lim.farewell = time.Hour, time.Hour
	o, err := announceWithin(j, lim)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	at, err := parseAddress(j.Rendezvous)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", "@"+j.endings(at))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	waitFor(t, "a reader", func() bool { return o.audience() == 1 })
	o.Begin()
	for range 20000 { // more than the kernel keeps for a reader
		o.Ended(7, "h", 1, "exited with status 1") // no rank of this job
	}
	members(t, j, defaultLimits())
	waitFor(t, "that reader alone", func() bool { return o.audience() == 1 })
}

// TestAnnounceTwice: the obituaries of a job have one place, which Close frees.
func TestAnnounceTwice(t *testing.T) {
	j := newJob(t, "unix", 2)
	o, err := Announce(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Announce(j); err == nil {
		t.Error("two launchers announce for one job")
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	announce(t, j)
	for _, bad := range []string{"", "somewhere", "unix:file"} {
		if _, err := Announce(Job{Rendezvous: bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestObituariesOfAStranger: what is no obituary ends the reading, not the join.
func TestObituariesOfAStranger(t *testing.T) {
	j := newJob(t, "unix", 2)
	at, err := parseAddress(j.Rendezvous)
	if err != nil {
		t.Fatal(err)
	}
	at.name = j.endings(at)
	ln, err := at.listen(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for _, said := range []string{"hello", string(encode(kindDone)) + string(encode(kindEnded, []byte{1, 2}))} {
			if conn, err := ln.Accept(); err == nil {
				_, _ = conn.Write([]byte(said)) // the reader may be gone
				_ = conn.Close()
			}
		}
	}()
	members(t, j, defaultLimits())
}

// TestHeedNobody: without obituaries nothing is told and nothing waits.
func TestHeedNobody(t *testing.T) {
	for _, at := range []address{{name: namePrefix + "nobody-" + t.Name()}, {host: "127.0.0.1", port: 1}} {
		stop, err := (Job{}).heed(context.Background(), at, defaultLimits(), func(int, string) { t.Error("told") })
		if err != nil {
			t.Fatal(err)
		}
		stop()
	}
}

// TestEndedElsewhere: in a job over several machines each launcher has obituaries of its
// own, for its ranks. They may have a rank of another machine end before they begin, which
// is told afterwards.
func TestEndedElsewhere(t *testing.T) {
	j := newJob(t, "tcp", 2)
	j.Nodes = 2
	here, there := j, j
	there.NodeRank = 1
	announce(t, there)
	o, err := Announce(here)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	o.Ended(1, "elsewhere", 17, "exited with status 0")
	ended := make(chan error, 1)
	go func() {
		_, err := Join(testContext(t), here)
		ended <- err
	}()
	waitFor(t, "a reader", func() bool { return o.audience() == 1 })
	o.Begin()
	wantError(t, <-ended, ErrLost, "rank 1 (host elsewhere, pid 17) exited with status 0 before all had joined")
}
