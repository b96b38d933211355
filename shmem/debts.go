package shmem

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// debts is what a lane and its program owe each other until the next quiet: sources of
// non-blocking puts must not change, and data of non-blocking gets is not there yet.
type debts struct {
	memory *memory // of the world
	seed   maphash.Seed
	gets   atomic.Int32 // len(owed), to be looked at without the lock

	mu   sync.Mutex
	lent []loan // sources of puts
	owed []loan // destinations of gets
}

// loan is memory that a non-blocking operation uses. The pointer keeps it alive.
type loan struct {
	at   unsafe.Pointer
	n    uintptr
	sum  uint64
	site string
}

// maxLoans bounds what is remembered: beyond it the oldest are dropped.
const maxLoans = 256

// lend remembers the source of a non-blocking put.
func (d *debts) lend(src unsafe.Pointer, n uintptr, site string) {
	l := loan{src, n, d.sum(src, n), site}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lent = latest(d.lent, l)
}

// owe remembers the destination of a non-blocking get.
func (d *debts) owe(dst unsafe.Pointer, n uintptr, site string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed = latest(d.owed, loan{dst, n, 0, site})
	d.gets.Store(int32(len(d.owed)))
}

func latest(loans []loan, l loan) []loan {
	if len(loans) == maxLoans {
		loans = slices.Delete(loans, 0, maxLoans/2)
	}
	return append(loans, l)
}

// awaited refuses a source that a non-blocking get has not filled yet.
func (d *debts) awaited(src unsafe.Pointer, n uintptr) error {
	if d.gets.Load() == 0 || n == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.owed {
		if uintptr(src) < uintptr(l.at)+l.n && uintptr(l.at) < uintptr(src)+n {
			return problem(ErrMisuse, "the source is what the non-blocking get at %s brings: it is there after a quiet", l.site)
		}
	}
	return nil
}

// settle ends all debts, and says whether a source has changed. It is called before
// the quiet: once any quiet has returned, all sources may change.
func (d *debts) settle() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	lent := d.lent
	d.lent, d.owed = nil, nil
	d.gets.Store(0)
	for _, l := range lent {
		if d.sum(l.at, l.n) != l.sum {
			return problem(ErrMisuse, "the source of the non-blocking put at %s was changed before this quiet", l.site)
		}
	}
	return nil
}

// sum is a number for what n bytes are; 0 for those of a device that cannot be read, as in
// a world that has ended.
func (d *debts) sum(p unsafe.Pointer, n uintptr) uint64 {
	off, own := d.memory.locate(uintptr(p))
	if d.memory.device == nil || !own {
		return maphash.Bytes(d.seed, unsafe.Slice((*byte)(p), n))
	}
	bytes, err := d.memory.bytesAt(off, n)
	if err != nil {
		return 0
	}
	return maphash.Bytes(d.seed, bytes)
}
