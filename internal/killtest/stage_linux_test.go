package killtest_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// stamp writes into everybody's memory that the victim leaves now.
func (s *stage) stamp() {
	for pe := range s.w.NPEs() {
		if err := s.moment.P(0, now(), pe); err != nil {
			quit(err)
		}
	}
}

// now is a clock that all processes share.
func now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		quit(err)
	}
	return ts.Nano()
}

// report prints what a PE learned: how long after the event, which kind of error,
// and its text.
func (s *stage) report(err error) {
	after := time.Duration(-1)
	if at := atomic.LoadInt64(s.left); at != 0 {
		after = time.Duration(now() - at)
	}
	fmt.Printf("after %v\nkind %s\nerror %v\n", after, kind(err), err)
}

// conclude reports and ends the process.
func (s *stage) conclude(err error) {
	s.report(err)
	if err != nil {
		os.Exit(1)
	}
}

// kill ends this process as nothing else can.
func kill(sig unix.Signal) {
	if err := unix.Kill(os.Getpid(), sig); err != nil {
		quit(err)
	}
	select {} // the signal may arrive at another thread a moment later
}
