//go:build race

package conformance

// slower is by how much checks do things less often: the race detector takes longer for
// each, and needs none of them twice.
const slower = 10
