//go:build race

package engines

import "github.com/goshmem/goshmem/internal/engine/network"

// Network is what the PEs of a goroutine world share in race mode.
type Network = network.Network

// NewNetwork returns the network of n PEs, with the seed of weak mode or 0.
func NewNetwork(n int, seed uint64) *Network { return network.New(n, seed) }
