package host

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// available is how many bytes this process could get and how many there are: of the
// machine, or of its control group, if that allows less.
func available() (free, total uint64) {
	text := read("/proc/meminfo")
	free, total = field(text, "MemAvailable:")<<10, field(text, "MemTotal:")<<10
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for group := parts[2]; ; group = path.Dir(group) {
			limit, used := groupMemory(parts[1], group)
			if limit > 0 {
				total = min(total, limit)
				free = min(free, less(limit, used))
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return free, total
}

// groupMemory is the limit of a control group, 0 for none, and what is used of it and
// cannot be dropped.
func groupMemory(controllers, group string) (limit, used uint64) {
	switch controllers {
	case "": // version 2
		in := func(name string) string { return read(path.Join("/sys/fs/cgroup", group, name)) }
		return number(in("memory.max")), less(number(in("memory.current")), field(in("memory.stat"), "inactive_file"))
	case "memory": // version 1, which has a number near the largest one for none
		in := func(name string) string { return read(path.Join("/sys/fs/cgroup/memory", group, name)) }
		return number(in("memory.limit_in_bytes")), less(number(in("memory.usage_in_bytes")), field(in("memory.stat"), "total_inactive_file"))
	}
	return 0, 0
}

// less is a-b, and never below 0.
func less(a, b uint64) uint64 { return a - min(a, b) }

// read is the text of a file, "" if there is none.
func read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// number is 0 for a word.
func number(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// field is the number after a name at the start of a line.
func field(text, name string) uint64 {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			return number(words[1])
		}
	}
	return 0
}
