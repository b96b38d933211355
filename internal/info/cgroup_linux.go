package info

import (
	"path"
	"strconv"
	"strings"
)

// cgroupLimit is the smallest memory limit of the control groups that this
// process is in: a limit of an outer group holds for the inner ones.
func cgroupLimit(root string) int64 {
	smallest := int64(Unlimited)
	for line := range strings.Lines(readText(root, "proc/self/cgroup")) {
		folder, group, file := memoryGroup(strings.TrimSpace(line))
		for ; file != ""; group = path.Dir(group) {
			n := groupLimit(readText(root, path.Join(folder, group, file)))
			if n != Unlimited && (smallest == Unlimited || n < smallest) {
				smallest = n
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return smallest
}

// memoryGroup takes a line "id:controllers:group" apart: where the hierarchy is
// mounted, the group, and the file that has its memory limit; no file if the
// hierarchy does not limit memory.
func memoryGroup(line string) (folder, group, file string) {
	id, rest, _ := strings.Cut(line, ":")
	controllers, group, ok := strings.Cut(rest, ":")
	switch {
	case !ok:
		return "", "", ""
	case id == "0" && controllers == "":
		return "sys/fs/cgroup", group, "memory.max"
	case strings.Contains(","+controllers+",", ",memory,"):
		return "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"
	}
	return "", "", ""
}

// groupLimit reads a limit. Version 1 writes a number near the largest one for
// "none", so anything above what a machine can have counts as none.
func groupLimit(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n > 1<<60 {
		return Unlimited
	}
	return n
}
