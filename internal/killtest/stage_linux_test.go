package killtest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/shmem"
)

// stage is a world in which one PE is about to leave.
type stage struct {
	w      *shmem.World
	victim int
	whole  *shmem.Team // of all PEs
	rest   *shmem.Team // of all PEs but the victim
	sig    shmem.Signal
	word   shmem.Array[int64]
	there  shmem.Array[int64] // on the victim: who is about to wait
	moment shmem.Array[int64] // when the victim leaves; 0: it has not
	left   *int64             // the own moment, which outlives the world
}

// newStage makes a world.
func newStage(o shmem.Options, victim int) *stage {
	ctx := context.Background()
	o.HeapSize = 1 << 20
	w := must(shmem.Init(ctx, o))
	n := w.NPEs()
	s := &stage{w: w, victim: victim}
	s.sig = must(shmem.AllocSignal(ctx, w))
	s.word = must(shmem.Alloc[int64](ctx, w, 1))
	s.there = must(shmem.Alloc[int64](ctx, w, n))
	s.moment = must(shmem.Alloc[int64](ctx, w, 1))
	s.left = &must(s.moment.Local())[0]
	return s
}

// split makes the teams. The victim is the first or the last PE, so that the others
// are a strided team.
func (s *stage) split() *stage {
	first := 0
	if s.victim == 0 {
		first = 1
	}
	n := s.w.NPEs()
	s.whole = must(s.w.Team().SplitStrided(context.Background(), 0, 1, n, shmem.TeamConfig{}))
	s.rest = must(s.w.Team().SplitStrided(context.Background(), first, 1, n-1, shmem.TeamConfig{}))
	return s
}

// announce tells the victim that this PE is about to wait.
func (s *stage) announce() {
	if err := s.there.P(s.w.MyPE(), 1, s.victim); err != nil {
		quit(err)
	}
}

// audience returns when all others are about to wait. It calls nothing that waits:
// the board of the victim is to show its last alloc.
func (s *stage) audience() {
	for pe := range s.w.NPEs() {
		for pe != s.victim && must(s.there.At(pe)) == 0 {
			runtime.Gosched()
		}
	}
}

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
