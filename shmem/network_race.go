//go:build race

package shmem

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
)

// local is what the modes of all PEs of a goroutine world share.
type local struct{ network *engines.Network }

// late says whether race mode is on, and so what is late in weak mode.
func (l *local) late() bool { return l != nil && l.network != nil }

// networked is the race mode, also with a seed of weak mode.
func networked(o Options, h engine.Heap) (engine.Heap, error) {
	on, err := o.race()
	if err != nil || !on || o.local == nil || o.device || o.wrap != nil {
		return h, err
	}
	if o.local.network == nil {
		o.local.network = engines.NewNetwork(h.NPEs(), o.Weak)
	}
	return o.local.network.Attach(h), nil
}
