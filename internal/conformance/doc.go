// Package conformance is what package shmem promises, as checks that run on any
// world: goroutine PEs, processes, ranks of a launched job, and engines that are
// as weak as the memory model allows. An engine that is added runs the same
// checks.
//
// A check asks the world for its size and works with any number of PEs from
// Check.MinPEs on. It relies on nothing but the memory model of package shmem,
// asserts no times, and leaves the world as it found it.
package conformance
