// Package ipc is the engine for GPUs of one machine without a vendor's library for
// symmetric memory: every PE allocates its heap on its device and the others map it, by
// the drivers' handles for other processes. Data moves by copies of the devices and by
// kernels of ours; streams meet by values that they write and wait for.
//
// It runs over any device.Driver. With that of the host, whose devices are goroutines
// and shared memory, all of it but the kernels' source runs without a GPU.
//
// A PE's device memory is the heap, and behind it what the engine needs itself
// (layout.go). Where PEs meet before there is device memory, where they show where they
// are, and how they learn of deaths is the control engine's affair: an engine for
// processes or goroutines of one machine, which is handed in.
package ipc

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/engine"
)

const name = "ipc"

// Engine is the ipc engine.
type Engine struct {
	// Control is the engine whose heaps have the meetings, the boards and the watch.
	Control interface {
		engine.Engine
		engine.Local
	}
	// Driver is the name of the driver to use; "" for the best that there is.
	Driver string
}

var (
	_ engine.Engine = Engine{}
	_ engine.Local  = Engine{}
	_ engine.Near   = Engine{}
)

// Name returns "ipc".
func (Engine) Name() string { return name }

// Probe says whether there is a driver, and whether the control engine can run.
func (e Engine) Probe() engine.Verdict {
	if v := e.Control.Probe(); !v.OK {
		return v
	}
	d, err := e.open()
	if err != nil {
		return engine.Verdict{Reason: err.Error()}
	}
	return engine.Verdict{OK: true, Reason: fmt.Sprintf("memory of %d devices of platform %s", d.Count(), d.Name())}
}

// Reluctant says whether there is a GPU: without one it has nothing to offer but itself.
func (e Engine) Reluctant() string {
	if d, err := e.open(); err == nil && d.Name() == "host" {
		return "there is no GPU, and for memory of the host it must be asked for"
	}
	return ""
}

// Near says what reaches GPUs of other machines, since IPC handles do not.
func (e Engine) Near() string {
	return "engine ipc is for one; GPUs of several are reached by engines nvshmem and rocshmem (GOSHMEM_ENGINE), memory of the host by engine host"
}

// DefaultHeap is much of a GPU, and little of a host: there all of it is taken at once.
func (e Engine) DefaultHeap() uintptr {
	if e.Reluctant() != "" {
		return 64 << 20
	}
	return 1 << 30
}

// open opens the driver.
func (e Engine) open() (device.Driver, error) {
	if e.Driver != "" {
		return devices.Open(e.Driver)
	}
	var all []error
	for _, name := range devices.Names() {
		d, err := devices.Open(name)
		if err == nil {
			return d, nil
		}
		all = append(all, fmt.Errorf("%s: %w", name, err))
	}
	return nil, errors.Join(all...)
}

// Open joins this process to a world. Its device is that of its rank among the PEs of the
// machine, counted around those that it may use.
func (e Engine) Open(ctx context.Context, job engine.Job) (engine.Heap, error) {
	driver, err := e.open()
	return e.join(ctx, job, driver, err)
}

// join is Open over a driver, or for a PE that has none: the others must know.
func (e Engine) join(ctx context.Context, job engine.Job, driver device.Driver, lack error) (engine.Heap, error) {
	if err := refuse(job.Config, job.Size); err != nil {
		return nil, err
	}
	size := job.HeapSize
	job.HeapSize = controlSize(job.Config) + desk
	control, err := e.Control.Open(ctx, job)
	if err != nil {
		return nil, err
	}
	job.HeapSize = size
	p := newPlane(control, job.Config, driver)
	p.turn = job.LocalRank
	if err := p.join(ctx, lack, p.importAll); err != nil {
		return nil, errors.Join(err, control.Close())
	}
	return &heap{Heap: control, plane: p}, nil
}

// refuse says what this engine cannot do.
func refuse(c engine.Config, n int) error {
	switch {
	case c.NodeSize != 0 && c.NodeSize < n:
		return errors.New("engine ipc is for one node: unset GOSHMEM_NODE_SIZE, or use engine host")
	case n > maxPEs:
		return fmt.Errorf("engine ipc: %d PEs, at most %d are possible", n, maxPEs)
	}
	return nil
}

// OpenLocal makes a world of n PEs inside this process, whose devices they share.
func (e Engine) OpenLocal(n int, c engine.Config) ([]engine.Heap, error) {
	driver, err := e.open()
	if err != nil {
		return nil, err
	}
	return e.local(n, c, driver)
}

// local is OpenLocal over a driver.
func (e Engine) local(n int, c engine.Config, driver device.Driver) ([]engine.Heap, error) {
	if err := refuse(c, n); err != nil {
		return nil, err
	}
	around := c
	around.HeapSize = controlSize(c) + desk
	controls, err := e.Control.OpenLocal(n, around)
	if err != nil {
		return nil, err
	}
	heaps, errs := make([]engine.Heap, n), make([]error, n)
	var all sync.WaitGroup
	var shared library
	for i, control := range controls {
		p := newPlane(control, c, driver)
		p.local, p.turn, p.library = true, i, &shared
		heaps[i] = &heap{Heap: control, plane: p}
		all.Go(func() { errs[i] = p.join(context.Background(), nil, p.shareAll) })
	}
	all.Wait()
	if err := first(errs); err != nil {
		for _, control := range controls {
			err = errors.Join(err, control.Close())
		}
		return nil, err
	}
	return heaps, nil
}

// first is the first error of a list.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
