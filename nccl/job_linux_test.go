package nccl_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/nccl"
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

// killsItself is set in the ranks of TestKilledRank.
const killsItself = "NCCL_TEST_KILL"

// TestKilledRank: when a process dies in the middle of a collective, the others are told
// whose it was. On the host library, that is; NCCL finds out only over a network.
func TestKilledRank(t *testing.T) {
	if os.Getenv(killsItself) != "" {
		dyingRank(t)
		return
	}
	if launched(t) {
		return
	}
	_, text := job(t, 2, "TestKilledRank", killsItself+"=1", "GOSHMEM_NCCL=host")
	if !strings.Contains(text, "told: nccl: synchronize: rank 0 of 2 on host:0") || !strings.Contains(text, "rank 1") || !strings.Contains(text, "SIGKILL") {
		t.Errorf("the ranks write:\n%s", text)
	}
}

// dyingRank is one of two, the second of which kills itself.
func dyingRank(t *testing.T) {
	c, err := nccl.Init(t.Context(), nccl.Options{Timeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	if c.Rank() == 1 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	x := []int32{1}
	if err := nccl.AllReduce(c, nccl.Host(x), nccl.Host(x), nccl.Sum, nil); err != nil {
		t.Log("told:", err)
		return
	}
	if err := c.Synchronize(t.Context(), nil); !errors.Is(err, nccl.ErrRemote) {
		t.Errorf("%v", err)
	} else {
		t.Log("told:", err)
	}
}

// TestHundred has a hundred communicators at once.
func TestHundred(t *testing.T) {
	if launched(t) {
		return
	}
	d := platform(t, "host")[:1]
	var list []*nccl.Comm
	for range 100 {
		comms, err := nccl.InitAll(t.Context(), d, options("host"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, comms[0])
	}
	x := []int32{1}
	for _, c := range list {
		err := nccl.AllReduce(c, nccl.Host(x), nccl.Host(x), nccl.Sum, nil)
		if err := errors.Join(err, c.Synchronize(t.Context(), nil), c.Close()); err != nil || x[0] != 1 {
			t.Fatal(x, err)
		}
	}
}
