//go:build !race

package conformance

// slower is by how much checks do things less often.
const slower = 1
