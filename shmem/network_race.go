//go:build race

package shmem

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
)

// networked is the race mode.
func networked(o Options, h engine.Heap) (engine.Heap, error) {
	on, err := o.race()
	if err != nil || !on || o.local == nil || o.wrap != nil {
		return h, err
	}
	if o.local.network == nil {
		o.local.network = engines.NewNetwork(h.NPEs())
	}
	return o.local.network.(*engines.Network).Attach(h), nil
}
