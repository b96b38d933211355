package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runWith runs s and calls during when all ranks have said that they are ready.
func runWith(t *testing.T, s Spec, out *lockedBuffer, during func()) (Result, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		out.await(t, "ready\n", s.N)
		during()
	}()
	return Run(ctx, s)
}

func TestSignalForwarded(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		s, out, _ := spec("wait", 3)
		signals := make(chan os.Signal, 1)
		s.Signals, s.Grace = signals, time.Hour
		res, err := runWith(t, s, out, func() { signals <- sig })
		mustCode(t, err, 128+int(sig))
		if !errors.Is(err, ErrStopped) || res.First != -1 {
			t.Errorf("error %v, first %d", err, res.First)
		}
		for _, r := range res.Ranks {
			if r.Code == 0 || r.Killed {
				t.Errorf("after %v: %+v", sig, r)
			}
		}
	}
}

func TestSignalThenGraceThenKill(t *testing.T) {
	s, out, _ := spec("waitdeaf", 2)
	signals := make(chan os.Signal, 1)
	s.Signals, s.Grace = signals, 20*time.Millisecond
	res, err := runWith(t, s, out, func() { signals <- unix.SIGTERM })
	mustCode(t, err, 128+15)
	if !strings.Contains(res.Report(), "needed SIGKILL: ranks 0-1\n") {
		t.Errorf("report:\n%s", res.Report())
	}
}

func TestSecondInterruptKills(t *testing.T) {
	s, out, _ := spec("waitdeaf", 2)
	signals := make(chan os.Signal, 2)
	s.Signals, s.Grace = signals, time.Hour
	res, err := runWith(t, s, out, func() { signals <- unix.SIGINT; signals <- unix.SIGINT })
	mustCode(t, err, 128+2)
	if !res.Ranks[0].Killed || !res.Ranks[1].Killed {
		t.Errorf("%+v", res.Ranks)
	}
}

// A signal that lands while ranks are forked reaches those that exist and
// prevents the others.
func TestSignalDuringStart(t *testing.T) {
	for round := range 5 {
		s, out, _ := spec("wait", 24)
		mark := fmt.Sprintf("LAUNCHER_TEST_MARK=%d-%d", os.Getpid(), round)
		s.Env = append(s.Env, mark)
		signals := make(chan os.Signal, 1)
		s.Signals, s.Grace = signals, time.Hour
		if round > 0 {
			go func() { out.await(t, "ready", round); signals <- unix.SIGTERM }()
		} else {
			signals <- unix.SIGTERM
		}
		_, err := Run(t.Context(), s)
		mustCode(t, err, 128+15)
		if left := having(t, mark); len(left) > 0 {
			t.Errorf("processes %v escaped", left)
		}
	}
}

// having returns the processes that have an entry in their environment.
func having(t *testing.T, entry string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), entry) {
			found = append(found, f)
		}
	}
	return found
}

func TestContextEnds(t *testing.T) {
	s, out, _ := spec("wait", 2)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	go func() { out.await(t, "ready", 2); cancel(why) }()
	res, err := Run(ctx, s)
	mustCode(t, err, 1)
	if !errors.Is(err, why) || !errors.Is(err, ErrStopped) || !res.Ranks[0].Termed {
		t.Errorf("error %v, %+v", err, res.Ranks)
	}
}

func TestTimeout(t *testing.T) {
	s, _, _ := spec("wait", 2)
	s.Timeout = 50 * time.Millisecond
	_, err := Run(t.Context(), s)
	mustCode(t, err, StatusTimeout)
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("error %v", err)
	}
}
