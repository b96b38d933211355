package killtest_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

// stage is a world in which one PE is about to leave.
type stage struct {
	w      *shmem.World
	victim int
	whole  *shmem.Team // of all PEs
	rest   *shmem.Team // of all PEs but the victim
	sig    shmem.Signal
	lock   *shmem.Lock // that the victim holds
	word   shmem.Array[int64]
	two    shmem.Array[int64]
	there  shmem.Array[int64] // on the victim: who is about to wait
	moment shmem.Array[int64] // when the victim leaves; 0: it has not
	left   *int64             // the own moment, which outlives the world
}

// newStage prepares a world, with teams if they are wanted. For these the victim is
// the first or the last PE, so that the others are a strided team.
func newStage(w *shmem.World, victim int, teams bool) *stage {
	ctx, n := context.Background(), w.NPEs()
	s := &stage{w: w, victim: victim}
	s.lock = must(shmem.AllocLock(ctx, w))
	if w.MyPE() == victim {
		if err := s.lock.Set(ctx); err != nil {
			quit(err)
		}
	}
	s.sig = must(shmem.AllocSignal(ctx, w))
	s.word = must(shmem.Alloc[int64](ctx, w, n))
	s.two = must(s.word.Slice(0, 2))
	s.there = must(shmem.Alloc[int64](ctx, w, n))
	s.moment = must(shmem.Alloc[int64](ctx, w, 1))
	s.left = &must(s.moment.Local())[0]
	if teams {
		first := 0
		if victim == 0 {
			first = 1
		}
		s.whole = must(w.Team().SplitStrided(ctx, 0, 1, n, shmem.TeamConfig{}))
		s.rest = must(w.Team().SplitStrided(ctx, first, 1, n-1, shmem.TeamConfig{}))
	}
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

// quit ends a program that cannot do its part: this is a failure of the test, not
// of what it tests.
func quit(err error) {
	fmt.Println("broken", err)
	os.Exit(99)
}

// must is for what has to work before the test can begin.
func must[T any](v T, err error) T {
	if err != nil {
		quit(err)
	}
	return v
}

// sortedKeys makes runs alike.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
