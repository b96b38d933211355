package launcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

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

// withFifo lets the ranks of s meet.
func withFifo(t *testing.T, s *Spec) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Env = append(s.Env, fifoVar+"="+path)
}

// Survivors that end by themselves within Settle get no signal.
func TestSettle(t *testing.T) {
	s, _, _ := spec("failboth", 2)
	withFifo(t, &s)
	s.Settle = time.Minute
	res, err := Run(t.Context(), s)
	mustCode(t, err, 4)
	if r := res.Ranks[1]; r.Code != 5 || r.Termed || !strings.Contains(res.Report(), "also failed: rank 1") {
		t.Errorf("rank 1: %+v\n%s", r, res.Report())
	}
}

// A rank that ended well before the failure is in the report.
func TestEndedEarly(t *testing.T) {
	s, _, _ := spec("okthenfail", 2)
	withFifo(t, &s)
	var ended []int
	s.Ended = func(r RankResult) { ended = append(ended, r.Rank) }
	res, err := Run(t.Context(), s)
	mustCode(t, err, 5)
	if !res.Ranks[0].Early || res.Ranks[1].Early || !strings.Contains(res.Report(), "  ended with 0 before that: rank 0\n") {
		t.Errorf("%+v\n%s", res.Ranks, res.Report())
	}
	if !slices.Equal(ended, []int{0, 1}) {
		t.Errorf("told of the ends of ranks %v", ended)
	}
}

func TestFailureThenDeafRank(t *testing.T) {
	s, _, _ := spec("fail3deaf", 2)
	withFifo(t, &s)
	s.Settle, s.Grace = -1, 20*time.Millisecond
	res, err := Run(t.Context(), s)
	mustCode(t, err, 3)
	if r := res.Ranks[0]; !r.Termed || !r.Killed || r.Signal != "SIGKILL" {
		t.Errorf("rank 0: %+v", r)
	}
	if !strings.Contains(res.Report(), "needed SIGKILL: rank 0") {
		t.Errorf("report:\n%s", res.Report())
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"RANK", "GOSHMEM_RANK", "GOSHMEM_TOKEN", "MASTER_PORT", "GOSHMEM_TEST_CALL", "TORCHELASTIC_RUN_ID"} {
		t.Setenv(name, "outer")
	}
	s, out, _ := spec("env", 2)
	s.Prefix = func(r int) string { return strconv.Itoa(r) + ":" }
	s.Env = append(s.Env, "MINE=a=b", "HOME=/nowhere", "MASTER_ADDR=10.0.0.1")
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	have := strings.Split(out.String(), "\n")
	for _, want := range []string{"GOSHMEM_RANK=1", "GOSHMEM_SIZE=2", "GOSHMEM_LOCAL_RANK=1", "GOSHMEM_LOCAL_SIZE=2",
		"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=10.0.0.1", "MINE=a=b", "HOME=/nowhere"} {
		if !slices.Contains(have, "1:"+want) {
			t.Errorf("rank 1 lacks %s", want)
		}
	}
	for _, line := range have {
		if strings.Contains(line, "=outer") || strings.HasPrefix(line, "1:HOME=") && line != "1:HOME=/nowhere" {
			t.Errorf("inherited: %s", line)
		}
	}
	checkSecrets(t, have)
}

func checkSecrets(t *testing.T, lines []string) {
	t.Helper()
	values := map[string][]string{}
	for _, line := range lines {
		_, entry, _ := strings.Cut(line, ":")
		name, value, _ := strings.Cut(entry, "=")
		values[name] = append(values[name], value)
	}
	for name, length := range map[string]int{"GOSHMEM_TOKEN": 64, "GOSHMEM_RDZV": len("unix:@goshmem-") + 32, "MASTER_PORT": 0} {
		v := values[name]
		if len(v) != 2 || v[0] != v[1] || length > 0 && len(v[0]) != length {
			t.Errorf("%s: ranks have %q", name, v)
		}
	}
	if !strings.HasPrefix(values["GOSHMEM_RDZV"][0], "unix:@goshmem-") {
		t.Errorf("rendezvous %q", values["GOSHMEM_RDZV"])
	}
	if port, err := strconv.Atoi(values["MASTER_PORT"][0]); err != nil || port < 1 || port > 65535 {
		t.Errorf("port %q", values["MASTER_PORT"])
	}
}

func TestBindCores(t *testing.T) {
	s, out, _ := spec("status", 3)
	s.Bind = BindCores
	cores, err := s.Cores()
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for r, core := range cores {
		want := fmt.Sprintf("[%d] Cpus_allowed_list:\t%d\n", r, core)
		if core < 0 || res.Ranks[r].Core != core || !strings.Contains(out.String(), want) {
			t.Errorf("rank %d: core %d, result %d, and not %q", r, core, res.Ranks[r].Core, want)
		}
	}
	if free, err := availableCores(); err != nil || len(free) < min(2, len(slices.Compact(slices.Sorted(slices.Values(cores))))) {
		t.Errorf("this process has cores %v left, error %v", free, err)
	}
}

func TestCannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		program, want string
		code          int
	}{
		{"no-such-program-here", "not found", 127},
		{dir + "/missing", "no such file", 127},
		{write("plain", "x", 0o644), "permission denied", 126},
		{write("garbage", "\x00\x01", 0o755), "exec format error (it is no program for this machine, or a script without a #! line)", 126},
		{write("script", "#!/no/such/shell\n", 0o755), "no such file", 127},
		{dir, "a Go package starts with ./", 126},
	} {
		s, _, _ := spec("", 2)
		s.Argv = []string{c.program}
		res, err := Run(t.Context(), s)
		mustCode(t, err, c.code)
		if !strings.Contains(err.Error(), c.want) || len(res.Ranks) > 0 {
			t.Errorf("%s: %v, started %d", c.program, err, len(res.Ranks))
		}
	}
}
