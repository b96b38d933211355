package triton

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/goshmem/goshmem/internal/device"
)

// code is what machine code says of a kernel.
type code struct {
	backend string
	arch    string // "" if it does not tell
	text    bool
	params  []Param
	block   int // threads that a block must have; 0: any number
	most    int // threads that a block can have; 0: does not tell
}

// Marks of the records of a cubin's section .nv.info.NAME, as cuobjdump -elf names them. A
// record is a byte for its form, one for what it is, and two of value or, in form 4, of the
// length of what follows.
const (
	machineCUDA = 190
	formLong    = 4
	isParam     = 0x17 // KPARAM_INFO: index, ordinal and offset, flags
	isBlock     = 0x10 // REQNTID: three numbers
	isSize      = 0x19 // CBANK_PARAM_SIZE: bytes of all parameters, in the record
	sizeShift   = 18   // of flags: how many bytes
	spaceMask   = 0xf00
)

// versionAt is where ELF has its version, a word. Cubins have that of the toolkit there,
// which package elf refuses.
const versionAt = 20

// open reads ELF for a machine.
func open(file string, image []byte, machine elf.Machine) (*elf.File, error) {
	image = bytes.Clone(image)
	if len(image) >= versionAt+4 {
		binary.LittleEndian.PutUint32(image[versionAt:], uint32(elf.EV_CURRENT))
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, wrong(file, device.ErrArgument, "%v", err)
	}
	if f.Machine != machine {
		return nil, wrong(file, device.ErrArgument, "code for machine %d, not %d", f.Machine, machine)
	}
	return f, nil
}

// cubin reads the parameters of a kernel for NVIDIA's GPUs.
func cubin(file string, image []byte, name string) (code, error) {
	f, err := open(file, image, machineCUDA)
	if err != nil {
		return code{}, err
	}
	s := f.Section(".nv.info." + name)
	if s == nil {
		return code{}, wrong(file, device.ErrArgument, "there is no kernel %q in it", name)
	}
	info, err := s.Data()
	if err != nil {
		return code{}, wrong(file, device.ErrArgument, "%v", err)
	}
	c := code{backend: "cuda"}
	if !c.records(info) {
		return code{}, wrong(file, device.ErrUnsupported, "its list of parameters has a form that is not known here")
	}
	return c, nil
}

// records reads all of them; false if they are not what is known, or do not add up.
func (c *code) records(info []byte) bool {
	le, sum, ends := binary.LittleEndian, -1, 0
	params := map[int]Param{}
	for len(info) >= 4 {
		form, what, n, data := info[0], info[1], int(le.Uint16(info[2:])), info[4:]
		if form == formLong && n > len(data) {
			return false
		}
		switch {
		case form == formLong && what == isParam && n == 12:
			flags, offset := le.Uint32(data[8:]), int(le.Uint16(data[6:]))
			p := Param{Size: uintptr(flags >> sizeShift)}
			switch { // old compilers do not tell an address from another word
			case flags&spaceMask != 0:
				p.Kind = Address
			case p.Size < 8:
				p.Kind = Number
			}
			params[int(le.Uint16(data[4:]))], ends = p, max(ends, offset+int(p.Size))
		case form == formLong && what == isBlock && n == 12:
			c.block = int(le.Uint32(data) * le.Uint32(data[4:]) * le.Uint32(data[8:]))
		case what == isSize:
			sum = n
		}
		if form != formLong {
			n = 0
		}
		info = data[n:]
	}
	for i := range len(params) {
		p, ok := params[i]
		if !ok {
			return false
		}
		c.params = append(c.params, p)
	}
	return sum < 0 || sum == ends
}
