package triton

import (
	"debug/elf"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// The note of AMD's code objects that describes their kernels, as MessagePack.
const (
	machineAMD = 224
	noteOfAMD  = 32
)

// hsaco reads the parameters of a kernel for AMD's GPUs.
func hsaco(file string, image []byte, name string) (code, error) {
	f, err := open(file, image, machineAMD)
	if err != nil {
		return code{}, err
	}
	about, ok := described(f)
	if !ok {
		return code{}, wrong(file, device.ErrArgument, "the note about its kernels is missing or broken")
	}
	c := code{backend: "hip"}
	goal, _ := about["amdhsa.target"].(string)
	c.arch, _, _ = strings.Cut(goal[strings.LastIndex(goal, "-")+1:], ":")
	kernels, _ := about["amdhsa.kernels"].([]any)
	for _, k := range kernels {
		if k, _ := k.(map[string]any); k[".name"] == name {
			c.most, _ = k[".max_flat_workgroup_size"].(int)
			if args, ok := k[".args"].([]any); ok && !c.args(args) {
				return code{}, wrong(file, device.ErrUnsupported, "a parameter of %q is neither an address nor a number", name)
			}
			return c, nil
		}
	}
	return code{}, wrong(file, device.ErrArgument, "there is no kernel %q in it", name)
}

// args takes over what a launch has to give: the runtime fills in those that are hidden.
func (c *code) args(list []any) bool {
	for _, a := range list {
		a, _ := a.(map[string]any)
		kind, _ := a[".value_kind"].(string)
		size, _ := a[".size"].(int)
		switch {
		case strings.HasPrefix(kind, "hidden_"):
			continue
		case size < 1 || size > 8 || kind != "global_buffer" && kind != "by_value":
			return false
		}
		c.params = append(c.params, Param{Size: uintptr(size), Kind: kindOf(kind == "global_buffer")})
	}
	return true
}

// described finds the note, and reads it.
func described(f *elf.File) (map[string]any, bool) {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		for len(data) >= 12 {
			owner, n, kind := int(f.ByteOrder.Uint32(data)), int(f.ByteOrder.Uint32(data[4:])), f.ByteOrder.Uint32(data[8:])
			at := 12 + (owner+3)&^3
			end := at + (n+3)&^3
			if owner < 0 || n < 0 || at > len(data) || at+n > len(data) {
				return nil, false
			}
			if kind == noteOfAMD && string(data[12:12+owner]) == "AMDGPU\x00" {
				v, _, err := unpack(data[at:at+n], 0)
				about, ok := v.(map[string]any)
				return about, ok && err == nil
			}
			data = data[min(end, len(data)):]
		}
	}
	return nil, false
}
