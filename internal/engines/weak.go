package engines

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/weak"
)

// Weak puts weak mode in front of a PE's heap. All PEs have the same seed; apart says that
// they are processes.
func Weak(h engine.Heap, seed uint64, apart bool) engine.Heap {
	w := weak.Wrap(h, seed)
	w.Apart = apart
	return w
}
