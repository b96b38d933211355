package gpu

import (
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/device"
)

// Function is a kernel of a module.
type Function struct {
	m    *Module
	h    device.Handle
	name string
	info FunctionInfo
	room atomic.Bool // the driver lets launches have all shared memory
}

// FunctionInfo is what the driver knows of a kernel. The fields: MaxThreads (per block),
// Registers (per thread), Shared (bytes that it declares), Local (bytes per thread),
// Params (the sizes of its parameters in bytes; nil if the driver does not know, as with
// HIP and before CUDA 12.4).
type FunctionInfo = device.FunctionInfo

// Name is the kernel's name.
func (f *Function) Name() string { return f.name }

// Device returns the device that the kernel is loaded on.
func (f *Function) Device() *Device { return f.m.d }

// Info returns what the driver knows of the kernel. CUDA: cuFuncGetAttribute,
// cuFuncGetParamInfo; HIP: hipFuncGetAttribute.
func (f *Function) Info() FunctionInfo { return f.info }

// Dims is the shape of a launch: blocks of a grid, threads of a block, each as x, y, z.
// A zero counts as one.
type Dims struct {
	Grid, Block [3]int
	// Shared is bytes of dynamic shared memory of each block, up to Properties.MaxDynamic
	// less what the kernel declares; a HostKernel has none, and ignores it.
	Shared int
}

// Grid is as many blocks of so many threads as n threads need, at least one block of one
// thread: the kernel compares its thread's number with n.
func Grid(n, block int) Dims {
	n, block = max(n, 1), max(block, 1)
	return Dims{Grid: [3]int{(n-1)/block + 1}, Block: [3]int{block}}
}

// WithShared is the same shape with bytes of dynamic shared memory for each block.
func (d Dims) WithShared(bytes int) Dims {
	d.Shared = bytes
	return d
}

// fill checks a shape against a device and a kernel, and writes it where the driver
// reads it.
func (d Dims) fill(l *device.Launch, p *Properties, f FunctionInfo) error {
	threads := 1
	for i, axis := range "xyz" {
		grid, block := max(d.Grid[i], 1), max(d.Block[i], 1)
		if d.Grid[i] < 0 || d.Block[i] < 0 || p.MaxGrid[i] > 0 && grid > p.MaxGrid[i] {
			return problem(ErrArgument, "a grid of %d blocks of %d threads along %c: neither can be negative, and there are at most %d blocks", d.Grid[i], d.Block[i], axis, p.MaxGrid[i])
		}
		threads = min(threads*block, 1<<31) // without overflow: what is too large stays so
		l.Grid[i], l.Block[i] = uint32(grid), uint32(block)
	}
	if most := fewest(p.MaxThreads, f.MaxThreads); most > 0 && threads > most {
		return problem(ErrArgument, "a block of %d threads (%v): the kernel can have %d on this device", threads, d.Block, most)
	}
	if d.Shared < 0 || p.MaxDynamic > 0 && d.Shared > p.MaxDynamic-f.Shared {
		return problem(ErrArgument, "%d bytes of shared memory: a block of this kernel can have 0 to %d on this device", d.Shared, max(p.MaxDynamic-f.Shared, 0))
	}
	l.Shared = uint32(d.Shared)
	return nil
}

// ask has the driver let launches have as much shared memory as there is, if this one is
// to have more than they get without. It asks for all at once, so that it does not matter
// who asks first.
func (f *Function) ask(shared uint32, p *Properties) error {
	if int(shared) <= p.MaxShared-f.info.Shared || f.room.Load() {
		return nil
	}
	if err := f.m.d.driver().AllowShared(f.m.d.index, f.h, p.MaxDynamic-f.info.Shared); err != nil {
		return err
	}
	f.room.Store(true)
	return nil
}

// fewest is the smaller of two limits, of which 0 is none.
func fewest(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
