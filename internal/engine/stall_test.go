package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// in is a PE that is in a call, past is one that has left it.
func in(pe int, kind engine.Kind, seq uint64, site string) engine.Progress {
	return engine.Progress{PE: pe, State: engine.Running, Call: engine.Call{Kind: kind, Seq: seq}, Active: true, Site: site}
}

func past(pe int, kind engine.Kind, seq uint64, site string) engine.Progress {
	p := in(pe, kind, seq, site)
	p.Active = false
	return p
}

// ended is a PE that will not come back.
func ended(p engine.Progress, state engine.State, reason string) engine.Progress {
	p.State, p.Reason = state, reason
	return p
}

// on says which process a PE is.
func on(p engine.Progress, host string, pid int) engine.Progress {
	p.Host, p.Pid = host, pid
	return p
}

// TestStallTexts holds the sentences that users read.
func TestStallTexts(t *testing.T) {
	type list = []engine.Progress
	died := on(ended(past(2, engine.KindAlloc, 7, "ring.go:31"), engine.Dead, "died with SIGKILL"), "nodeB", 4711)
	failed := ended(in(1, engine.KindBarrier, 3, ""), engine.Failed, "failed: out of ideas")
	lateDeath := on(ended(past(3, engine.KindAlloc, 7, ""), engine.Dead, "exited with status 1 without finalize"), "nodeB", 4712)
	lateDeath.Order = 1
	for want, s := range map[string]engine.Stall{
		"PE 2 (host nodeB, pid 4711) died with SIGKILL; it was last in alloc #7 (ring.go:31); PEs 0, 1, 3 are in barrier #12": {
			Cause: engine.ErrDied,
			PEs:   list{in(0, engine.KindBarrier, 12, ""), in(1, engine.KindBarrier, 12, ""), died, in(3, engine.KindBarrier, 12, "")},
		},
		"PE 1 failed: out of ideas; it was last in barrier #3; PE 0 is past barrier #3; PE 2 is in wait #1 (main.go:8)": {
			Cause: engine.ErrFailed,
			PEs:   list{past(0, engine.KindBarrier, 3, ""), failed, in(2, engine.KindWait, 1, "main.go:8")},
		},
		"PE 2 (host nodeB, pid 4711) died with SIGKILL; it was last in alloc #7 (ring.go:31); PE 1 is gone as well: failed: out of ideas; PE 3 is gone as well: exited with status 1 without finalize": {
			Cause: engine.ErrDied,
			PEs:   list{failed, lateDeath, died},
		},
		"timed out after 5m0s; PEs 0, 1 are in barrier #12 (ring.go:40); PE 2 is absent: in no call since alloc #7 (ring.go:31); PE 3 is absent: not started": {
			Cause: engine.ErrTimeout, After: 5 * time.Minute, Absent: []int{2, 3},
			PEs: list{in(0, engine.KindBarrier, 12, "ring.go:40"), in(1, engine.KindBarrier, 12, "ring.go:40"), past(2, engine.KindAlloc, 7, "ring.go:31"), {PE: 3}},
		},
		"timed out after 12ms; PEs 0-4, 6 are in sync #1; PE 5 is absent: in no call yet": {
			Cause: engine.ErrTimeout, After: 12300 * time.Microsecond, Absent: []int{5},
			PEs: list{in(0, engine.KindSync, 1, ""), in(1, engine.KindSync, 1, ""), in(2, engine.KindSync, 1, ""), in(3, engine.KindSync, 1, ""), in(4, engine.KindSync, 1, ""), {PE: 5, State: engine.Running}, in(6, engine.KindSync, 1, "")},
		},
		"context canceled after 1s; PE 0 is in wait #4; PE 1 is finalized": {
			Cause: context.Canceled, After: time.Second,
			PEs: list{in(0, engine.KindWait, 4, ""), ended(past(1, engine.KindFinalize, 1, ""), engine.Finalized, "")},
		},
		"PE 1 is in alloc #2 where this PE is in barrier #5; PE 0 is in barrier #5; PE 1 is in alloc #2 (ring.go:31)": {
			Cause: engine.ErrMismatch, Detail: "PE 1 is in alloc #2 where this PE is in barrier #5",
			PEs: list{in(0, engine.KindBarrier, 5, ""), in(1, engine.KindAlloc, 2, "ring.go:31")},
		},
		"PE 0 has a heap of 1 bytes":                 {Cause: engine.ErrMismatch, Detail: "PE 0 has a heap of 1 bytes"},
		"PE 0 died; it was in no call yet":           {Cause: engine.ErrDied, PEs: list{ended(engine.Progress{}, engine.Dead, "died")}},
		"PE 0 died; which call it was in is unknown": {Cause: engine.ErrDied, PEs: list{ended(engine.Progress{Untold: true}, engine.Dead, "died")}},
		"PEs disagree":                               {Cause: engine.ErrMismatch},
		"timed out; PE 0 is in free #3 of team 9": {Cause: engine.ErrTimeout,
			PEs: list{{State: engine.Running, Active: true, Call: engine.Call{Kind: engine.KindFree, Slot: 9, Seq: 3}}}},
	} {
		if got := s.Error(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestStallIs: a stall is its cause, and a time-out of any origin is a deadline exceeded.
func TestStallIs(t *testing.T) {
	for _, cause := range []error{engine.ErrTimeout, engine.ErrDied, engine.ErrFailed, engine.ErrMismatch, context.Canceled} {
		err := error(&engine.Stall{Cause: cause})
		for _, other := range []error{engine.ErrTimeout, engine.ErrDied, engine.ErrFailed, engine.ErrMismatch, context.Canceled} {
			if errors.Is(err, other) != (cause == other) {
				t.Errorf("a stall for %v is %v: %v", cause, other, errors.Is(err, other))
			}
		}
		if got := errors.Is(err, context.DeadlineExceeded); got != (cause == engine.ErrTimeout) {
			t.Errorf("a stall for %v is a deadline exceeded: %v", cause, got)
		}
	}
}

// TestRanges writes lists of PEs as short as they can be read.
func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{
		"":                         nil,
		"0":                        {0},
		"0, 1":                     {0, 1},
		"0-2":                      {0, 1, 2},
		"0-2, 5, 7":                {0, 1, 2, 5, 7},
		"0, 1, 3":                  {0, 1, 3},
		"0, 2, 4":                  {0, 2, 4},
		"1, 2, 4, 5":               {1, 2, 4, 5},
		"3-1023":                   numbers(3, 1023),
		"0, 1, 3-5, 7, 8, 10-4095": append(append([]int{0, 1, 3, 4, 5, 7, 8}, numbers(10, 100)...), numbers(101, 4095)...),
	} {
		if got := engine.Ranges(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func numbers(from, to int) []int {
	var list []int
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}

// TestPEs: one is, many are.
func TestPEs(t *testing.T) {
	for want, list := range map[string][]int{
		"PE 2 is":         {2},
		"PEs 0, 1 are":    {0, 1},
		"PEs 0-2, 5 are":  {0, 1, 2, 5},
		"PEs 0, 1, 3 are": {0, 1, 3},
	} {
		if got := engine.PEs(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStallLarge: a thousand PEs in two places still make a short sentence.
func TestStallLarge(t *testing.T) {
	s := engine.Stall{Cause: engine.ErrTimeout, After: time.Second, Absent: []int{500}}
	for pe := range 1024 {
		s.PEs = append(s.PEs, in(pe, engine.KindBarrier, 1, ""))
	}
	s.PEs[500].Active = false
	if got, want := s.Error(), "timed out after 1s; PEs 0-499, 501-1023 are in barrier #1; PE 500 is absent: in no call since barrier #1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.Contains(s.Error(), "\n") {
		t.Error("an error has several lines")
	}
}
