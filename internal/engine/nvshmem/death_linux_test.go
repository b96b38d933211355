package nvshmem

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestDeath is what the PEs of a job do of which PE 1 dies in a barrier of streams, before
// a call of the library or in it.
func TestDeath(t *testing.T) {
	if member == nil { // TestJobWithADeath starts it
		return
	}
	p := world(t, 2, 2)
	m := p.heaps[0].device
	if member.Rank() == 1 {
		if err := unix.Kill(os.Getpid(), unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	s, err := m.GPU.NewStream(m.Dev, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = m.World().BarrierOn(s)
	if err == nil {
		err = m.finish(s)
	}
	if !errors.Is(err, engine.ErrDied) || !regexp.MustCompile(`PE 1 .*died`).MatchString(err.Error()) {
		t.Errorf("barrier: %v", err)
	}
	_, err = m.NewGroup(t.Context(), m.World(), 2, 0, 1, p.n)
	if !m.limited && (!errors.Is(err, engine.ErrDied) || m.Poisoned() == nil) {
		t.Errorf("split: %v, poisoned %v", err, m.Poisoned())
	}
}
