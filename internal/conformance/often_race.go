//go:build race

package conformance

// often is how often a check does something again: the race detector takes longer for
// each, and needs none of them twice.
func often(k int) int { return k / 10 }
