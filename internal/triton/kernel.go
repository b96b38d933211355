// Package triton reads kernels that Triton has compiled ahead of time: the machine code, and
// the metadata that Triton writes beside it. It says what a launch has to bring, and refuses
// what a plain launch cannot do.
package triton

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// Kernel is a kernel in a file.
type Kernel struct {
	File    string // of the code
	Image   []byte
	Name    string
	Version string // of Triton; "" before 3.3, which does not write it
	Backend string // cuda or hip
	Arch    string // what compilers call it: sm_90, gfx942
	Text    bool   // it is PTX, which the driver compiles
	Warps   int
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory of a block
	Scratch int // bytes of global memory that each block is given
	Params  []Param
	Hidden  int // how many of Params, at the end, are not the caller's
}

// Param is a parameter of a kernel.
type Param struct {
	Name    string // "" if nothing tells
	Type    string // as Triton writes it: *fp32, i32; "" if nothing tells
	Aligned int    // the code counts on a multiple of it: of an address, or of a number
	Size    uintptr
	Kind    Kind
}

// Kind is what a parameter is.
type Kind int

// The kinds of parameters.
const (
	Unknown Kind = iota
	Address
	Number
)

// String is what messages call it.
func (k Kind) String() string {
	return map[Kind]string{Address: "an address", Number: "a number"}[k]
}

func kindOf(address bool) Kind {
	if address {
		return Address
	}
	return Number
}

// wrong is an error about a file.
func wrong(file string, is error, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", filepath.Base(file), fmt.Sprintf(format, args...), is)
}

// Read reads a file of code, .cubin, .ptx or .hsaco, and the metadata beside it, which has the
// same name with .json. Errors: device.ErrArgument for files that contradict themselves or
// each other, device.ErrUnsupported for what a launch of ours cannot do, those of os.
func Read(file string) (*Kernel, error) {
	ext := filepath.Ext(file)
	parse := map[string]func(string, []byte, string) (code, error){".cubin": cubin, ".ptx": ptx, ".hsaco": hsaco}[ext]
	if parse == nil {
		return nil, wrong(file, device.ErrArgument, "the name ends in %q: .cubin, .ptx and .hsaco are kernels", ext)
	}
	image, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	beside := strings.TrimSuffix(file, ext) + ".json"
	text, err := os.ReadFile(beside)
	if err != nil {
		return nil, fmt.Errorf("the metadata that Triton writes beside the code: %w", err)
	}
	var m metadata
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, wrong(beside, device.ErrArgument, "not metadata of Triton: %v", err)
	}
	hidden, err := m.check(beside)
	if err != nil {
		return nil, err
	}
	c, err := parse(file, image, m.Name)
	if err != nil {
		return nil, err
	}
	return combine(file, image, &m, c, hidden)
}

// combine makes one of what the metadata and the code say.
func combine(file string, image []byte, m *metadata, c code, hidden int) (*Kernel, error) {
	k := &Kernel{
		File: file, Image: image, Name: m.Name, Version: m.Version, Backend: m.Target.Backend, Arch: m.arch(), Text: c.text,
		Warps: m.Warps, Threads: m.Warps * m.Target.Warp, Shared: m.Shared,
		Scratch: m.Scratch, Params: c.params, Hidden: hidden,
	}
	switch {
	case c.backend != k.Backend:
		return nil, wrong(file, device.ErrArgument, "the metadata is of a kernel for %s", k.Backend)
	case c.arch != "" && strings.TrimSuffix(c.arch, "a") != k.Arch:
		return nil, wrong(file, device.ErrArgument, "the code is for %s, the metadata says %s", c.arch, k.Arch)
	case c.block != 0 && c.block != k.Threads:
		return nil, wrong(file, device.ErrArgument, "the code wants %d threads in a block, the metadata says %d warps of %d", c.block, m.Warps, m.Target.Warp)
	case c.most != 0 && k.Threads > c.most:
		return nil, wrong(file, device.ErrArgument, "the code can have %d threads in a block, the metadata says %d warps of %d", c.most, m.Warps, m.Target.Warp)
	}
	return k, k.name(m.Signature)
}

// name gives the parameters names and types, if there is a signature.
func (k *Kernel) name(signature []parameter) error {
	seen := len(k.Params) - k.Hidden
	if seen < 0 {
		return wrong(k.File, device.ErrArgument, "%d parameters: Triton %s adds %d of its own", len(k.Params), cmp.Or(k.Version, "of that time"), k.Hidden)
	}
	for i, p := range k.Params[seen:] {
		if p.Size != 8 {
			return wrong(k.File, device.ErrArgument, "parameter %d has %d bytes: Triton's own are addresses", seen+i, p.Size)
		}
	}
	if signature == nil {
		return nil
	}
	if len(signature) != seen {
		return wrong(k.File, device.ErrArgument, "the signature has %d parameters, the code %d", len(signature), seen)
	}
	for i, s := range signature {
		if err := k.Params[i].as(s); err != nil {
			return wrong(k.File, device.ErrArgument, "parameter %d: %v", i, err)
		}
	}
	return nil
}

// Taken are the parameters that a caller gives.
func (k *Kernel) Taken() []Param { return k.Params[:len(k.Params)-k.Hidden] }
