package ipc

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/kernels"
	"github.com/goshmem/goshmem/internal/reduce"
	"github.com/goshmem/goshmem/internal/rtc"
)

// code is the kernels of a device. Those of reductions are loaded when they are first
// needed, one module per element type.
type code struct {
	err                                         error // why there are none
	barrier, meet, exchange, put, await, atomic device.Handle

	mu      sync.Mutex
	modules []device.Handle
	reduce  map[reduce.Type]device.Handle
}

// load loads the kernels. That there are none is no error before one is needed: a
// machine may have a driver and no compiler.
func (p *plane) load() {
	c := &p.code
	c.reduce = map[reduce.Type]device.Handle{}
	m, err := p.module(-1)
	if err != nil {
		c.err = err
		return
	}
	for name, f := range map[string]*device.Handle{
		"ipc_barrier": &c.barrier, "ipc_meet": &c.meet, "ipc_exchange": &c.exchange, "ipc_put": &c.put, "ipc_wait": &c.await, "ipc_amo": &c.atomic,
	} {
		if *f, err = p.driver.Function(p.dev, m, name); err != nil {
			c.err = err
		}
	}
}

// module loads the kernels for an element type, or those for none.
func (p *plane) module(elem int) (device.Handle, error) {
	m, err := p.build(elem)
	if err == nil {
		p.code.modules = append(p.code.modules, m)
	}
	return m, err
}

func (p *plane) build(elem int) (device.Handle, error) {
	if d, ok := p.driver.(interface {
		AddModule(dev int, kernels map[string]devicehost.Kernel) (device.Handle, error)
	}); ok {
		return d.AddModule(p.dev, hostKernels())
	}
	about, err := p.driver.Properties(p.dev)
	if err != nil {
		return 0, err
	}
	kind, options := rtc.NVRTC, []string{"--fmad=false"} // sums and products are rounded as Go's
	if p.driver.Name() == "hip" {
		kind, options = rtc.HIPRTC, []string{"-ffp-contract=off"}
	}
	if elem >= 0 {
		options = append(options, fmt.Sprintf("-DELEM=%d", elem))
	}
	image, _, err := rtc.Compile(kind, rtc.Source{Name: "ipc.cu", Text: kernels.IPC, Options: options, Arch: about.Arch, Driver: p.driver.Version()})
	if err != nil {
		return 0, err
	}
	return p.driver.LoadModule(p.dev, image)
}

// reducer is the kernel for an element type.
func (p *plane) reducer(t reduce.Type) (device.Handle, error) {
	c := &p.code
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.reduce[t]; f != 0 {
		return f, nil
	}
	m, err := p.module(int(t))
	if err != nil {
		return 0, err
	}
	f, err := p.driver.Function(p.dev, m, "ipc_reduce")
	if err == nil {
		c.reduce[t] = f
	}
	return f, err
}

// unload gives the modules back.
func (p *plane) unload() error {
	var errs []error
	for _, m := range p.code.modules {
		errs = append(errs, p.driver.UnloadModule(p.dev, m))
	}
	p.code.modules = nil
	return errors.Join(errs...)
}

// kernelless is the error of an operation that needs a kernel where there is none.
func (p *plane) kernelless(what string) error {
	return fmt.Errorf("engine ipc: %s needs kernels, which PE %d has none of: %w", what, p.rank, p.code.err)
}

// call is a launch whose only argument is a T, with memory of its own, so that it
// allocates nothing when it is used again.
type call[T any] struct {
	arg    T
	launch device.Launch
	args   [1]unsafe.Pointer
}

func newCall[T any]() *call[T] {
	c := &call[T]{}
	c.args[0] = unsafe.Pointer(&c.arg)
	c.launch = device.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Args: c.args[:]}
	return c
}

// on launches a kernel.
func (c *call[T]) on(p *plane, f device.Handle, blocks, threads uint32, s device.Handle) error {
	c.launch.Grid[0], c.launch.Block[0] = blocks, threads
	return p.driver.Launch(p.dev, f, &c.launch, s)
}
