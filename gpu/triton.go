package gpu

import (
	"slices"
	"strings"
	"sync"

	"github.com/goshmem/goshmem/internal/triton"
)

// TritonFile is what a kernel that Triton has compiled says of itself. The fields: File;
// Image (the code); Name; Version (of Triton, "" before 3.3); Backend (cuda, hip); Arch (as in
// Properties); Text (it is PTX); Warps and Threads (of a block); Shared (bytes of dynamic
// shared memory of a block); Scratch (bytes of global memory for each block); Params (in
// order, those of Triton's own at the end); Hidden (how many those are).
type TritonFile = triton.Kernel

// TritonParam is a parameter of such a kernel. The fields: Name and Type (as Triton writes
// it, such as *fp32 or i32; "" where nothing tells), Aligned (the code counts on a
// multiple of it), Size (bytes), Kind (an address, a number, or unknown).
type TritonParam = triton.Param

// ReadTriton reads a kernel that Triton has compiled: machine code in a file whose name ends in
// .cubin, .ptx or .hsaco, and beside it, with .json, the metadata, as both are in Triton's
// cache. A member "signature" may be added to the metadata, a list of name and type ("*fp32",
// "i32", with ":16" for multiples of 16) of each parameter that is no constant; then launches
// check kinds and types of arguments too, and otherwise their number, sizes, and where the
// code tells it, which are addresses. No device is needed. Errors: ErrArgument for files that
// contradict themselves or each other; ErrUnsupported for versions of Triton whose hidden
// parameters are not known here (known: CUDA up to 3.9, HIP 3.5 to 3.9), and for kernels that
// need clusters, a cooperative grid, a dependent launch, a profiler's memory or host-made
// tensor descriptors.
func ReadTriton(file string) (*TritonFile, error) {
	k, err := triton.Read(file)
	return k, fail(nil, "read kernel", err)
}

// TritonKernel is a kernel of Triton's on a device.
type TritonKernel struct {
	file *TritonFile
	m    *Module
	f    *Function
	life

	mu      sync.Mutex
	scratch map[*Stream]Buffer
	old     []Buffer // which work that is queued may still use
}

// LoadTriton reads a kernel as [ReadTriton] does, and loads it. Whether it fits the device is
// checked before the driver sees it. Platform host runs no machine code. Errors: those of
// ReadTriton; ErrUnsupported on platform host; ErrArch for code of another architecture;
// those of LoadModule and Function. CUDA: cuModuleLoadData; HIP: hipModuleLoadData.
func (d *Device) LoadTriton(file string) (*TritonKernel, error) {
	const op = "load kernel"
	k, err := triton.Read(file)
	if err != nil {
		return nil, fail(d, op, err)
	}
	if err := d.fits(k); err != nil {
		return nil, fail(d, op, err)
	}
	m, err := d.LoadModule(k.Image)
	if err != nil {
		return nil, err
	}
	f, err := m.Function(k.Name)
	if err == nil {
		err = fail(d, op, f.described(k))
	}
	if err != nil {
		_ = m.Close() // the first error says more
		return nil, err
	}
	return &TritonKernel{file: k, m: m, f: f, scratch: map[*Stream]Buffer{}}, nil
}

// fits says why a device cannot run a kernel.
func (d *Device) fits(k *TritonFile) error {
	if d.p.name == "host" {
		return problem(ErrUnsupported, "%s is machine code of kernel %q for platform %s, and platform host runs Go functions only: load it on a GPU, or give Compile a Program with the kernel in Go", k.File, k.Name, k.Backend)
	}
	p, err := d.limits()
	if err != nil {
		return err
	}
	switch {
	case k.Backend != d.p.name:
		return problem(ErrArch, "%s is for platform %s, this is %s", k.File, k.Backend, d.p.name)
	case !runs(k, p.Arch):
		return problem(ErrArch, "%s is for %s, this is %s: compile it for that", k.File, k.Arch, p.Arch)
	case k.Threads/k.Warps != p.WarpSize:
		return problem(ErrArch, "%s is for warps of %d threads, those of this device have %d", k.File, k.Threads/k.Warps, p.WarpSize)
	case p.MaxDynamic > 0 && k.Shared > p.MaxDynamic:
		return problem(ErrUnsupported, "%s needs %d bytes of shared memory for a block, this device has %d", k.File, k.Shared, p.MaxDynamic)
	}
	return nil
}

// runs says whether code for an architecture runs on another. Triton compiles for exactly one
// of AMD's, and of NVIDIA's from sm_90 on; what is older runs on later ones with the same
// first digit, and PTX on all later ones.
func runs(k *TritonFile, arch string) bool {
	const firstExact = "sm_90"
	if k.Arch == arch {
		return true
	}
	if k.Backend != "cuda" || later(k.Arch, firstExact) || later(k.Arch, arch) {
		return false
	}
	return k.Text || len(k.Arch) == len(arch) && strings.HasPrefix(arch, k.Arch[:len(k.Arch)-1])
}

// later says whether an architecture of NVIDIA's is not before another.
func later(arch, than string) bool {
	return len(arch) > len(than) || len(arch) == len(than) && arch >= than
}

// described gives the function the sizes of its parameters out of the file, which not every
// driver knows.
func (f *Function) described(k *TritonFile) error {
	if len(k.Params) > mostArgs {
		return problem(ErrUnsupported, "%s: %d parameters: a launch takes %d arguments", k.File, len(k.Params), mostArgs)
	}
	sizes := make([]uintptr, len(k.Params))
	for i, p := range k.Params {
		sizes[i] = p.Size
	}
	if f.info.Params != nil && !slices.Equal(f.info.Params, sizes) {
		return problem(ErrArgument, "%s: the driver finds parameters of %d bytes, we find %d", k.File, f.info.Params, sizes)
	}
	f.info.Params = sizes
	return nil
}

// File is what the kernel says of itself.
func (k *TritonKernel) File() *TritonFile { return k.file }

// Device returns the device that the kernel is loaded on.
func (k *TritonKernel) Device() *Device { return k.m.d }

// Info returns what the driver knows of the kernel; its Params include Triton's own.
func (k *TritonKernel) Info() FunctionInfo { return k.f.info }

// Close unloads the kernel; its launches must be done. More than once does no harm. CUDA:
// cuModuleUnload; HIP: hipModuleUnload.
func (k *TritonKernel) Close() error {
	if k == nil || !k.end() {
		return nil
	}
	err := k.m.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range k.scratch {
		k.old = append(k.old, b)
	}
	for _, b := range k.old {
		if freed := b.Close(); err == nil {
			err = freed
		}
	}
	return err
}
