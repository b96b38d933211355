//go:build !linux || race

package host

import (
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

const hasProcesses = false

// processHeaps is never called here.
func processHeaps(t *testing.T, _ int, _ engine.Config) []*Heap {
	t.Helper()
	t.Fatal("there are no processes here")
	return nil
}
