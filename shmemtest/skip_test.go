package shmemtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// skipping names the case that TestSkips runs in a process of its own.
const skipping = "SHMEMTEST_SKIPPING"

// TestSkips: a test is skipped if all PEs skip. One that skips does not hide what others do.
func TestSkips(t *testing.T) {
	job, err := launch.Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	switch which := os.Getenv(skipping); {
	case which != "":
		skipBy(t, which)
		return
	case job.Family != "none" && os.Getenv(env.TestCall) == "":
		return // the ranks of a job tell their launcher, which compares
	}
	for which, want := range map[string]string{
		"goroutines all":   "--- SKIP: TestSkips",
		"goroutines one":   "1 of 3 PEs skipped the test (SKIP[FewPEs] too few): a test must skip on all PEs alike",
		"goroutines panic": "panicked: out of cheese",
		"processes all":    "--- SKIP: TestSkips",
		"processes one":    "this rank has skipped its body: SKIP[FewPEs] too few",
		"processes panic":  "panic: out of cheese",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSkips$", "-test.v")
		cmd.Env = append(os.Environ(), skipping+"="+which)
		text, err := cmd.CombinedOutput()
		if !strings.Contains(string(text), want) || (err == nil) != strings.Contains(want, "SKIP:") {
			t.Errorf("%s: %v\n%s\nwant %q", which, err, text, want)
		}
	}
}

// skipBy runs a case.
func skipBy(t *testing.T, which string) {
	run := shmemtest.Run
	how, found := strings.CutPrefix(which, "processes ")
	if found {
		run = shmemtest.RunProcesses
	}
	run(t, 3, func(t testing.TB, w *shmem.World) {
		if strings.HasSuffix(how, "all") || w.MyPE() == 1 {
			skip.Now(t, skip.FewPEs, "too few")
		}
		if strings.HasSuffix(how, "panic") {
			panic("out of cheese")
		}
	})
}
