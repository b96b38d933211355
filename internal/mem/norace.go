//go:build !amd64 && !race

package mem

import "unsafe"

// release orders what this goroutine has done before the store that follows.
func release(unsafe.Pointer) { Full() }

// acquire orders the load that was before what this goroutine will do.
func acquire(unsafe.Pointer) { Full() }
