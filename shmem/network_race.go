//go:build race

package shmem

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/network"
)

// networked is the race mode.
func networked(o Options, h engine.Heap) (engine.Heap, error) {
	on, err := o.race()
	if err != nil || !on || o.local == nil || o.wrap != nil {
		return h, err
	}
	if o.local.network == nil {
		o.local.network = network.New(h.NPEs())
	}
	return o.local.network.(*network.Network).Attach(h), nil
}
