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

// code is the kernels of a device, with one module per element type for reductions. All
// are loaded before anything waits on the device: to load more waits for the device, where
// a kernel may wait for a peer that waits for us. PEs of one process share those of their
// device.
type code struct {
	err                                         error // why there are none
	barrier, meet, exchange, put, await, atomic device.Handle

	mu      sync.Mutex
	begun   bool
	users   int
	modules []device.Handle
	reduce  map[reduce.Type]device.Handle
}

// library is the code of the devices of a process.
type library struct {
	mu       sync.Mutex
	byDevice map[int]*code
}

// of is a device's.
func (l *library) of(dev int) *code {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byDevice == nil {
		l.byDevice = map[int]*code{}
	}
	if l.byDevice[dev] == nil {
		l.byDevice[dev] = &code{reduce: map[reduce.Type]device.Handle{}}
	}
	return l.byDevice[dev]
}

// load loads the kernels. That there are none is no error before one is needed: a
// machine may have a driver and no compiler.
func (p *plane) load() {
	c := p.library.of(p.dev)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.code = c
	c.users++
	if c.begun {
		return
	}
	c.begun = true
	m, err := p.module(-1)
	if err != nil {
		c.err = err
		return
	}
	for name, f := range map[string]*device.Handle{
		"ipc_barrier": &c.barrier, "ipc_meet": &c.meet, "ipc_exchange": &c.exchange, "ipc_put": &c.put, "ipc_wait": &c.await, "ipc_amo": &c.atomic,
	} {
		if *f, err = p.function(m, name); err != nil {
			c.err = err
		}
	}
	if c.err == nil {
		c.err = p.loadReductions()
	}
}

// loadReductions loads the kernels for all element types. They are compiled at the same
// time, the first time on a machine; later they come from a cache.
func (p *plane) loadReductions() error {
	if _, inGo := p.driver.(goModules); inGo {
		return nil // nothing waits there, and one module has them all
	}
	images, errs := make([][]byte, reduce.Float8E5M2+1), make([]error, reduce.Float8E5M2+1)
	var wg sync.WaitGroup
	for t := range images {
		wg.Go(func() { images[t], errs[t] = p.compile(t) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for t, image := range images {
		m, err := p.driver.LoadModule(p.dev, image)
		if err != nil {
			return err
		}
		p.code.modules = append(p.code.modules, m)
		if p.code.reduce[reduce.Type(t)], err = p.function(m, "ipc_reduce"); err != nil {
			return err
		}
	}
	return nil
}

// goModules is a driver whose kernels are Go functions.
type goModules interface {
	AddModule(dev int, kernels map[string]devicehost.Kernel) (device.Handle, error)
}

// function finds a kernel and asks about it, upon which a library that loads code when it
// is first used loads it: not at a launch, when it would wait for kernels that wait.
func (p *plane) function(m device.Handle, name string) (device.Handle, error) {
	f, err := p.driver.Function(p.dev, m, name)
	if err != nil {
		return 0, err
	}
	_, err = p.driver.FunctionInfo(p.dev, f)
	return f, err
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
	if d, ok := p.driver.(goModules); ok {
		return d.AddModule(p.dev, hostKernels())
	}
	image, err := p.compile(elem)
	if err != nil {
		return 0, err
	}
	return p.driver.LoadModule(p.dev, image)
}

// compile makes code of the kernels for an element type, or of those for none (-1).
func (p *plane) compile(elem int) ([]byte, error) {
	about, err := p.driver.Properties(p.dev)
	if err != nil {
		return nil, err
	}
	kind, options := rtc.NVRTC, []string{"--fmad=false"} // sums and products are rounded as Go's
	if p.driver.Name() == "hip" {
		kind, options = rtc.HIPRTC, []string{"-ffp-contract=off"}
	}
	text := kernels.IPC()
	if elem >= 0 {
		text, options = kernels.IPCReduce(), append(options, fmt.Sprintf("-DELEM=%d", elem))
	}
	image, _, err := rtc.Compile(kind, rtc.Source{Name: "ipc.cu", Text: text, Options: options, Arch: about.Arch, Driver: p.driver.Version()})
	return image, err
}

// reducer is the kernel for an element type.
func (p *plane) reducer(t reduce.Type) (device.Handle, error) {
	c := p.code
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.reduce[t]; f != 0 {
		return f, nil
	}
	m, err := p.module(int(t))
	if err != nil {
		return 0, err
	}
	f, err := p.function(m, "ipc_reduce")
	if err == nil {
		c.reduce[t] = f
	}
	return f, err
}

// unload gives the modules back, with the last PE that has them.
func (p *plane) unload() error {
	c := p.code
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users > 0 {
		return nil
	}
	var errs []error
	for _, m := range c.modules {
		errs = append(errs, p.driver.UnloadModule(p.dev, m))
	}
	c.modules = nil
	return errors.Join(errs...)
}

// kernelless is the error of an operation that needs a kernel where there is none.
func (p *plane) kernelless(what string) error {
	return fmt.Errorf("engine ipc: %s needs kernels, which PE %d cannot use: %w", what, p.rank, p.bare)
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
