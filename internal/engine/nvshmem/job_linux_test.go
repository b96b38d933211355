package nvshmem

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmemtest"
)

// asJob runs tests of this program as a job of two processes over the mock.
func asJob(t *testing.T, tests string, env ...string) (string, error) {
	t.Helper()
	var out shmemtest.Output
	_, err := launcher.Run(t.Context(), launcher.Spec{
		N: 2, Argv: []string{os.Args[0], "-test.run=" + tests, "-test.v"},
		Env:    append(env, mockPath+"="+mockLibrary(t), "TMPDIR="+folder),
		Merge:  true,
		Output: func(int) (stdout, stderr io.Writer) { return &out, &out },
	})
	return out.String(), err
}

// The tests of a world hold in a job of processes, with devices of their own and with one.
func TestJob(t *testing.T) {
	for devices, marks := range map[string]string{"2": "--- PASS: TestWorldReductions", "1": "--- PASS: TestWorldOnSharedGPU"} {
		out, err := asJob(t, "^TestWorld", mockDevices+"="+devices)
		if err != nil || strings.Count(out, marks) != 2 {
			t.Errorf("devices %s: %v\n%s", devices, err, out)
		}
	}
}

const dies = "TEST_NVSHMEM_DIES"

// TestDeath is what the PEs of a job do of which PE 1 dies in a barrier of streams, before
// a call of the library or in it.
func TestDeath(t *testing.T) {
	if member == nil {
		out, err := asJob(t, "^TestDeath$", dies+"=1")
		if err == nil || !strings.Contains(out, "--- PASS: TestDeath") || strings.Contains(out, "--- FAIL") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	p := world(t, 2, 2)
	m := p.heaps[0].device
	if member.Rank() == 1 {
		if err := unix.Kill(os.Getpid(), unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	s, err := m.driver.NewStream(m.dev, 0)
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
