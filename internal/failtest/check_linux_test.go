package failtest_test

import (
	"context"
	"flag"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

var show = flag.Bool("show", false, "log what every row wrote")

// TestFailures runs every row that does something, as processes.
func TestFailures(t *testing.T) {
	for _, r := range rows() {
		if !r.runs() {
			continue
		}
		t.Run(r.fault, func(t *testing.T) {
			var e end
			if r.job != nil {
				e = r.job(t, r)
			} else {
				e = launched(t, r, nil)
			}
			if e.code != r.code {
				t.Errorf("exit status %d, want %d", e.code, r.code)
			}
			compare(t, e.lines, r.says)
			jobtest.NoLeftovers(t)
		})
	}
}

// compare wants every line of says among the lines that were written.
func compare(t *testing.T, written, says []string) {
	t.Helper()
	var all []string
	for _, line := range written {
		all = append(all, plain(line))
	}
	for _, line := range says {
		if !slices.ContainsFunc(all, like(line).MatchString) {
			t.Errorf("nobody says\n%s", line)
		}
	}
	if t.Failed() || *show {
		t.Logf("it said\n%s", strings.Join(all, "\n"))
	}
}

// like is a line in which … stands for anything.
func like(line string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$")
}

// TestFailuresGoroutines runs the rows that make sense there on goroutine PEs: the
// error of the world has the same lines, but for the places of processes.
func TestFailuresGoroutines(t *testing.T) {
	for _, r := range rows() {
		if !r.local {
			continue
		}
		t.Run(r.fault, func(t *testing.T) {
			for _, e := range r.env {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
			}
			ctx, cancel := context.WithCancel(t.Context()) // no deadline: that would replace GOSHMEM_TIMEOUT
			defer time.AfterFunc(limit, cancel).Stop()
			err := shmem.RunLocal(ctx, r.size(), r.options, r.pe)
			switch {
			case ctx.Err() != nil:
				t.Errorf("it took until the limit: %v", err)
			case r.code == 0 && err != nil:
				t.Error(err)
			case r.code != 0 && err == nil:
				t.Error("the world ended without an error")
			case err != nil:
				compare(t, strings.Split(err.Error(), "\n"), r.localLines())
			}
			noGoroutines(t)
		})
	}
}

// localLines are the lines of the world's error on goroutine PEs.
func (r row) localLines() []string {
	if r.localSays != nil {
		return r.localSays
	}
	prefix := regexp.MustCompile(`^\[HOST \d+\] (PE \d+: .*)$`)
	var lines []string
	for _, line := range r.says {
		if m := prefix.FindStringSubmatch(line); m != nil {
			lines = append(lines, strings.ReplaceAll(m[1], " (host HOST, pid PID)", ""))
		}
	}
	return lines
}

// noGoroutines wants no goroutine of a world to stay.
func noGoroutines(t *testing.T) {
	t.Helper()
	var left string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		buf := make([]byte, 1<<20)
		left = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(left, "goshmem/shmem.(") && !strings.Contains(left, "engine/host.(") {
			return
		}
	}
	t.Errorf("goroutines left behind:\n%s", left)
}
