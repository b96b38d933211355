// Package network makes the race detector see the memory model of package shmem. It is
// an engine over that of goroutine PEs in which every put, non-blocking get and atomic is
// carried out by a goroutine of its own, which stands for the network adapter: it is
// ordered after the call, and before a quiet of its lane, and otherwise only as fences
// and signals order it. Accesses that a program has not ordered are data races between
// goroutines then, local loads and stores included, and reported with both stacks: who
// issued the operation is where the goroutine was created.
//
// What the package keeps of its own is hidden from the detector, lest its locks order
// what the program has not. The package is empty in builds without the race detector.
package network
