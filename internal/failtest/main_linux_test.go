package failtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

// roleVar makes this binary something else than a test: a process of a row, or a
// launcher that another process looks after.
const roleVar = "FAILTEST_ROLE"

const (
	asRank     = "rank"
	asLauncher = "launcher"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case asRank:
		find(os.Args[1]).play()
	case asLauncher:
		os.Exit(conduct(find(os.Args[1])))
	default:
		os.Exit(m.Run())
	}
}

// play is the life of one process of a row.
func (r row) play() {
	if r.program != nil {
		r.program()
		return
	}
	shmem.MainWith(r.options, r.pe)
}

// limit is when a job counts as hung. No row waits nearly as long.
const limit = 60 * time.Second

// spec is a job of this row's processes, whose output goes to out.
func (r row) spec(out io.Writer, extra ...string) launcher.Spec {
	return launcher.Spec{
		N: r.size(), Argv: []string{"/proc/self/exe", r.fault},
		Env:    slices.Concat([]string{roleVar + "=" + asRank, jobtest.Mark()}, r.env, extra),
		Stdout: out, Stderr: out, Timeout: limit, Settle: limit / 2,
	}
}

// conduct is `goshmem run` for a row, and returns its exit status.
func conduct(r row) int {
	s := r.spec(os.Stderr)
	s.Signals = launcher.StopSignals()
	result, err := launcher.Run(context.Background(), s)
	if err != nil {
		fmt.Fprint(os.Stderr, "goshmem: "+result.Report())
	}
	return statusOf(err)
}

// launched runs the row as a job of this process.
func launched(t *testing.T, r row, change func(*launcher.Spec)) end {
	t.Helper()
	var out output
	temp := t.TempDir()
	s := r.spec(&out, "TMPDIR="+temp)
	if change != nil {
		change(&s)
	}
	result, err := launcher.Run(t.Context(), s)
	for _, x := range result.Ranks {
		if !r.stops && (x.Termed || x.Killed) {
			t.Errorf("rank %d did not end by itself", x.Rank)
		}
	}
	if files, dirErr := os.ReadDir(temp); dirErr != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v %v", files, dirErr)
	}
	if err != nil {
		fmt.Fprint(&out, "goshmem: "+result.Report())
	}
	return end{statusOf(err), out.lines()}
}

// statusOf is the exit status of a command that ran a job.
func statusOf(err error) int {
	var known *launcher.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &known):
		return known.Code
	}
	return 1
}

// output collects what the processes of a job write.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends p. It never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) lines() []string { return strings.Split(strings.TrimSpace(o.String()), "\n") }

// plain makes the lines of two runs alike, and of two machines.
func plain(line string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	short, _, _ := strings.Cut(host, ".")
	for _, r := range []struct{ from, to string }{
		{`^\[` + regexp.QuoteMeta(short) + ` (\d+)\]`, `[HOST $1]`},
		{`host ` + regexp.QuoteMeta(host) + `,`, `host HOST,`},
		{`host ` + regexp.QuoteMeta(short) + `,`, `host HOST,`},
		{`\(` + regexp.QuoteMeta(host) + `\)`, `(HOST)`},
		{`pid \d+`, `pid PID`},
		{`[\w./]*\w+\.go:\d+(:\d+)?`, `FILE:LINE`},
		{`after \d[\d.msµn]*`, `after TIME`},
		{`127\.0\.0\.1:\d+`, `127.0.0.1:PORT`},
		{`@goshmem-[0-9a-f]+(\.\d+)?`, `@goshmem-NAME`},
		{`PE 1 is in (\w+ #\d+) where PE 0 is in (\w+ #\d+)`, `PE 0 is in $2 where PE 1 is in $1`}, // as who looks first says
	} {
		line = regexp.MustCompile(r.from).ReplaceAllString(line, r.to)
	}
	return strings.TrimRight(line, " ")
}
