package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/heap"
	"github.com/goshmem/goshmem/internal/mem"
)

const (
	grain = 256 // what allocations are aligned to, and the room for the word before each
	label = "goshmem-device"
)

// arena is a file of memory without a name, as large as the machine's memory, in which
// pages come with allocations and go with them. Before each allocation is a word that
// tells an importer that it is still there.
type arena struct {
	mu    sync.Mutex
	fd    int
	base  unsafe.Pointer
	size  uintptr
	space *heap.Allocator
}

// open makes the file with the first allocation.
func (a *arena) open() error {
	if a.space != nil {
		return nil
	}
	_, total := available()
	size := uintptr(total) &^ (pageSize() - 1)
	fd, err := unix.MemfdCreate(label, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("memfd_create: %w", err)
	}
	if err := a.mapAll(fd, size); err != nil {
		_ = unix.Close(fd) // nothing was written
		return err
	}
	return nil
}

// mapAll gives the file its size, which is sealed, so that no process can truncate it
// under another one's feet, and maps it.
func (a *arena) mapAll(fd int, size uintptr) error {
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return fmt.Errorf("an arena of %d bytes: %w", size, err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return fmt.Errorf("seal the arena: %w", err)
	}
	base, err := unix.MmapPtr(fd, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("map an arena of %d bytes: %w: raise the limit of the address space (ulimit -v)", size, err)
	}
	a.fd, a.base, a.size, a.space = fd, base, size, heap.New(size)
	return nil
}

// alloc returns the address of n bytes whose pages are there.
func (a *arena) alloc(n uintptr) (uintptr, error) {
	at, err := a.reserve(n + grain)
	if err != nil {
		return 0, err
	}
	if err := a.populate(at, n+grain); err != nil {
		_ = a.release(at) // the first error says more
		return 0, err
	}
	mem.Store(unsafe.Add(a.base, at), rand.Uint64()|1)
	return uintptr(a.base) + at + grain, nil
}

// reserve takes a range of the arena.
func (a *arena) reserve(n uintptr) (uintptr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return 0, err
	}
	return a.space.Alloc(n, grain)
}

// populate takes pages now, so that too little memory is an error here and not a bus
// error at some later store.
func (a *arena) populate(at, n uintptr) error {
	lo, hi := at&^(pageSize()-1), (at+n+pageSize()-1)&^(pageSize()-1)
	err := unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(a.base, lo)), hi-lo), unix.MADV_POPULATE_WRITE)
	if err == unix.EINVAL { // before Linux 5.14: pages come at first touch
		return nil
	}
	return err
}

// free takes an allocation back.
func (a *arena) free(p uintptr) error {
	at := p - grain - uintptr(a.base)
	mem.Store(unsafe.Add(a.base, at), uint64(0))
	return a.release(at)
}

// release gives the pages back that nothing else is in.
func (a *arena) release(at uintptr) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.space.Size(at)
	if err := a.space.Free(at); err != nil {
		return err
	}
	lo, hi := (at+pageSize()-1)&^(pageSize()-1), (at+n)&^(pageSize()-1)
	if lo >= hi {
		return nil
	}
	err := unix.Fallocate(a.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(lo), int64(hi-lo))
	if err != nil {
		return fmt.Errorf("give %d bytes back: %w", hi-lo, err)
	}
	return nil
}

// holds says whether an address is of the arena.
func (a *arena) holds(p uintptr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.space != nil && p-uintptr(a.base) < a.size
}

// close unmaps the arena: nobody has an address in it any more.
func (a *arena) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.space == nil {
		return nil
	}
	a.space = nil
	return errors.Join(unix.MunmapPtr(a.base, a.size), unix.Close(a.fd))
}

func pageSize() uintptr { return uintptr(os.Getpagesize()) }
