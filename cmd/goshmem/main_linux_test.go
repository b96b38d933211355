package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch/launcher"
)

// program is this command, built once for all tests.
var program string

func TestMain(m *testing.M) {
	code := 1
	err := launcher.InScratch(func(dir string) (err error) {
		if program, err = launcher.Build(context.Background(), dir, "."); err == nil {
			code = m.Run()
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// command returns a call of the program whose temporary folder must be empty at
// the end of the test.
func command(t *testing.T, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	tmp := t.TempDir()
	t.Cleanup(func() { mustBeEmpty(t, tmp) })
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd = exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

func mustBeEmpty(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
	if left, err := filepath.Glob("/dev/shm/*goshmem*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// call runs the program to its end.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd, out, errs := command(t, args...)
	return statusOf(t, cmd.Run()), out.String(), errs.String()
}

func statusOf(t *testing.T, err error) int {
	t.Helper()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		return ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestWithoutArguments(t *testing.T) {
	status, stdout, stderr := call(t)
	if status != 0 || stderr != "" || strings.Count(stdout, "\n") > 30 {
		t.Errorf("status %d, %d lines, stderr %q", status, strings.Count(stdout, "\n"), stderr)
	}
	contains(t, stdout, "goshmem run -n 4 ./examples/ring", "goshmem test", "goshmem info")
}

func TestVersion(t *testing.T) {
	status, stdout, stderr := call(t, "--version")
	if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "goshmem "+info.Version) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestMistakesInTheEnvironment(t *testing.T) {
	t.Setenv("GOSHMEM_HEAP_SIZE", "3")
	for _, args := range []string{"run -np 2 true", "test -np 2 ./testdata/suite"} {
		status, stdout, stderr := call(t, strings.Fields(args)...)
		if status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
		contains(t, stderr, `GOSHMEM_HEAP_SIZE="3" is not a heap: 3 bytes per PE`)
	}
}

// Every mistake has one clear message, its own status, and no page of usage.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"nonsense", 2, `unknown command "nonsense"`},
		{"runn -n 2 ls", 2, `unknown command "runn", did you mean run? (goshmem --help tells more)`},
		{"tset", 2, `unknown command "tset", did you mean test?`},
		{"--nonsense", 2, "unknown flag: --nonsense"},
		{"help bogus", 2, `unknown command "bogus"`},
		{"help tset", 2, "did you mean test?"},
		{"help doctor bogus", 2, `unknown command "doctor bogus"`},
		{"run", 2, "no program given"},
		{"run --env GOSHMEM_CHECK=on true", 2, `GOSHMEM_CHECK="on" is neither 0 nor 1`},
		{"run --env GOSHMEM_NODE_SIZE=0 true", 2, `GOSHMEM_NODE_SIZE="0" is not a number of PEs`},
		{"run --env GOSHMEM_TIMEOUT=abc true", 2, `GOSHMEM_TIMEOUT="abc" is not a positive duration`},
		{"run -n 2 --dry-run --env GOSHMEM_ENGINE=warp true", 2, `GOSHMEM_ENGINE="warp" is not an engine: there is `},
		{"run --dry-run ./no-such-program", 127, "no such file"},
		{"run --dry-run ./testdata/notests", 1, "is not a program"},
		{"test -race ./testdata/suite", 2, "go after --, such as -- -test.count=2; GOFLAGS=-race builds"},
		{"test -count 2 ./testdata/suite", 2, "go after --"},
		{"run -n 0 true", 2, "number of processes is 0: at least 1"},
		{"run -n -1 true", 2, "number of processes is -1: at least 1"},
		{"run -n 10000 true", 2, "at most 1024 processes"},
		{"run -n 10000 ./testdata/broken", 2, "at most 1024 processes"},
		{"run -n many true", 2, `invalid argument "many"`},
		{"run --no-such-flag true", 2, "--no-such-flag"},
		{"run --nnodes 0 true", 2, "--nnodes 0: a job runs on at least 1 machine"},
		{"run --nnodes -3 --node-rank 0 true", 2, "--nnodes -3: a job runs on at least 1 machine"},
		{"run --grace -1s true", 2, "--grace -1s is negative"},
		{"run --bind socket true", 2, `unknown binding "socket"`},
		{"run --env RANK=1 true", 2, "RANK: the launcher sets"},
		{"run --env GOSHMEM_HEEP=1 true", 2, "unknown variable GOSHMEM_HEEP"},
		{"run -n 2 ./no-such-program", 127, "no such file"},
		{"run -n 2 no-such-program", 127, "not found"},
		{"run -n 2 ./testdata/hello/../../main_linux_test.go/x", 1, "not a directory"},
		{"run -n 2 ./testdata/broken", 1, "undefined: missingFunction"},
		{"run -n 2 ./testdata/notests", 1, "is not a program"},
		{"test -n 0 ./testdata/suite", 2, "at least 1"},
		{"test -n x ./testdata/suite", 2, "invalid argument"},
		{"test --timeout 0 ./testdata/suite", 2, "must be positive"},
		{"test ./testdata/suite -- -test.v", 2, "-test.v goes to no rank: --verbose shows"},
		{"test ./testdata/suite -- -test.count=1 --test.list=.", 2, "-test.list goes to no rank: it runs no test"},
		{"test ./no/such/package", 1, "no/such/package"},
	} {
		status, stdout, stderr := call(t, strings.Fields(c.args)...)
		if status != c.status || stdout != "" || strings.Contains(stderr, "Usage:") || !strings.HasPrefix(stderr, "goshmem: ") {
			t.Errorf("%s: status %d, want %d; stdout %q, stderr %q", c.args, status, c.status, stdout, stderr)
		}
		contains(t, stderr, c.want)
	}
}
