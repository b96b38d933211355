//go:build race

package shmem

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
)

// local is what the modes of all PEs of a goroutine world share.
type local struct{ network *engines.Network }

// networked is the race mode. Weak mode has its own ways of being late.
func networked(o Options, h engine.Heap) (engine.Heap, error) {
	on, err := o.race()
	if err != nil || !on || o.local == nil || o.device || o.wrap != nil || o.Weak != 0 {
		return h, err
	}
	if o.local.network == nil {
		o.local.network = engines.NewNetwork(h.NPEs())
	}
	return o.local.network.Attach(h), nil
}
