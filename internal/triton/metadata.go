package triton

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// metadata is what we read of Triton's. A signature is not in it: whoever compiles ahead of
// time may add one, in the order of the parameters, without those that are constants.
type metadata struct {
	Name      string      `json:"name"`
	Version   string      `json:"triton_version"`
	Target    target      `json:"target"`
	Warps     int         `json:"num_warps"`
	CTAs      *int        `json:"num_ctas"`
	Cluster   []int       `json:"cluster_dims"`
	Shared    int         `json:"shared"`
	Scratch   int         `json:"global_scratch_size"`
	Align     int         `json:"global_scratch_align"`
	Profile   int         `json:"profile_scratch_size"`
	Together  bool        `json:"launch_cooperative_grid"`
	Dependent bool        `json:"launch_pdl"`
	Measured  string      `json:"instrumentation_mode"`
	Tensors   []any       `json:"tensordesc_meta"`
	Signature []parameter `json:"signature"`
}

// target is what a kernel was compiled for.
type target struct {
	Backend string `json:"backend"`
	Arch    any    `json:"arch"` // 90, or "gfx942"
	Warp    int    `json:"warp_size"`
}

// parameter is one of a signature.
type parameter struct {
	Name string `json:"name"`
	Type string `json:"type"` // as Triton's compiler takes it: *fp32:16, i32
}

// mostAligned is what memory of every device is a multiple of, where it begins.
const mostAligned = 256

// check refuses what cannot be launched, and says how many parameters Triton has added.
func (m *metadata) check(file string) (hidden int, err error) {
	known := m.Target.Backend == "cuda" && m.Target.Warp == 32 || m.Target.Backend == "hip" && (m.Target.Warp == 32 || m.Target.Warp == 64)
	switch {
	case m.Name == "" || m.Target.Backend == "" || m.arch() == "":
		return 0, wrong(file, device.ErrArgument, "not metadata of Triton 3: name or target is missing")
	case !known:
		return 0, wrong(file, device.ErrUnsupported, "compiled for %q with warps of %d: cuda with 32 and hip with 32 or 64 can be loaded", m.Target.Backend, m.Target.Warp)
	case m.Warps < 1 || m.Warps > 32 || m.Shared < 0 || m.Scratch < 0 || m.Align > mostAligned:
		return 0, wrong(file, device.ErrArgument, "%d warps, %d bytes of shared memory, %d bytes of scratch at multiples of %d", m.Warps, m.Shared, m.Scratch, m.Align)
	}
	if needs := m.needs(); needs != "" {
		return 0, wrong(file, device.ErrUnsupported, "the kernel needs %s, which a launch here does not have", needs)
	}
	if hidden, err = added(m.Version, m.Target.Backend); err != nil {
		return 0, wrong(file, device.ErrUnsupported, "%v", err)
	}
	return hidden, nil
}

// needs names what a launch of ours lacks; "" if nothing.
func (m *metadata) needs() string {
	switch {
	case m.CTAs != nil && *m.CTAs != 1 || slices.ContainsFunc(m.Cluster, func(n int) bool { return n != 1 }):
		return "blocks in clusters (num_ctas, cluster_dims)"
	case m.Together:
		return "a cooperative grid"
	case m.Dependent:
		return "a programmatic dependent launch"
	case m.Profile > 0:
		return "memory for profiles (profile_scratch_size): compile without the profiler"
	case m.Measured != "":
		return "instrumentation " + strconv.Quote(m.Measured) + ": compile without it"
	case len(m.Tensors) > 0:
		return "tensor descriptors made by the host: pass addresses"
	}
	return ""
}

// arch is what compilers call the architecture; "" if it is none.
func (m *metadata) arch() string {
	switch v := m.Target.Arch.(type) {
	case float64:
		return fmt.Sprintf("sm_%d", int(v))
	case string:
		return v
	}
	return ""
}

// added says how many parameters a version of Triton has behind the kernel's own: scratch
// memory since 3.3, and memory for profiles since 3.5. Read in what these versions compile;
// before 3.5 they need a linker of ROCm's for AMD's GPUs.
func added(version, backend string) (int, error) {
	if version == "" && backend == "cuda" {
		return 0, nil
	}
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	switch {
	case err == nil && major == "3" && n >= 5 && n <= 9:
		return 2, nil
	case err == nil && major == "3" && (n == 3 || n == 4) && backend == "cuda":
		return 1, nil
	}
	return 0, fmt.Errorf("what Triton %q adds to the parameters of a kernel for %s is not known: compile with 3.5 to 3.9", version, backend)
}

// as gives a parameter the name and type of a signature.
func (p *Param) as(s parameter) error {
	kind, aligned, _ := strings.Cut(s.Type, ":")
	if aligned != "" {
		n, err := strconv.Atoi(aligned)
		if err != nil || n < 1 {
			return fmt.Errorf("%q: behind the colon stands what it is a multiple of", s.Type)
		}
		p.Aligned = n
	}
	size, is := sizeOf(kind), kindOf(strings.HasPrefix(kind, "*"))
	switch {
	case size == 0:
		return fmt.Errorf("%q is no type of Triton's", s.Type)
	case size != p.Size:
		return fmt.Errorf("%s %s has %d bytes, in the code %d", s.Name, s.Type, size, p.Size)
	case p.Kind != Unknown && p.Kind != is:
		return fmt.Errorf("%s %s: in the code it is %v", s.Name, s.Type, p.Kind)
	}
	p.Name, p.Type, p.Kind = s.Name, kind, is
	return nil
}

// sizeOf is how many bytes a parameter of a type has; 0 for what is none.
func sizeOf(kind string) uintptr {
	if strings.HasPrefix(kind, "*") {
		return 8
	}
	return map[string]uintptr{
		"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u1": 1, "u8": 1, "u16": 2, "u32": 4, "u64": 8,
		"fp16": 2, "bf16": 2, "fp32": 4, "f32": 4, "fp64": 8,
	}[kind]
}
