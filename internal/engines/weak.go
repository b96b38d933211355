package engines

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/weak"
)

// Weak puts weak mode in front of a PE's heap. All PEs have the same seed.
func Weak(h engine.Heap, seed uint64) engine.Heap { return weak.Wrap(h, seed) }
