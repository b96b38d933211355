package engines

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/faulty"
	"github.com/goshmem/goshmem/internal/fault"
)

// Faulty returns h with those of the faults in front of it that concern its PE, on virtual
// nodes of so many PEs. say gets a line about each when it happens.
func Faulty(h engine.Heap, faults []fault.Fault, nodeSize int, say func(text string)) engine.Heap {
	return faulty.Wrap(h, faults, nodeSize, say)
}
