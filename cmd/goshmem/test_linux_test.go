package main

import (
	"strings"
	"testing"
)

func TestTestPasses(t *testing.T) {
	status, stdout, stderr := call(t, "test", "-n", "1,3", "./testdata/suite", "./testdata/notests")
	if status != 0 || stderr != "" || strings.Count(stdout, "\n") != 3 {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
	contains(t, stdout, "ok    github.com/goshmem/goshmem/cmd/goshmem/testdata/suite  n=1  4 passed, 0 failed, 1 skipped  (",
		"suite  n=3  4 passed, 0 failed, 1 skipped", "8 passed, 0 failed, 2 skipped, 10 in total\n")
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
		"--- FAIL: TestLater (n=2): not reported by rank 1 (killed by SIGKILL)\n", "2 passed, 2 failed, 1 skipped, 5 in total\n")
}

func TestTestExitsBadly(t *testing.T) {
	t.Setenv("SUITE", "exit")
	status, stdout, _ := call(t, "test", "-n", "2", "./testdata/suite")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	contains(t, stdout, "--- FAIL: (processes) (n=2): rank 0: exit status 7 outside of tests\n", "4 passed, 1 failed, 1 skipped")
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
	got := strings.Join(goStyle(strings.Fields("test -n 2 -run X -timeout=3s -short -v ./p -- -run Y")), " ")
	if want := "test -n 2 --run X --timeout=3s --short -v ./p -- -run Y"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := goStyle([]string{"run", "-run"}); got[1] != "-run" {
		t.Errorf("changed %q", got)
	}
}
