//go:build race

package mem

import (
	"runtime"
	"unsafe"
)

// Untrack and Track enclose what orders nothing as far as a program may rely on it: who
// wakes whom, and what was noted for error messages. The race detector must not take
// the locks and words of such bookkeeping for synchronisation, which would hide races.
func Untrack() { runtime.RaceDisable() }

// Track ends what Untrack began.
func Track() { runtime.RaceEnable() }

// Look is Load for who waits for a value, which must be able to look while others store.
// To the race detector it is no access, and by itself it orders nothing.
func Look[T any](p unsafe.Pointer) T {
	Untrack()
	defer Track()
	return Load[T](p)
}

// Saw orders what follows after the store to p whose value a Look has seen: an atomic,
// or a put that was announced by Landing.
func Saw(p unsafe.Pointer) {
	runtime.RaceAcquire(p)
	runtime.RaceAcquire(landed(p))
}

// Landing announces a put of n bytes to p that only a Saw is ordered after. A long one
// is not: nobody may wait for a part of it.
func Landing(p unsafe.Pointer, n uintptr) {
	const most = 512
	if n > most {
		return
	}
	for at := uintptr(0); at < n+uintptr(p)&7; at += 8 {
		runtime.RaceRelease(landed(unsafe.Add(p, at)))
	}
}

// landed is what puts to the word around p are known by. It is not the word's own
// address, by which atomics are known: an atomic that follows a put is not ordered after it.
func landed(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, 1-int(uintptr(p)&7)) }
