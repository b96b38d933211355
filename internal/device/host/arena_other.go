//go:build !linux

package host

import (
	"sync"

	"github.com/goshmem/goshmem/internal/mem"
)

const grain = 256 // what allocations are aligned to

// arena is Go's memory: there is none here that others could map.
type arena struct {
	mu    sync.Mutex
	slabs map[uintptr][]byte
}

func (a *arena) alloc(n uintptr) (uintptr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.slabs == nil {
		a.slabs = map[uintptr][]byte{}
	}
	slab := make([]byte, n+grain)
	p := (mem.Address(slab) + grain - 1) &^ (grain - 1)
	a.slabs[p] = slab
	return p, nil
}

func (a *arena) free(p uintptr) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.slabs, p)
	return nil
}

func (*arena) close() error { return nil }

// holds is false: freed memory may be Go's own again.
func (*arena) holds(uintptr) bool { return false }
