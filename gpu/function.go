package gpu

import "github.com/goshmem/goshmem/internal/device"

// Function is a kernel of a module.
type Function struct {
	m    *Module
	h    device.Handle
	name string
	info FunctionInfo
}

// FunctionInfo is what the driver knows of a kernel: threads per block, registers,
// memory, and the sizes of its parameters (nil if it does not know).
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
	Shared      int // bytes of dynamic shared memory of each block; a HostKernel has none
}

// Grid is as many blocks of so many threads as n threads need, at least one block.
func Grid(n, block int) Dims {
	block = max(block, 1)
	return Dims{Grid: [3]int{max((n+block-1)/block, 1)}, Block: [3]int{block}}
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
			return problem(ErrArgument, "%d blocks of %d threads along %c: the device has 1 to %d blocks", d.Grid[i], d.Block[i], axis, p.MaxGrid[i])
		}
		threads = min(threads*block, 1<<31) // without overflow: what is too large stays so
		l.Grid[i], l.Block[i] = uint32(grid), uint32(block)
	}
	if most := fewest(p.MaxThreads, f.MaxThreads); most > 0 && threads > most {
		return problem(ErrArgument, "a block of %d threads (%v): the kernel can have %d on this device", threads, d.Block, most)
	}
	if d.Shared < 0 || p.MaxShared > 0 && d.Shared > p.MaxShared {
		return problem(ErrArgument, "%d bytes of shared memory: a block has 0 to %d on this device", d.Shared, p.MaxShared)
	}
	l.Shared = uint32(d.Shared)
	return nil
}

// fewest is the smaller of two limits, of which 0 is none.
func fewest(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
