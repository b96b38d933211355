package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/mask"
)

func deviceChecks() []Check {
	return []Check{
		{ID: "device.denied", Severity: Warning, Looks: "a GPU's device file is there, but this user may not open it",
			Why: "libraries then say that there is no device, or the wrong driver",
			Fix: "add the user to the groups that own the files (usermod -aG render,video), or pass them to the container: docker run --gpus all, or --device /dev/kfd --device /dev/dri", find: denied},
		{ID: "mask.stacked", Severity: Warning, anywhere: true, Looks: "several variables hide devices, one after the other",
			Why: "each counts among the devices that the one below it left, numbered anew from 0: " + mask.ROCR + "=4,5 leaves 0 and 1, and " + mask.HIP + "=0,1 then means both of them. The one below is " + mask.ROCR + "; of " + mask.HIP + " and " + mask.CUDA + " HIP takes the first",
			Fix: "set one of them only: " + mask.ROCR + " on AMD (it also holds for OpenCL and OpenMP), " + mask.CUDA + " on NVIDIA", find: stacked},
		{ID: "mask.range", Severity: Error, anywhere: true, Looks: "a variable that hides devices names one that is not there",
			Why: "the list ends at the first device that does not exist: the ones behind it are hidden too, often all",
			Fix: "name devices below the number that is left", find: outOfRange},
		{ID: "mask.all", Severity: Note, anywhere: true, Looks: "a variable hides all devices",
			Why: "programs run as if the machine had no GPU",
			Fix: "unset the variable, unless that is wanted", find: allHidden},
	}
}

func denied(m *Machine) []Sight {
	var paths []string
	for _, d := range m.Devices {
		if !d.Usable && (strings.HasPrefix(d.Kind, "AMD") || strings.HasPrefix(d.Kind, "NVIDIA")) {
			paths = append(paths, d.Path)
		}
	}
	return seeIf(len(paths) > 0, "user %d may not open %s", m.Kernel.UID, few(paths))
}

// count is how many devices of a kind there are.
func (m *Machine) count(kind string) int {
	n := 0
	for _, d := range m.Devices {
		if d.Kind == kind {
			n++
		}
	}
	return n
}

// layers lists the masks that work on this machine, with how many devices each
// counts among; 0: unknown.
func (m *Machine) layers() map[string]int {
	nvidia, amd := m.count("NVIDIA GPU"), m.count("AMD render node")
	if nvidia > 0 && amd == 0 {
		return map[string]int{mask.CUDA: nvidia}
	}
	left := amd
	if rocr := m.Env[mask.ROCR]; rocr != "" {
		left = len(strings.Split(rocr, ","))
	}
	layers := map[string]int{mask.ROCR: amd, mask.HIP: left, mask.CUDA: left, mask.Ordinal: left}
	if nvidia > 0 {
		layers[mask.CUDA] = 0 // it counts among both vendors' devices, each for itself
	}
	return layers
}

// stacked is silent about what changes nothing: all devices that are left, and two
// names of one layer that say the same.
func stacked(m *Machine) []Sight {
	var set []string
	layers := m.layers()
	for _, name := range mask.Names() {
		n, works := layers[name]
		value := m.Env[name]
		same := name == mask.CUDA && value == m.Env[mask.HIP]
		if works && value != "" && !same && !(name != mask.ROCR && value == firstOf(n)) {
			set = append(set, name+"="+value)
		}
	}
	return seeIf(len(set) > 1, "%s", strings.Join(set, " and "))
}

// firstOf is the mask that names n devices in their order; "" for none.
func firstOf(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return strings.Join(names, ",")
}

func outOfRange(m *Machine) []Sight {
	var list []Sight
	layers := m.layers()
	for _, name := range mask.Names() {
		n := layers[name]
		for index := range strings.SplitSeq(m.Env[name], ",") {
			i, err := strconv.Atoi(strings.TrimSpace(index))
			if n == 0 || err != nil || i < n { // an identifier, or a device that is there
				continue
			}
			left := ""
			if rocr := m.Env[mask.ROCR]; rocr != "" && name != mask.ROCR {
				left = fmt.Sprintf(" after %s=%s", mask.ROCR, rocr)
			}
			list = append(list, see("%s=%s names device %d, but there are %d%s (0 to %d)", name, m.Env[name], i, n, left, n-1))
			break
		}
	}
	return list
}

// allHidden reads the lines: an empty value of these variables is not none.
func allHidden(m *Machine) []Sight {
	if m.count("NVIDIA GPU")+m.count("AMD render node") == 0 {
		return nil
	}
	layers := m.layers()
	var list []Sight
	for _, name := range mask.Names() {
		_, works := layers[name]
		if value := m.Env[name]; works && (slices.Contains(m.Lines, name+"=") || strings.HasPrefix(value, "-")) {
			list = append(list, see("%s=%q", name, value))
		}
	}
	return list
}
