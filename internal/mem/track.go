//go:build !race

package mem

import "unsafe"

// Untrack and Track enclose what orders nothing as far as a program may rely on it: who
// wakes whom, and what was noted for error messages. The race detector must not take
// the locks and words of such bookkeeping for synchronisation, which would hide races.
// They do nothing in builds without it.
func Untrack() {}

// Track ends what Untrack began.
func Track() {}

// Look is Load for who waits for a value, which must be able to look while others store.
// To the race detector it is no access.
func Look[T any](p unsafe.Pointer) T { return Load[T](p) }

// Saw orders what follows after the store to p whose value a Look has seen.
func Saw(unsafe.Pointer) {}
