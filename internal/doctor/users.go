package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// users is what processes have open, mapped, bound or as their folder.
type users struct {
	holds []hold
	blind bool // there may be processes that could not be looked into, or not even seen
}

// hold is one file in use, by the path that its process sees.
type hold struct {
	process int // 0: unknown
	path    string
}

// contained says whether this process sees only some processes of the machine: its
// process numbers are not those of the first name space.
func contained(root string) bool {
	const first = "pid:[4026531836]"
	space, err := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	return err == nil && space != first
}

// readUsers looks into every process that user uid may look into.
func readUsers(root string, uid int) users {
	u := users{blind: uid != 0 || contained(root)}
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

// descriptors adds the open files. A process that has just ended has none.
func (u *users) descriptors(process int, folder string) {
	list, err := os.ReadDir(filepath.Join(folder, "fd"))
	u.blind = u.blind || errors.Is(err, fs.ErrPermission)
	for _, e := range list {
		u.link(process, filepath.Join(folder, "fd", e.Name()))
	}
}

// mappings adds the mapped files.
func (u *users) mappings(process int, folder string) {
	maps, err := os.ReadFile(filepath.Join(folder, "maps"))
	u.blind = u.blind || errors.Is(err, fs.ErrPermission)
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
