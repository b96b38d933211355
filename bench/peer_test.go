package bench

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/internal/skip"
)

func TestOSHMEMThatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := OSHMEM(t.Context(), t.TempDir())
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install openmpi-bin") || !strings.Contains(err.Error(), "oshcc") {
		t.Errorf("error %v, want what is missing and how to get it", err)
	}
	_, err = Collectives(t.Context(), t.TempDir())
	for _, want := range []string{"oshcc", "mpicc.openmpi", "mpicc.mpich", "apt-get install mpich libmpich-dev gcc"} {
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestLaunch(t *testing.T) {
	l, h := openMPI("/usr/bin/oshrun", "/x/oshmem"), withHydra("/usr/bin/mpiexec.hydra", "/x/mpi")
	for want, cmd := range map[string]*exec.Cmd{
		"/usr/bin/oshrun --bind-to none -np 2 /x/oshmem /x/socket 0 3":             l(t.Context(), "/x/socket", 2, []int{0, 3}),
		"/usr/bin/oshrun --bind-to none -np 8 --oversubscribe /x/oshmem /x/socket": l(t.Context(), "/x/socket", 8, nil),
		"/usr/bin/mpiexec.hydra -bind-to none -n 2 /x/mpi /x/socket 0 1":           h(t.Context(), "/x/socket", 2, []int{0, 1}),
	} {
		if got := strings.Join(cmd.Args, " "); got != want {
			t.Errorf("command %s\nwant    %s", got, want)
		}
	}
}

// The parsers in C and in Go must accept the same lines, and read the same from them.
func TestOrderInC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no C compiler in PATH")
	}
	program := filepath.Join(t.TempDir(), "parse")
	if text, err := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-Ipeers", "-o", program, "peers/testdata/parse.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	lines := []string{
		"put 8 8 1000 1", "get 64 67108864 1 999999999999999999", "barrier_all 8 8 1 12", "  p  8  8 1\t5 ",
		"put 8 8 1", "put 8 8 1 1 1", "put 8 8 1 x", "put 8 8 1 1x", "put 8 8 1 -1", "put 8 8 1 0", "put 8 8 0 1",
		"put 0 8 1 1", "put 12 24 1 1", "put 16 8 1 1", "put 16 40 1 1", "put 8 67108872 1 1",
		"a_very_long_name 8 8 1 1", "put 8 8 1 1234567890123456789", "put 8 8 1 " + strings.Repeat("0", 100) + "1", "put", "quit",
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines: %q", len(answers), len(lines), answers)
	}
	for i, line := range lines {
		o, err := perf.ParseOrder(line)
		want := strings.ReplaceAll(o.String(), " ", "|")
		if accepted := strings.Contains(answers[i], "|"); accepted != (err == nil) || accepted && answers[i] != want {
			t.Errorf("%q: C reads %q, Go reads %q, %v", line, answers[i], want, err)
		}
	}
}

// A real job must carry out every operation and find that it was done, and its
// crash at the end must not count.
func TestOSHMEM(t *testing.T) {
	dir := t.TempDir()
	peer, err := OSHMEM(t.Context(), dir)
	if errors.Is(err, ErrMissing) {
		skip.Now(t, skip.NoMPI, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, pes := range []int{2, 3} {
		got, err := perf.Try(t.Context(), dir, peer, pes, false)
		if err != nil {
			t.Errorf("%d PEs: %v", pes, err)
		}
		if version := "OpenSHMEM 1."; !strings.HasPrefix(got, version) {
			t.Errorf("%s PEs: it said %q, want %q", strconv.Itoa(pes), got, version)
		}
	}
}

// Each peer must carry out every collective, and find in all PEs what must have arrived.
func TestCollectives(t *testing.T) {
	dir := t.TempDir()
	peers, err := Collectives(t.Context(), dir)
	if errors.Is(err, ErrMissing) {
		skip.Now(t, skip.NoMPI, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"OpenSHMEM 1.", "Open MPI v", "MPICH Version:"} {
		for _, pes := range []int{2, 4} {
			if peers[i].Spins && pes > 2 {
				continue
			}
			got, err := perf.Try(t.Context(), dir, peers[i], pes, true)
			if err != nil || !strings.HasPrefix(got, want) {
				t.Errorf("%s with %d PEs: %v; it said %q, want %q", peers[i].Name, pes, err, got, want)
			}
		}
	}
}

// The C programs look at results: what is wrong anywhere is found.
func TestVectorsInC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no C compiler in PATH")
	}
	program := filepath.Join(t.TempDir(), "vectors")
	if text, err := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-Ipeers", "-o", program, "peers/testdata/vectors.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, err := exec.Command(program).Output()
	if want := "30 results are right, 30 are wrong\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}
