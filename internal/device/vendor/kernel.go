package vendor

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// LoadModule loads code. A copy of the image is kept as long as the module: the library
// may look at it later. It ends with a zero byte, as text has to.
func (d *driver) LoadModule(dev int, image []byte) (device.Handle, error) {
	if len(image) == 0 {
		return 0, fmt.Errorf("%s:%d: load a module from nothing: %w", d.name, dev, device.ErrArgument)
	}
	kept := append(bytes.Clone(image), 0)
	h, err := d.make(dev, abi.OpLoad, uintptr(unsafe.Pointer(&kept[0])))
	if err != nil {
		runtime.KeepAlive(kept)
		return 0, err
	}
	d.imagesMu.Lock()
	d.images[device.Handle(h)] = kept
	d.imagesMu.Unlock()
	return device.Handle(h), nil
}

// UnloadModule gives a module back.
func (d *driver) UnloadModule(dev int, m device.Handle) error {
	if err := d.do(dev, abi.OpUnload, uintptr(m)); err != nil {
		return err
	}
	d.imagesMu.Lock()
	delete(d.images, m)
	d.imagesMu.Unlock()
	return nil
}

// maxName is the longest name of a kernel: mangled names of C++ templates are long.
const maxName = 8 << 10

// Function finds a kernel.
func (d *driver) Function(dev int, m device.Handle, name string) (device.Handle, error) {
	if len(name) > maxName || strings.IndexByte(name, 0) >= 0 {
		return 0, fmt.Errorf("%s:%d: a kernel's name of %d bytes, or with a zero byte: %w", d.name, dev, len(name), device.ErrArgument)
	}
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	f, err := s.word(abi.OpFunction, uintptr(m), s.scratch().Text(name))
	if err != nil {
		return 0, fmt.Errorf("kernel %q: %w", name, err)
	}
	return device.Handle(f), nil
}

// FunctionInfo tells what a kernel needs, and what it takes where the library knows.
func (d *driver) FunctionInfo(dev int, f device.Handle) (device.FunctionInfo, error) {
	s, err := d.enter(dev)
	if err != nil {
		return device.FunctionInfo{}, err
	}
	defer s.leave()
	var info device.FunctionInfo
	for _, q := range []struct {
		to        *int
		attribute uintptr
	}{
		{&info.MaxThreads, d.attributes.funcThreads},
		{&info.Registers, d.attributes.funcRegisters},
		{&info.Shared, d.attributes.funcShared},
		{&info.Local, d.attributes.funcLocal},
	} {
		v, err := s.word(abi.OpFuncAttr, q.attribute, uintptr(f))
		if err != nil {
			return device.FunctionInfo{}, err
		}
		*q.to = int(int32(v))
	}
	info.Params, err = s.params(f)
	return info, err
}

// maxParams is more than any kernel has: they fit into 32 KiB.
const maxParams = 4096

// params lists the sizes of a kernel's parameters: nil if the library cannot tell. It
// refuses the first index that there is not.
func (s *session) params(f device.Handle) ([]uintptr, error) {
	if s.d.fn[abi.OpParamInfo] == 0 {
		return nil, nil
	}
	sizes := []uintptr{}
	offset, size := dl.Out[uintptr](s.scratch()), dl.Out[uintptr](s.scratch())
	for i := range uintptr(maxParams) {
		status := s.d.status(abi.OpParamInfo, uintptr(f), i, dl.Addr(offset), dl.Addr(size))
		if status == s.d.invalidValue {
			break
		}
		if status != success {
			return nil, s.d.failed(abi.OpParamInfo, s.dev, status)
		}
		sizes = append(sizes, *size)
	}
	return sizes, nil
}

// AllowShared lets launches of a kernel have more shared memory than the usual 48 KiB of
// NVIDIA's devices. HIP's function of that name takes something else, and AMD's devices
// have nothing to ask for.
func (d *driver) AllowShared(dev int, f device.Handle, bytes int) error {
	if d.attributes.funcDynamic == 0 {
		return nil
	}
	return d.do(dev, abi.OpFuncSet, uintptr(f), d.attributes.funcDynamic, uintptr(bytes))
}

// Launch starts a kernel. The library copies what the arguments point to before it
// returns. They and the values are where they are as long as l is alive: what is handed
// to an interface is not on a stack.
func (d *driver) Launch(dev int, f device.Handle, l *device.Launch, stream device.Handle) error {
	err := d.do(dev, abi.OpLaunch, uintptr(f),
		uintptr(l.Grid[0]), uintptr(l.Grid[1]), uintptr(l.Grid[2]),
		uintptr(l.Block[0]), uintptr(l.Block[1]), uintptr(l.Block[2]),
		uintptr(l.Shared), uintptr(stream), uintptr(unsafe.Pointer(unsafe.SliceData(l.Args))), 0)
	runtime.KeepAlive(l)
	return err
}
