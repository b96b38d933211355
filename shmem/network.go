//go:build !race

package shmem

import "github.com/goshmem/goshmem/internal/engine"

// local is what the modes of all PEs of a goroutine world share: nothing here.
type local struct{}

// late says that race mode is off.
func (*local) late() bool { return false }

// networked is the race mode, which builds without the race detector do not have. That
// does not make a wrong value right.
func networked(o Options, h engine.Heap) (engine.Heap, error) {
	_, err := o.race()
	return h, err
}
