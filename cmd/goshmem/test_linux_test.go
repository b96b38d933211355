package main

import (
	"strings"
	"testing"
	"time"
)

func TestTestPasses(t *testing.T) {
	status, stdout, stderr := call(t, "test", "-n", "1,3", "./testdata/suite", "./testdata/notests")
	if status != 0 || stderr != "" || strings.Count(stdout, "\n") != 3 {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
	contains(t, stdout, "ok    github.com/goshmem/goshmem/cmd/goshmem/testdata/suite  n=1  6 passed, 0 failed, 1 skipped  (",
		"suite  n=3  6 passed, 0 failed, 1 skipped", "12 passed, 0 failed, 2 skipped, 14 in total\n")
}

func TestTestFailsOnOneRank(t *testing.T) {
	t.Setenv("SUITE", "fail")
	status, stdout, stderr := call(t, "test", "-n", "1,2", "-run", "On|Pass", "./testdata/suite")
	if status != 1 || stderr != "goshmem: 1 failed\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	contains(t, stdout, "--- FAIL: TestOnRank1 (n=2): failed on rank 1\n", "wrong on rank 1", "    [1] --- FAIL: TestOnRank1/part",
		"n=1  2 passed, 0 failed", "FAIL  ", "n=2  1 passed, 1 failed, 0 skipped", "\n3 passed, 1 failed, 0 skipped, 4 in total\n")
	if strings.Contains(stdout, "[0]") {
		t.Errorf("shows a rank that did not fail:\n%s", stdout)
	}
}

func TestTestRankDies(t *testing.T) {
	t.Setenv("SUITE", "die")
	status, stdout, _ := call(t, "test", "-n", "2", "./testdata/suite")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	contains(t, stdout, "--- FAIL: TestDies (n=2): not reported by rank 1 (killed by SIGKILL)\n    [1] about to die\n",
		"--- FAIL: TestLater (n=2): not reported by rank 1 (killed by SIGKILL)\n", "2 passed, 4 failed, 1 skipped, 7 in total\n")
}

// What a rank that died keeps the others from is counted, and does not cost the
// time limit.
func TestTestRankDiesAndOthersAreStuck(t *testing.T) {
	t.Setenv("SUITE", "stuck")
	begin := time.Now()
	status, stdout, stderr := call(t, "test", "-np", "2", "./testdata/suite")
	if took := time.Since(begin); status != 1 || took > time.Minute || stderr != "goshmem: 4 failed\n" {
		t.Errorf("status %d after %v, stderr %q", status, took, stderr)
	}
	contains(t, stdout, "--- FAIL: TestDies (n=2): not reported by rank 1 (killed by SIGKILL)\n",
		"--- FAIL: TestLater (n=2): not reported by rank 0 (killed by SIGTERM); not reported by rank 1 (killed by SIGKILL)\n",
		"--- FAIL: 2 tests not run (n=2): rank 1 died in TestDies\n", "2 passed, 4 failed, 1 skipped, 7 in total\n")
	if strings.Contains(stdout, "(processes)") {
		t.Errorf("blames processes:\n%s", stdout)
	}
}

func TestTestExitsBadly(t *testing.T) {
	t.Setenv("SUITE", "exit")
	status, stdout, _ := call(t, "test", "-n", "2", "./testdata/suite")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	contains(t, stdout, "--- FAIL: (processes) (n=2): rank 0: exit status 7 outside of tests\n", "6 passed, 1 failed, 1 skipped")
}

func TestTestVerbose(t *testing.T) {
	status, stdout, _ := call(t, "test", "-n", "2", "-v", "-run=Skips", "-timeout", "1m", "./testdata/suite", "--", "-test.count=2")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	contains(t, stdout, "--- SKIP: TestSkips (n=2)\n", "    [0] ", "    [1] ", "always")
}

// Nothing run is a failure, whichever way it comes about.
func TestNoTests(t *testing.T) {
	for _, args := range []string{"./testdata/notests", "-run NoSuchTest ./testdata/suite"} {
		status, stdout, stderr := call(t, append([]string{"test", "-n", "2"}, strings.Fields(args)...)...)
		if status != 1 || !strings.HasSuffix(stdout, "0 passed, 0 failed, 0 skipped, 0 in total\n") {
			t.Errorf("%s: status %d, stdout:\n%s", args, status, stdout)
		}
		contains(t, stderr, "goshmem: no tests were run")
	}
}

func TestGoStyle(t *testing.T) {
	for args, want := range map[string]string{
		"test -n 2 -run X -timeout=3s -short -v ./p -- -run Y": "test -n 2 --run X --timeout=3s --short -v ./p -- -run Y",
		"test ./p -np 1,2":                       "test ./p --np 1,2",
		"run -np 3 ls -np 2":                     "run --np 3 ls -np 2",
		"run --timeout 3s -np=3 --dry-run ls -x": "run --timeout 3s --np=3 --dry-run ls -x",
		"run --no-prefix --env A=b -n4 -np 2 ls": "run --no-prefix --env A=b -n4 --np 2 ls",
		"run -n 2 ls -np 2":                      "run -n 2 ls -np 2",
		"run -- -np":                             "run -- -np",
		"run -run":                               "run -run",
		"info -np":                               "info -np",
		"runn -np 2":                             "runn -np 2",
	} {
		if got := strings.Join(goStyle(rootCommand(), strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestTestWeak: each seed is a job, up to the first that fails, and what is said then does
// it again.
func TestTestWeak(t *testing.T) {
	t.Setenv("SUITE", "weak")
	const again = "weak mode, seed 3: to see this again run goshmem "
	args := strings.Fields("test -n 2 --weak 2-9 -run OnRank1|Passes ./testdata/suite")
	for range 2 {
		status, stdout, stderr := call(t, args...)
		if status != 1 || stderr != "goshmem: 1 failed\n" || strings.Contains(stdout, "seed=4") {
			t.Errorf("%v: status %d, stderr %q, stdout:\n%s", args, status, stderr, stdout)
		}
		contains(t, stdout, "--- FAIL: TestOnRank1 (n=2, seed=3): failed on rank 1\n", "suite  n=2, seed=3  ", again)
		_, rest, _ := strings.Cut(stdout, again)
		line, _, _ := strings.Cut(rest, "\n")
		args = strings.Fields(strings.ReplaceAll(line, "'", ""))
	}
	for _, bad := range []string{"0", "x", "3-2", "1-", "1-999999999"} {
		status, _, stderr := call(t, "test", "--weak", bad, "./testdata/suite")
		if status != 2 || !strings.Contains(stderr, "--weak "+bad+": give a seed from 1 on") {
			t.Errorf("%s: status %d, stderr %q", bad, status, stderr)
		}
	}
}
