// Package mask knows the variables that hide GPUs from a process, and how they work on
// top of each other.
package mask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The variables that hide devices. ROCR works below the others: what it leaves is
// numbered anew from 0, and they count among that.
const (
	ROCR    = "ROCR_VISIBLE_DEVICES"
	HIP     = "HIP_VISIBLE_DEVICES"
	CUDA    = "CUDA_VISIBLE_DEVICES"
	Ordinal = "GPU_DEVICE_ORDINAL"
)

// Names lists them, the lowest first.
func Names() []string { return []string{ROCR, HIP, CUDA, Ordinal} }

// Set is a mask that is in force.
type Set struct{ Name, Value string }

// InForce returns the masks that hide devices of a platform, cuda or hip, in the order in
// which they work. Of HIP and CUDA the HIP runtime takes the first. A variable that is
// set but empty hides everything.
func InForce(platform string, lookup func(string) (string, bool)) []Set {
	layers := [][]string{{ROCR}, {HIP, CUDA}, {Ordinal}}
	switch platform {
	case "cuda":
		layers = [][]string{{CUDA}}
	case "host":
		layers = nil
	}
	var list []Set
	for _, names := range layers {
		for _, name := range names {
			if value, set := lookup(name); set {
				list = append(list, Set{name, value})
				break
			}
		}
	}
	return list
}

// Left returns the machine's devices that masks leave, as the masks name them: the
// first is device 0 of the process. A list ends at the first device that does not exist.
func Left(masks []Set) []string {
	var left []string
	for i, m := range masks {
		left = m.leave(left, i == 0)
	}
	return left
}

// leave applies a mask to the devices that another left, or to all of the machine.
func (m Set) leave(below []string, all bool) []string {
	var left []string
	for name := range strings.SplitSeq(m.Value, ",") {
		name = strings.TrimSpace(name)
		n, err := strconv.Atoi(name)
		switch {
		case name == "" || err == nil && n < 0 || err == nil && !all && n >= len(below):
			return left
		case err == nil && !all:
			name = below[n]
		}
		if !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	return left
}

// Explain says in one line which masks are in force on a platform and what they do to
// the numbers of its devices, "" if there are none.
func Explain(platform string, lookup func(string) (string, bool)) string {
	masks := InForce(platform, lookup)
	if len(masks) == 0 {
		return ""
	}
	set := make([]string, len(masks))
	for i, m := range masks {
		set[i] = m.Name + "=" + m.Value
	}
	left := Left(masks)
	if len(left) == 0 {
		return strings.Join(set, ", then ") + " hides all devices"
	}
	for i, name := range left {
		left[i] = fmt.Sprintf("%s:%d is the machine's %s", platform, i, name)
	}
	return strings.Join(set, ", then ") + ": " + strings.Join(left, ", ")
}
