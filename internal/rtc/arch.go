package rtc

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
)

// goal is how the compiler is told the architecture, and which form of code comes out.
type goal struct {
	option string
	code   string // the part of the function's name: CUBIN, PTX, Code
}

// goal asks whether the compiler knows arch before it is asked to compile for it:
// hipRTC 5.2 ends the process over one that it does not know.
func (c *compiler) goal(arch string) (goal, error) {
	if c.kind == HIPRTC {
		return c.goalOfAMD(arch)
	}
	number, family := strings.CutPrefix(arch, "sm_")
	n, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if !family || err != nil {
		return goal{}, c.unknown(arch, "such as sm_90")
	}
	known, err := c.supported()
	if err != nil {
		return goal{}, err
	}
	switch {
	case len(known) == 0 || slices.Contains(known, int32(n)):
		return goal{"--gpu-architecture=" + arch, "CUBIN"}, nil
	case int32(n) > slices.Max(known):
		return goal{fmt.Sprintf("--gpu-architecture=compute_%d", slices.Max(known)), "PTX"}, nil
	}
	return goal{}, c.unknown(arch, fmt.Sprint("sm_ with one of ", known))
}

// supported is NVRTC's list of architectures; it is empty before CUDA 11.2, which had no such function.
func (c *compiler) supported() ([]int32, error) {
	if _, err := c.library.Lookup("nvrtcGetSupportedArchs"); err != nil {
		return nil, nil
	}
	s := dl.Borrow()
	defer s.Return()
	n := dl.Out[int32](s)
	if err := c.call("GetNumSupportedArchs", dl.Addr(n)); err != nil {
		return nil, err
	}
	if *n < 1 || *n > 1000 {
		return nil, fmt.Errorf("%s says that it knows %d architectures: it is no compiler that we can use", c.version(), *n)
	}
	list := dl.OutSlice[int32](s, int(*n))
	if err := c.call("GetSupportedArchs", dl.Addr(&list[0])); err != nil {
		return nil, err
	}
	return slices.Clone(list), nil
}

// versionOfAMD is hipRTC's version by the name of its file, as in libhiprtc.so.6.4.43483,
// else that of the runtime, which comes with it; 0.0 if neither tells. What hiprtcVersion
// says does not help: it is 9.0 with HIP 5.2.3, and in the source of later versions.
func versionOfAMD(path, driver string) (major, minor int) {
	_, name, _ := strings.Cut(filepath.Base(path), ".so.")
	for _, text := range []string{name, driver} {
		if n, _ := fmt.Sscanf(text, "%d.%d", &major, &minor); n == 2 {
			return major, minor
		}
	}
	return 0, 0
}

// goalOfAMD looks into a table, for hipRTC has no list to ask for. Features behind a
// colon, as in gfx90a:xnack-, are the compiler's affair.
func (c *compiler) goalOfAMD(arch string) (goal, error) {
	name, _, _ := strings.Cut(arch, ":")
	var known []string
	for _, step := range archsOfAMD() {
		if c.major > step.major || c.major == step.major && c.minor >= step.minor {
			known = append(known, step.archs...)
		}
	}
	if !slices.Contains(known, name) {
		return goal{}, c.unknown(arch, strings.Join(known, " "))
	}
	return goal{"--offload-arch=" + arch, "Code"}, nil
}

// step is what a version of HIP added.
type step struct {
	major, minor int
	archs        []string
}

// archsOfAMD is cautious: an architecture stands at the first version that is known to
// compile for it, and may have come earlier.
//
// Origin: the first line was compiled for with Debian's HIP 5.2.3. gfx1100: rocWMMA's
// release notes for ROCm 5.5.0 (gfx11 with hipRTC) and PyTorch's builds for 5.5. gfx942:
// ROCm's compatibility matrix, from 6.0.0 on. The others are in the list of files of
// rocm-device-libs: gfx1101 and gfx1102 of 6.0.2, gfx1200 and gfx1201 of 6.2.0, gfx950 of
// 6.4.1; for gfx950 hipFFT's release notes for ROCm 7.0.0 are waited for.
func archsOfAMD() []step {
	return []step{
		{0, 0, []string{"gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1012", "gfx1030"}},
		{5, 5, []string{"gfx1100"}},
		{6, 0, []string{"gfx942"}},
		{6, 1, []string{"gfx1101", "gfx1102"}},
		{6, 2, []string{"gfx1200", "gfx1201"}},
		{7, 0, []string{"gfx950"}},
	}
}

func (c *compiler) unknown(arch, known string) error {
	return fmt.Errorf("%s: %w: it does not compile for %q, only for %s", c.version(), ErrArch, arch, known)
}
