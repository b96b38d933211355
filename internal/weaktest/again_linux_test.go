package weaktest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
)

// TestMainTellsSeed: a program that goes right otherwise fails in weak mode, and says how
// to see that again; what it says does it.
func TestMainTellsSeed(t *testing.T) {
	program := jobtest.Build(t, "./testdata/late")
	t.Setenv(env.Weak, "")
	jobtest.Run(t, 2, program)
	t.Setenv(env.Weak, "3")
	res := jobtest.Fail(t, 2, program)
	if said := strings.Join(res.Ranks[res.First].Stderr, "\n"); !strings.Contains(said, "weak mode, seed 3: to see this again run the same with GOSHMEM_WEAK=3") {
		t.Errorf("PE %d said %q", res.First, said)
	}
	out, err := exec.Command(program).CombinedOutput()
	_, command, told := strings.Cut(strings.TrimSpace(string(out)), "weak mode, seed 3: to see this again run ")
	if err == nil || !told {
		t.Fatalf("alone: %v\n%s", err, out)
	}
	if err := os.Unsetenv(env.Weak); err != nil {
		t.Fatal(err)
	}
	again, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err == nil || string(again) != string(out) {
		t.Errorf("%s: %v\n%s\nat first it was\n%s", command, err, again, out)
	}
}

// TestProcesses: what is missing shows between processes with the seeds with which it does
// between goroutines: a quiet that delivers the flag first pauses for so long that the other sees it.
func TestProcesses(t *testing.T) {
	program := jobtest.Build(t, "./testdata/overtaken")
	t.Setenv(env.Weak, "")
	jobtest.Run(t, 2, program)
	for _, seed := range []int{4, 17, 20, 25, 40, 42, 59} {
		_, err := launcher.Run(t.Context(), launcher.Spec{N: 2, Argv: []string{program}, Env: []string{fmt.Sprintf("%s=%d", env.Weak, seed)}})
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
			return
		}
	}
	t.Error("none of the seeds shows it")
}
