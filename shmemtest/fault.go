package shmemtest

import (
	"os"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/fault"
	"github.com/goshmem/goshmem/shmem"
)

// Fault returns options for a world in which something goes wrong on purpose, as text
// says: "kill pe=2 op=put n=17", or "seed=7 kill" for a PE and an operation that the seed
// picks. Options.Fault has the rest. GOSHMEM_FAULT takes the place of text, so that a test
// that has failed can be run again with the fault that it prints then. A text that is
// none ends the test. Local.
func Fault(t testing.TB, o shmem.Options, text string) shmem.Options {
	t.Helper()
	if set := os.Getenv(env.Fault); set != "" {
		text = set
	}
	if _, err := fault.Parse(text); err != nil {
		t.Fatalf("shmemtest: fault: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("with the fault %q; again: %s='%s' go test -run '%s'", text, env.Fault, text, pattern(t.Name()))
		}
	})
	o.Fault = text
	return o
}
