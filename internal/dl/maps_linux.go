package dl

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mapping is a part of the address space that a file is mapped to.
type mapping struct {
	from, to uintptr
	path     string
}

type mappings []mapping

// readMaps reads what is mapped into this process. The kernel's list has the
// real path of each file, whatever links led there. Without it nothing is found.
func readMaps() mappings {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	var list mappings
	for line := range strings.Lines(string(text)) {
		if m, ok := parseMapping(line); ok {
			list = append(list, m)
		}
	}
	return list
}

// parseMapping reads "from-to perms offset dev inode path"; only the path may
// have spaces in it.
func parseMapping(line string) (mapping, bool) {
	fields := strings.Fields(line)
	slash := strings.Index(line, "/")
	if len(fields) < 6 || slash < 0 {
		return mapping{}, false
	}
	low, high, _ := strings.Cut(fields[0], "-")
	from, err1 := strconv.ParseUint(low, 16, 64)
	to, err2 := strconv.ParseUint(high, 16, 64)
	if err1 != nil || err2 != nil {
		return mapping{}, false
	}
	return mapping{uintptr(from), uintptr(to), strings.TrimSuffix(line[slash:], "\n")}, true
}

// at is the file that addr belongs to, or "".
func (list mappings) at(addr uintptr) string {
	for _, m := range list {
		if m.from <= addr && addr < m.to {
			return m.path
		}
	}
	return ""
}

// named is the first file whose name is soname, with or without more version
// numbers behind it, or "".
func (list mappings) named(soname string) string {
	for _, m := range list {
		base := filepath.Base(m.path)
		if base == soname || strings.HasPrefix(base, soname+".") {
			return m.path
		}
	}
	return ""
}

// Mapped lists the files in this process that have one of the names, with or without
// more version numbers behind it, links resolved, each once. Two of them have each a state
// of its own.
func Mapped(names ...string) []string {
	var list []string
	for _, m := range readMaps() {
		base := filepath.Base(m.path)
		ours := func(name string) bool { return base == name || strings.HasPrefix(base, name+".") }
		if slices.ContainsFunc(names, ours) && !slices.Contains(list, m.path) {
			list = append(list, m.path)
		}
	}
	return list
}
