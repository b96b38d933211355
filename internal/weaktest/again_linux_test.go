package weaktest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/jobtest"
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
