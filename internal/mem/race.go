//go:build race

package mem

import (
	"runtime"
	"unsafe"
)

// release orders what this goroutine has done before the store to p that follows.
func release(p unsafe.Pointer) {
	Full()
	runtime.RaceReleaseMerge(p)
}

// acquire orders the load of p that was before what this goroutine will do.
func acquire(p unsafe.Pointer) {
	Full()
	runtime.RaceAcquire(p)
}
