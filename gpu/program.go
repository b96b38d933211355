package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// Program is kernels as source: once for GPUs, once for machines without.
type Program struct {
	// Name stands in the compiler's messages; "" is "program".
	Name string
	// Device is source in CUDA and HIP C++. Kernels are extern "C" __global__ functions.
	Device string
	// Headers are files that it includes, by name.
	Headers map[string]string
	// Options go to the compiler, NVRTC or hipRTC, besides the device's architecture.
	Options []string
	// Host are the same kernels in Go, for platform host.
	Host map[string]HostKernel
}

// Compile makes a module of a program: on platform host from its Go functions, on a GPU
// with the vendor's run-time compiler, for the device's architecture. Compiled code is
// kept in a cache on disk. Errors: ErrCompiler, with the compiler's log; ErrUnsupported
// if the program lacks the form that the platform needs, or the compiler is not
// installed. CUDA: nvrtcCompileProgram, cuModuleLoadData; HIP: hiprtcCompileProgram,
// hipModuleLoadData.
func (d *Device) Compile(p Program) (*Module, error) {
	const op = "compile"
	if d == nil {
		return nil, noDevice(op)
	}
	if drv, ok := d.driver().(goModules); ok {
		m, err := d.fromGo(drv, p)
		return m, fail(d, op, err)
	}
	if p.Device == "" {
		return nil, fail(d, op, problem(ErrUnsupported, "the program has no source for platform %s: fill in Program.Device", d.p.name))
	}
	image, err := d.build(p)
	if err != nil {
		return nil, fail(d, op, err)
	}
	return d.LoadModule(image)
}

// fromGo makes a module of Go functions.
func (d *Device) fromGo(drv goModules, p Program) (*Module, error) {
	if len(p.Host) == 0 {
		return nil, problem(ErrUnsupported, "the program has no kernels in Go: fill in Program.Host to run it on platform %s", d.p.name)
	}
	h, err := drv.AddModule(d.index, wrap(d.driver(), p.Host))
	if err != nil {
		return nil, err
	}
	return &Module{d: d, h: h, names: slices.Sorted(maps.Keys(p.Host)), goes: true}, nil
}

// Module is loaded code: kernels by name.
type Module struct {
	d     *Device
	h     device.Handle
	names []string // of all kernels, if they are known
	goes  bool     // they are Go functions
	life
}

// LoadModule loads a cubin, PTX, or AMD code object. The image may be reused at once.
// Platform host has no such code: use Compile. Errors: ErrArch for code of another
// architecture. CUDA: cuModuleLoadData; HIP: hipModuleLoadData.
func (d *Device) LoadModule(image []byte) (*Module, error) {
	const op = "load module"
	if d == nil {
		return nil, noDevice(op)
	}
	if len(image) == 0 {
		return nil, fail(d, op, problem(ErrArgument, "the image is empty"))
	}
	h, err := d.driver().LoadModule(d.index, image)
	if err != nil {
		return nil, fail(d, op, err)
	}
	return &Module{d: d, h: h}, nil
}

// Device returns the device that the module is loaded on.
func (m *Module) Device() *Device { return m.d }

// Close unloads the module; its functions cannot be launched any more. Launches must be
// done. More than once does no harm. CUDA: cuModuleUnload; HIP: hipModuleUnload.
func (m *Module) Close() error {
	if m == nil || !m.end() {
		return nil
	}
	return fail(m.d, "close module", m.d.driver().UnloadModule(m.d.index, m.h))
}

// Function finds a kernel by its name. Errors: ErrNoFunction. CUDA: cuModuleGetFunction;
// HIP: hipModuleGetFunction.
func (m *Module) Function(name string) (*Function, error) {
	const op = "function"
	if m == nil {
		return nil, fail(nil, op, problem(ErrArgument, "no module"))
	}
	if m.ended() {
		return nil, fail(m.d, op, problem(ErrClosed, "the module is closed"))
	}
	h, err := m.d.driver().Function(m.d.index, m.h, name)
	if err != nil {
		return nil, fail(m.d, op, m.missing(name, err))
	}
	info, err := m.d.driver().FunctionInfo(m.d.index, h)
	if err != nil {
		return nil, fail(m.d, op, err)
	}
	return &Function{m: m, h: h, name: name, info: info}, nil
}

// missing says what a kernel's name may have been meant to be.
func (m *Module) missing(name string, err error) error {
	if len(m.names) > 0 {
		return fmt.Errorf("%w; there are %s", err, strings.Join(m.names, ", "))
	}
	return fmt.Errorf("%q: %w (is the kernel extern \"C\"?)", name, err)
}
