// Package nvshmem is the engine over NVIDIA's NVSHMEM: symmetric memory of GPUs and
// everything on streams is the library's; meetings of the host, boards and deaths are
// those of the host engine, which is handed in.
//
// The library answers many mistakes, and some calls that it does not support, by ending
// the process, and what it waits for cannot be broken off. So whatever it would refuse is
// refused before, one thread at a time is in it, and a call that may wait for other PEs
// is made on a thread of its own, which is given up when the world fails or time is over;
// from then on nothing enters the library again.
package nvshmem

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

const name = "nvshmem"

// Engine is the NVSHMEM engine. Control opens the memory of the host for meetings; it
// reaches processes of this machine.
type Engine struct {
	Control engine.Engine

	in *process // for tests; nil: this one
}

// Name returns "nvshmem".
func (Engine) Name() string { return name }

// Probe says whether there are a GPU and the library, by loading it.
func (e Engine) Probe() engine.Verdict {
	if v := e.Control.Probe(); !v.OK {
		return v
	}
	return e.process().probe()
}

// Reluctant says that the engine is for those who ask for it.
func (Engine) Reluctant() string {
	return "what it waits for in NVIDIA's library cannot be broken off: ask for it with GOSHMEM_ENGINE=nvshmem"
}

// Open joins this process to a world, on the GPU that its rank falls on. It can be done
// once per process. Collective over the job; an error of one PE is one of all.
func (e Engine) Open(ctx context.Context, job engine.Job) (engine.Heap, error) {
	small := job
	small.HeapSize = min(job.HeapSize, controlSize)
	control, err := e.Control.Open(ctx, small)
	if err != nil {
		return nil, err
	}
	m, err := join(ctx, e.process(), job, control)
	if err != nil {
		control.Fail(block.Reason(err), engine.Stays)
		return nil, errors.Join(block.Sorted(err), control.Close())
	}
	return &heap{Heap: control, device: m}, nil
}

// controlSize is the most memory of the host for copies of arrays, on which collectives
// are done that the library cannot do. It takes pages when it is used.
const controlSize = 1 << 30

// process returns what the engine shares with all others of the process.
func (e Engine) process() *process {
	if e.in != nil {
		return e.in
	}
	return &own
}

var (
	_ engine.Engine    = Engine{}
	_ engine.Reluctant = Engine{}
)
