// Package host is the engine for PEs of one machine without a GPU: processes
// that map each other's anonymous memory, or goroutines over Go memory. Both
// kinds share everything but three things: where segments come from, how a
// waiter waits (policy), and how deaths are noticed.
package host

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
)

const name = "host"

// Engine is the host engine.
type Engine struct{}

// Name returns "host".
func (Engine) Name() string { return name }

// Probe says whether processes can share memory here. Goroutine PEs always can.
func (Engine) Probe() engine.Verdict { return probe() }

// Open joins this process to a world of processes on this machine.
func (Engine) Open(ctx context.Context, job engine.Job) (engine.Heap, error) {
	h, err := open(ctx, job)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// OpenLocal makes a world of n PEs inside this process.
func (Engine) OpenLocal(n int, c engine.Config) ([]engine.Heap, error) {
	heaps := make([]engine.Heap, n)
	for i, h := range newLocal(n, c) {
		heaps[i] = h
	}
	return heaps, nil
}

var (
	_ engine.Engine = Engine{}
	_ engine.Local  = Engine{}
	_ engine.Heap   = (*Heap)(nil)
)
