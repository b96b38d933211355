package mem

import "unsafe"

// Pause makes a loop that looks at memory wait for a moment (about 24 ns on the
// machines seen). Looking less often leaves the line to the core that is about to
// write it.
func Pause()

// Prefetch has the cache line of p on its way and does not wait for it. p need not be
// readable.
//
//go:noescape
func Prefetch(p unsafe.Pointer)

// PrefetchWrite is Prefetch of a line that is to be written: other caches give it up.
//
//go:noescape
func PrefetchWrite(p unsafe.Pointer)
