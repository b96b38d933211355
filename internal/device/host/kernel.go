package host

import (
	"slices"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// Kernel is a kernel in Go. Blocks of a grid run at the same time and in no order; a
// block is one call, whose threads are a loop in it.
type Kernel struct {
	Params []uintptr   // the sizes of its parameters in bytes; nil: as many as a launch gives, 8 each
	Run    func(Block) // is called once per block
}

// Block is what one call of a kernel has to do.
type Block struct {
	Index   [3]uint32 // of this block in the grid
	Grid    [3]uint32 // in blocks
	Threads [3]uint32 // of a block
	Args    []uint64  // the arguments: each begins in a word of its own; only to be read
}

// Arg returns an argument by the word that it begins in: its number, if all before it
// have at most 8 bytes. T has the size of the parameter.
func Arg[T any](b Block, word int) T {
	var v T
	_ = b.Args[word+int(max(unsafe.Sizeof(v), 1)-1)/8] // a panic if the launch gave less
	return mem.Load[T](unsafe.Pointer(&b.Args[word]))
}

// module is a set of kernels, known by the handles of its functions.
type module struct {
	dev       int
	functions map[string]device.Handle
}

func (m *module) home() int { return m.dev }

// function is a kernel of a module, and what runs it.
type function struct {
	dev    int
	name   string
	kernel Kernel
}

func (f *function) home() int { return f.dev }

// AddModule makes a module of Go functions, which takes the place of loaded code.
func (d *Driver) AddModule(dev int, kernels map[string]Kernel) (device.Handle, error) {
	if err := d.device(dev, "AddModule"); err != nil {
		return 0, err
	}
	for name, k := range kernels {
		if k.Run == nil || slices.Contains(k.Params, 0) {
			return 0, fail(dev, "AddModule", device.ErrArgument, "the kernel %s has no function, or a parameter of 0 bytes", name)
		}
	}
	m := &module{dev, map[string]device.Handle{}}
	for name, k := range kernels {
		k.Params = slices.Clone(k.Params) // nil stays nil
		m.functions[name] = d.objects.add(&function{dev, name, k})
	}
	return d.objects.add(m), nil
}

// LoadModule refuses: kernels of this driver are Go functions.
func (d *Driver) LoadModule(dev int, _ []byte) (device.Handle, error) {
	return 0, fail(dev, "LoadModule", device.ErrUnsupported, "kernels of the host are Go functions")
}

// UnloadModule takes a module and its functions out of use; launches that are queued
// are done.
func (d *Driver) UnloadModule(dev int, h device.Handle) error {
	m, err := remove[*module](d, dev, "UnloadModule", "module", h)
	if err != nil {
		return err
	}
	for _, f := range m.functions {
		d.objects.drop(f)
	}
	return nil
}

// Function finds a kernel by its name.
func (d *Driver) Function(dev int, h device.Handle, name string) (device.Handle, error) {
	m, err := own[*module](d, dev, "Function", "module", h)
	if err != nil {
		return 0, err
	}
	f, ok := m.functions[name]
	if !ok {
		return 0, fail(dev, "Function", device.ErrNoFunction, "%q is not in the module", name)
	}
	return f, nil
}

// FunctionInfo tells the sizes of a kernel's parameters.
func (d *Driver) FunctionInfo(dev int, h device.Handle) (device.FunctionInfo, error) {
	f, err := own[*function](d, dev, "FunctionInfo", "function", h)
	if err != nil {
		return device.FunctionInfo{}, err
	}
	return device.FunctionInfo{MaxThreads: maxThreads, Params: f.kernel.Params}, nil
}

// AllowShared refuses: see Launch.
func (d *Driver) AllowShared(dev int, _ device.Handle, bytes int) error {
	return fail(dev, "AllowShared", device.ErrUnsupported, "%d bytes of shared memory: a Go function has variables instead", bytes)
}

// Launch starts a kernel in a stream.
func (d *Driver) Launch(dev int, h device.Handle, l *device.Launch, stream device.Handle) error {
	f, err := own[*function](d, dev, "Launch", "function", h)
	if err != nil {
		return err
	}
	if err := f.refuse(l); err != nil {
		return err
	}
	s, err := d.stream(dev, "Launch", stream)
	if err != nil {
		return err
	}
	var room [32]uint64
	args := f.pack(room[:0], l.Args)
	_, err = s.add("Launch", &op{kind: opLaunch, fn: f, shape: shape{l.Grid, l.Block}}, args)
	return err
}

// refuse says why a launch cannot be.
func (f *function) refuse(l *device.Launch) error {
	no := func(format string, args ...any) error {
		return fail(f.dev, "Launch", device.ErrArgument, "kernel "+f.name+": "+format, args...)
	}
	switch {
	case l == nil:
		return no("no shape is given")
	case slices.Contains(l.Grid[:], 0) || slices.Contains(l.Block[:], 0):
		return no("a grid of %v blocks of %v threads is empty", l.Grid, l.Block)
	case slices.Max(l.Block[:]) > maxThreads || product(l.Block) > maxThreads:
		return no("a block of %v threads, at most %d are possible", l.Block, maxThreads)
	case l.Grid[0] > maxGrid || l.Grid[1] > maxGridYZ || l.Grid[2] > maxGridYZ:
		return no("a grid of %v blocks, at most %d by %d by %d are possible", l.Grid, maxGrid, maxGridYZ, maxGridYZ)
	case l.Shared > 0:
		return no("%d bytes of shared memory: a Go function has variables instead", l.Shared)
	case f.kernel.Params != nil && len(l.Args) != len(f.kernel.Params):
		return no("%d arguments for %d parameters", len(l.Args), len(f.kernel.Params))
	}
	for i, p := range l.Args {
		if p == nil {
			return no("argument %d is at no address", i)
		}
	}
	return nil
}

// size is that of a parameter.
func (f *function) size(i int) uintptr {
	if f.kernel.Params == nil {
		return 8
	}
	return f.kernel.Params[i]
}

// pack copies the arguments, so that the caller may change them.
func (f *function) pack(words []uint64, args []unsafe.Pointer) []uint64 {
	for i, p := range args {
		n := f.size(i)
		at := len(words)
		for range (n + 7) / 8 {
			words = append(words, 0)
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[at])), n), unsafe.Slice((*byte)(p), n))
	}
	return words
}
