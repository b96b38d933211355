package killtest_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
)

// programs are what a process of this binary can be instead of a test.
func programs() map[string]func(args []string) {
	return map[string]func(args []string){
		"ahead":    aheadProgram,
		"die":      dieProgram,
		"busy":     busyProgram,
		"exchange": exchangeProgram,
		"fault":    faultProgram,
		"leave":    leaveProgram,
		"main":     mainProgram,
		"body":     bodyProgram,
		"storm":    stormProgram,
		"launch":   launchProgram,
		"hold":     holdProgram,
		"mpirun":   mpirunProgram,
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if p := programs()[os.Args[1]]; p != nil {
			p(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// job is how a launched program ended.
type job struct {
	launcher.Result
	outputs []*output // what each rank wrote, by rank
}

// hardLimit is when a job counts as hung. Nothing here waits nearly as long.
const hardLimit = 60 * time.Second

// run runs n ranks of a program. Ranks that do not end by themselves after a
// failure are an error of the test.
func run(t testing.TB, n int, argv ...string) job {
	t.Helper()
	j := start(t, launcher.Spec{N: n, Settle: hardLimit / 2}, argv...)
	for _, r := range j.Ranks {
		if r.Termed || r.Killed {
			t.Errorf("rank %d did not end by itself\n%s", r.Rank, j.text())
		}
	}
	return j
}

// start runs a job as s says.
func start(t testing.TB, s launcher.Spec, argv ...string) job {
	t.Helper()
	var j job
	for range s.N {
		j.outputs = append(j.outputs, &output{})
	}
	s.Env = append(s.Env, jobtest.Mark())
	s.Argv = append([]string{os.Args[0]}, argv...)
	s.Output = func(rank int) (io.Writer, io.Writer) { return j.outputs[rank], j.outputs[rank] }
	s.Merge, s.Timeout = true, hardLimit
	var err error
	if j.Result, err = launcher.Run(t.Context(), s); err != nil && len(j.Ranks) == 0 {
		t.Fatal(err)
	}
	if len(j.Ranks) != s.N {
		t.Fatalf("%d of %d ranks were started: %v", len(j.Ranks), s.N, err)
	}
	return j
}

// text is everything about a job that helps to understand a failure.
func (j job) text() string {
	var b strings.Builder
	for r, o := range j.outputs {
		fmt.Fprintf(&b, "--- rank %d: %v\n%s", r, j.Ranks[r], o)
	}
	return b.String()
}

// line is the first line of a rank's output that starts with a word; "" if there
// is none.
func (j job) line(rank int, word string) string {
	for line := range strings.Lines(j.outputs[rank].String()) {
		if rest, found := strings.CutPrefix(line, word+" "); found {
			return strings.TrimSuffix(rest, "\n")
		}
	}
	return ""
}

// output collects what a rank writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

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
