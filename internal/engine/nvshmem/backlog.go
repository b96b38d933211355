package nvshmem

import (
	"sync"
	"unsafe"
)

// backlog is what the host has begun and not completed.
type backlog struct {
	mu      sync.Mutex
	held    []unsafe.Pointer // memory that the library may still read or write
	library bool             // it has work of ours
	stream  bool             // our stream has
	failed  error            // of a fence, which cannot return it
}

// hold keeps memory until everything is complete.
func (b *backlog) hold(p unsafe.Pointer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = append(b.held, p)
	b.library = true
}

// queued notes that our stream has work.
func (b *backlog) queued() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stream = true
}

// fail keeps the first error for the next quiet.
func (b *backlog) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = err
	}
}

// take says what there is to complete, and forgets it. What was held must be kept alive
// until that is done.
func (b *backlog) take() (held []unsafe.Pointer, library, stream bool, failed error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, library, stream, failed = b.held, b.library, b.stream, b.failed
	b.held, b.library, b.stream, b.failed = nil, false, false, nil
	return held, library, stream, failed
}
