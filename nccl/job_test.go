package nccl_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/launch/launcher"
)

// output collects what all ranks write.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// job starts this binary again, as n ranks that run a test.
func job(t *testing.T, n int, test string, env ...string) (*launcher.Result, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := &output{}
	result, err := launcher.Run(t.Context(), launcher.Spec{
		N: n, Argv: []string{self, "-test.run=^" + test + "$", "-test.count=1", "-test.timeout=5m", "-test.v"},
		Env:    append(env, callsFile+"="),
		Output: func(int) (stdout, stderr io.Writer) { return out, out }, Merge: true,
	})
	if err != nil && len(result.Ranks) == 0 {
		t.Fatal(err)
	}
	return &result, out.text.String()
}

// TestProcesses runs all checks with each rank a process: one for each GPU, or two that
// have none.
func TestProcesses(t *testing.T) {
	if launched(t) {
		return // TestRanks does that in this job
	}
	best, err := gpu.Best()
	if err != nil {
		t.Fatal(err)
	}
	n := 2
	if best.Platform() != "host" {
		n = len(platform(t, best.Platform()))
	}
	result, text := job(t, n, "TestRanks")
	if result.Err != nil {
		t.Fatalf("%s%s", result.Report(), text)
	}
	if got := strings.Count(text, "--- PASS: TestRanks "); got != n {
		t.Errorf("%d of %d ranks have run the checks:\n%s", got, n, text)
	}
}
