package launcher

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestHello(t *testing.T) {
	s, out, errs := spec("hello", 4)
	res, err := Run(t.Context(), s)
	if err != nil || res.First != -1 || res.Report() != "" {
		t.Fatalf("error %v, first %d, report %q", err, res.First, res.Report())
	}
	lines := strings.Fields(out.String())
	slices.Sort(lines)
	want := strings.Fields("0 1 2 3 [0] [1] [2] [3] hello hello hello hello")
	if !slices.Equal(lines, want) || errs.String() != "" {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
}

func TestDefaultPrefix(t *testing.T) {
	s, out, _ := spec("hello", 1)
	s.Prefix = nil
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(host, ".")
	if want := "[" + short + " 0] hello 0\n"; out.String() != want {
		t.Errorf("stdout %q, want %q", out, want)
	}
}

func TestExitCode(t *testing.T) {
	s, _, _ := spec("fail3", 3)
	s.Settle = -1
	res, err := Run(t.Context(), s)
	mustCode(t, err, 3)
	if res.First != 1 || res.Ranks[1].Code != 3 || res.Ranks[1].Signal != "" {
		t.Errorf("first %d: %+v", res.First, res.Ranks)
	}
	report := res.Report()
	for _, want := range []string{"rank 1 (host ", "failed first: exit status 3", "    line 3\n", "    line 11\n    the end\n", "stopped with SIGTERM: ranks 0, 2\n"} {
		if !strings.Contains(report, want) {
			t.Errorf("report lacks %q:\n%s", want, report)
		}
	}
	if strings.Contains(report, "line 2\n") {
		t.Errorf("report has more than 10 lines of stderr:\n%s", report)
	}
}

func TestKilledRank(t *testing.T) {
	s, _, _ := spec("kill", 4)
	s.Settle = -1
	res, err := Run(t.Context(), s)
	mustCode(t, err, 128+9)
	if r := res.Ranks[2]; res.First != 2 || r.Signal != "SIGKILL" || r.Killed {
		t.Errorf("first %d: %+v", res.First, r)
	}
	if !strings.Contains(err.Error(), "rank 2") || !strings.Contains(err.Error(), "killed by SIGKILL") {
		t.Errorf("error %v", err)
	}
}

// Survivors that end by themselves within Settle get no signal.
func TestSettle(t *testing.T) {
	s, _, _ := spec("failboth", 2)
	s.Settle = time.Minute
	res, err := Run(t.Context(), s)
	mustCode(t, err, 4)
	if r := res.Ranks[1]; r.Code != 5 || r.Termed || !strings.Contains(res.Report(), "also failed: rank 1") {
		t.Errorf("rank 1: %+v\n%s", r, res.Report())
	}
}

func TestIgnoresTerm(t *testing.T) {
	s, out, _ := spec("fail3deaf", 2)
	r, w := pipe(t)
	s.Stdin, s.Settle, s.Grace = r, -1, 50*time.Millisecond
	// Rank 0 has the pipe; rank 1 reads the null device and fails at once, maybe
	// before rank 0 is deaf: then SIGTERM is enough. So rank 0 starts alone.
	_ = w
	_ = out
	res, err := Run(t.Context(), s)
	mustCode(t, err, 3)
	if len(res.Ranks) != 2 {
		t.Fatal(res.Ranks)
	}
}
