// Package rocshmem is the engine over AMD's rocSHMEM, by way of the shim of native/rocshmem:
// symmetric memory of GPUs and everything on streams is the library's; meetings of the
// host, boards and deaths are those of the host engine, which is handed in.
//
// The library has no errors: a call before its start, a PE that there is not, or a backend
// that cannot run end the process, and what it waits for cannot be broken off. So whatever
// it would not take is refused before; one thread at a time is in it; and a call that may
// wait for other PEs is made on a thread of its own, which is given up when the world fails
// or time is over: from then on nothing enters the library again.
//
// Of the library's functions for the host the engine calls those that are known to work.
// Where a PE's memory has an address here, which over IPC is everywhere, copies are the
// driver's; elsewhere the library's stream forms are used, on a stream of the engine's own.
package rocshmem

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

const name = "rocshmem"

// Engine is the rocSHMEM engine. Control opens the memory of the host for meetings; it
// reaches processes of this machine.
type Engine struct {
	Control engine.Engine

	in *process // for tests; nil: this one
}

// Name returns "rocshmem".
func (Engine) Name() string { return name }

// Probe says whether there are a shim, a GPU, and settings that the library takes. The shim
// is not loaded, since the library reads its variables then, and they are not known yet.
func (e Engine) Probe() engine.Verdict {
	if v := e.Control.Probe(); !v.OK {
		return v
	}
	return e.process().probe()
}

// Open joins this process to a world, on the GPU that its rank falls on. It can be done
// once per process. Collective over the job; an error of one PE is one of all.
func (e Engine) Open(ctx context.Context, job engine.Job) (engine.Heap, error) {
	if job.NodeSize != 0 && job.NodeSize < job.Size {
		return nil, block.Of(device.ErrUnsupported, errors.New("engine rocshmem has no virtual nodes: unset GOSHMEM_NODE_SIZE, or use engine host"))
	}
	small := job
	small.HeapSize = controlSize(job.HeapSize)
	control, err := e.Control.Open(ctx, small)
	if err != nil {
		return nil, err
	}
	return open(ctx, e.process(), job, control)
}

// open is Open over a control heap.
func open(ctx context.Context, p *process, job engine.Job, control engine.Heap) (engine.Heap, error) {
	m, err := join(ctx, p, job, control)
	if err != nil {
		control.Fail(block.Reason(err), engine.Stays)
		return nil, errors.Join(block.Sorted(err), control.Close())
	}
	return &heap{Heap: control, device: m}, nil
}

// controlSize is the memory of the host for copies of arrays, which take memory where they
// are used only.
func controlSize(heap uintptr) uintptr { return (heap + 4095) &^ 4095 }

// Reluctant says why the engine wants to be asked for.
func (Engine) Reluctant() string {
	return "the library ends the process where others return an error, so it must be asked for"
}

func (e Engine) process() *process {
	if e.in != nil {
		return e.in
	}
	return &own
}

// heap is a world of the host whose arrays are on GPUs.
type heap struct {
	engine.Heap
	device *memory
}

// Engine returns "rocshmem".
func (*heap) Engine() string { return name }

// Device is where the arrays are.
func (h *heap) Device() engine.Device { return h.device }

// Close gives the symmetric memory back before the world ends.
func (h *heap) Close() error { return errors.Join(h.device.Close(), h.Heap.Close()) }

var (
	_ engine.Engine    = Engine{}
	_ engine.Reluctant = Engine{}
	_ engine.Devised   = (*heap)(nil)
	_ engine.Device    = (*memory)(nil)
	_ engine.Poisoned  = (*memory)(nil)
)
