//go:build !race

package conformance

// often is how often a check does something again.
func often(k int) int { return k }
