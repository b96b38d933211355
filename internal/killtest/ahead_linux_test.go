package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/shmem"
)

// aheadBy is how many broadcasts a root can be ahead of the others without waiting.
const aheadBy = 7

// aheadProgram has PE 0 broadcast as often as it can while nobody has come, and die.
func aheadProgram([]string) {
	ctx := context.Background()
	s := newStage(must(shmem.Init(ctx, shmem.Options{HeapSize: 1 << 20})), 0, false)
	if s.w.MyPE() == s.victim {
		s.audience()
		for round := range int64(aheadBy) {
			if err := errors.Join(s.word.Fill(round+1), shmem.Broadcast(ctx, s.w.Team(), s.word, s.word, 0)); err != nil {
				quit(err)
			}
		}
		s.stamp()
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond) // the others are somewhere in what is left
		kill(unix.SIGKILL)
	}
	s.announce()
	for atomic.LoadInt64(s.left) == 0 {
		runtime.Gosched()
	}
	s.conclude(followers(ctx, s))
}

// followers takes what the root has left, until there is an error.
func followers(ctx context.Context, s *stage) error {
	for round := int64(1); ; round++ {
		if err := shmem.Broadcast(ctx, s.w.Team(), s.word, s.word, 0); err != nil {
			return err
		}
		if got := must(s.word.At(s.w.NPEs() - 1)); got != round || round > aheadBy {
			quit(fmt.Errorf("broadcast %d brought %d", round, got))
		}
	}
}

// TestDeathOfOneAhead: what a root has broadcast before its death may still arrive, nothing
// else does, and the error says how far it was.
func TestDeathOfOneAhead(t *testing.T) {
	for range 4 * *deathRounds {
		j := run(t, 4, "ahead")
		for r := 1; r < 4; r++ {
			text := j.line(r, "error")
			if j.line(r, "kind") != "died" || !strings.Contains(text, fmt.Sprintf("died with SIGKILL; it was last in broadcast #%d", aheadBy)) {
				t.Errorf("rank %d: %s\n%s", r, text, j.text())
			}
		}
	}
}
