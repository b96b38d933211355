//go:build !amd64

package mem

import "unsafe"

// Pause makes a loop that looks at memory wait for a moment, where the machine has an
// instruction for it.
func Pause() {}

// Prefetch has the cache line of p on its way, where we know how.
func Prefetch(unsafe.Pointer) {}

// PrefetchWrite is Prefetch of a line that is to be written.
func PrefetchWrite(unsafe.Pointer) {}
