//go:build race

package shmem_test

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// polls are the checks that look, with plain loads, at what others are storing: they hold
// engines to more than the memory model promises, and are racy by it.
func polls() map[string]bool {
	return map[string]bool{
		"order: quiet before a look": true,
	}
}

// TestConformanceRace runs the suite in race mode: it must be clean itself.
func TestConformanceRace(t *testing.T) {
	o := roomy
	o.Race = shmem.RaceOn
	const n = 3
	checks := slices.DeleteFunc(conformance.Fitting(conformance.All(), n), func(c conformance.Check) bool { return polls()[c.Name] })
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) { shmemtest.RunWith(t, n, o, c.Run) })
	}
}
