//go:build race

package shmem_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// unfit says whether a check cannot be clean in race mode, or takes too long there.
func unfit(c conformance.Check) bool {
	return strings.HasSuffix(c.Name, "seen by polling") || // with plain loads, among puts to one word
		c.Name == "order: quiet before a look" || strings.HasPrefix(c.Name, "lock: the next holder") || // likewise
		c.Name == "order: small transfers in one piece" || // which meet on purpose
		c.Name == "atomic: n PEs x k increments" // 300,000 of them
}

// TestConformanceRace runs the suite in race mode: it must be clean itself.
func TestConformanceRace(t *testing.T) {
	o := roomy
	o.Race = shmem.RaceOn
	const n = 3
	checks := slices.DeleteFunc(conformance.Fitting(conformance.All(), n), unfit)
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) { shmemtest.RunWith(t, n, o, c.Run) })
	}
}
