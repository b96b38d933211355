//go:build race

package engines

import "github.com/goshmem/goshmem/internal/engine/network"

// Network is what the PEs of a goroutine world share in race mode.
type Network = network.Network

// NewNetwork returns the network of n PEs.
func NewNetwork(n int) *Network { return network.New(n) }
