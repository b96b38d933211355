package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// users is what processes have open, mapped, bound or as their folder.
type users struct {
	holds    []hold
	hidden   []int // processes that could not be looked into, sorted
	blind    bool  // there may be such ones, or ones that could not even be seen
	confined bool  // there are: those outside of this container
}

// initialNamespace is the number that Linux gives the first process namespace.
const initialNamespace = "pid:[4026531836]"

// Confined says whether this process sees only the processes of its container. One
// that cannot find out counts as confined.
func Confined(root string) bool {
	namespace, err := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	return err != nil || namespace != initialNamespace
}

// hold is one file in use, by the path that its process sees.
type hold struct {
	process int // 0: unknown
	path    string
}

// readUsers looks into every process that user uid may look into.
func readUsers(root string, uid int, confined bool) users {
	u := users{blind: uid != 0, confined: confined}
	for _, name := range entries(root, "proc") {
		process, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		folder := filepath.Join(root, "proc", name)
		u.descriptors(process, folder)
		u.mappings(process, folder)
		u.link(process, filepath.Join(folder, "cwd"))
	}
	slices.Sort(u.hidden)
	u.hidden = slices.Compact(u.hidden)
	// A bound socket shows no path in its descriptor.
	u.add(0, text(root, "proc/net/unix"))
	return u
}

// link adds what a link leads to.
func (u *users) link(process int, name string) {
	if target, err := os.Readlink(name); err == nil && strings.HasPrefix(target, "/") {
		u.holds = append(u.holds, hold{process, target})
	}
}

// refused notes a process that may not be looked into. Threads of the kernel, which
// have no command line, are not worth a name.
func (u *users) refused(process int, folder string, err error) {
	if !errors.Is(err, fs.ErrPermission) {
		return
	}
	u.blind = true
	if text(folder, "cmdline") != "" {
		u.hidden = append(u.hidden, process)
	}
}

// descriptors adds the open files. A process that has just ended has none.
func (u *users) descriptors(process int, folder string) {
	list, err := os.ReadDir(filepath.Join(folder, "fd"))
	u.refused(process, folder, err)
	for _, e := range list {
		u.link(process, filepath.Join(folder, "fd", e.Name()))
	}
}

// mappings adds the mapped files.
func (u *users) mappings(process int, folder string) {
	maps, err := os.ReadFile(filepath.Join(folder, "maps"))
	u.refused(process, folder, err)
	u.add(process, string(maps))
}

// add reads a table of the kernel, in which a path is the last of a line.
func (u *users) add(process int, table string) {
	for line := range strings.Lines(table) {
		if at := strings.Index(line, " /"); at >= 0 {
			u.holds = append(u.holds, hold{process, strings.TrimSpace(line[at:])})
		}
	}
}

// of lists the processes that use a leftover or something inside it. Another
// container may see it below another folder, so its name alone is enough.
func (u users) of(l *Leftover) []int {
	var list []int
	for _, h := range u.holds {
		if strings.HasSuffix(h.path, "/"+l.name) || strings.Contains(h.path, "/"+l.name+"/") {
			list = append(list, h.process)
		}
	}
	return list
}
