package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
)

func TestParseStat(t *testing.T) {
	line := "12 (a (b) c) S 7 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 2"
	p, err := parseStat(12, line)
	if err != nil || p.parent != 7 || p.name != "a (b) c" || p.String() != "12@98765" {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, bad := range []string{"", "12", "12 (a", "12 (a) S 7", strings.Replace(line, " 7 1", " x 1", 1)} {
		if p, err := parseStat(12, bad); err == nil {
			t.Errorf("%q: got %+v", bad, p)
		}
	}
}

// TestHydraRank is not a test but a rank of TestHydraJob, when that starts it.
func TestHydraRank(t *testing.T) {
	if os.Getenv("PMI_RANK") == "" || os.Getenv(env.TestCall) != "hydra" {
		return
	}
	j, err := Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Join(testContext(t), j)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Barrier(testContext(t)); err != nil {
		t.Error(err)
	}
	fmt.Printf("%s rank %d of %d\n", j.Family, j.Rank, j.Size)
}

// TestHydraJob runs real processes below something that looks like hydra, each
// with a shell of its own in between: they have no parent in common.
func TestHydraJob(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	proxy := filepath.Join(t.TempDir(), hydraProxy)
	script := `#!/bin/sh
for r in 0 1 2; do
	sh -c "PMI_RANK=$r MPI_LOCALRANKID=$r '$1' -test.run=^TestHydraRank\$ -test.v; :" &
done
wait
`
	if err := os.WriteFile(proxy, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(testContext(t), proxy, self)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PMI_SIZE=3", "MPI_LOCALNRANKS=3", env.TestCall + "=hydra"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	for r := range 3 {
		if want := fmt.Sprintf("mpich rank %d of 3", r); !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
