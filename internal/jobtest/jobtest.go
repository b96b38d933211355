// Package jobtest builds programs of this module and runs them as jobs, for
// tests that want to see what a user sees.
package jobtest

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmemtest"
)

// Build builds the package at path and returns the program, which the end of the
// test removes.
func Build(t testing.TB, path string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", program, path).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", path, err, out)
	}
	return program
}

// Run runs argv as a job of n processes, which must succeed, and returns its
// lines in order of the alphabet.
func Run(t testing.TB, n int, argv ...string) []string {
	t.Helper()
	var out shmemtest.Output
	result, err := launcher.Run(t.Context(), launcher.Spec{
		N: n, Argv: argv, Merge: true,
		Output: func(int) (stdout, stderr io.Writer) { return &out, &out },
	})
	if err != nil {
		t.Fatalf("%s\n%s", result.Report(), out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(lines)
	return lines
}

// Fail runs argv as a job of n processes, which must fail.
func Fail(t testing.TB, n int, argv ...string) launcher.Result {
	t.Helper()
	result, err := launcher.Run(t.Context(), launcher.Spec{N: n, Argv: argv})
	if err == nil {
		t.Fatalf("%v: the job succeeded", argv)
	}
	return result
}

// Expect fails the test if the lines of a job are not these, in any order.
func Expect(t testing.TB, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the job wrote\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
