package doctor

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/goshmem/goshmem/internal/info"
)

// The states of a leftover.
const (
	InUse   = "in use"  // a living process has it open or mapped, or made it
	Unused  = "unused"  // nobody has
	Unclear = "unclear" // processes that cannot be looked into, or not be seen, may have
)

// Leftover is a file or folder that another library made for a job.
type Leftover struct {
	Path    string `json:"path"`
	Library string `json:"library"`
	Size    int64  `json:"size"` // bytes, of a folder all that is in it
	UID     int    `json:"uid"`  // owner; -1: unknown
	State   string `json:"state"`
	Users   []int  `json:"users,omitempty"` // processes

	place  string      // folder in which it was looked for
	name   string      // its path in place
	self   fs.FileInfo // what it was when it was found
	inside []fs.FileInfo
	maker  int   // process in its name; 0: none
	kind   kind  // what it was recognised as
	hidden []int // processes that could not be looked into
	beyond bool  // there are processes that this one cannot even see
}

// Places lists where libraries leave files on this machine.
func Places() []string {
	return slices.Compact([]string{"/dev/shm", "/tmp", filepath.Clean(os.TempDir())})
}

// FindLeftovers looks in places below root, and who uses what is there, as far as
// user uid can see it. One who is confined to a container cannot see everybody.
func FindLeftovers(root string, places []string, uid int, confined bool) []Leftover {
	var list []Leftover
	for _, place := range places {
		for _, name := range entries(root, place) {
			list = append(list, recognise(root, place, name)...)
		}
	}
	if len(list) == 0 {
		return nil
	}
	users := readUsers(root, uid, confined)
	for i := range list {
		list[i].judge(root, users)
	}
	return list
}

// recognise returns the leftovers that a name in a place stands for.
func recognise(root, place, name string) []Leftover {
	for _, k := range kinds() {
		found := k.match(root, place, name)
		switch {
		case found == nil:
		case k.under == nil:
			return examine(root, place, name, k, found)
		default:
			return k.jobs(root, place, name)
		}
	}
	return nil
}

// jobs returns the session folders in a folder that holds one for each job.
func (k kind) jobs(root, place, name string) []Leftover {
	if i, err := os.Lstat(filepath.Join(root, place, name)); err != nil || !i.IsDir() {
		return nil
	}
	var list []Leftover
	for _, inner := range entries(root, path.Join(place, name)) {
		if found := k.under.FindStringSubmatch(inner); found != nil {
			list = append(list, examine(root, place, path.Join(name, inner), k, found)...)
		}
	}
	return list
}

// examine looks at a file, or at all of a session folder. One in which anything
// lies that Open MPI does not make is none of its folders, or somebody has put
// work there. What has just gone is no leftover either.
func examine(root, place, name string, k kind, found []string) []Leftover {
	l := Leftover{Path: path.Join(place, name), Library: k.library, place: filepath.Join(root, place), name: name, kind: k}
	full := filepath.Join(root, l.Path)
	self, err := os.Lstat(full)
	if err != nil || !k.fits(self) {
		return nil
	}
	l.self, l.UID = self, owner(self)
	if len(found) > 1 {
		l.maker, _ = strconv.Atoi(found[1]) // digits only; a number too long is no process
	}
	folders, files := inSession()
	err = filepath.WalkDir(full, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if known := map[bool]*regexp.Regexp{true: folders, false: files}[d.IsDir()]; file != full && !known.MatchString(d.Name()) {
			return fs.ErrInvalid
		}
		i, err := d.Info()
		if err == nil && i.Mode().IsRegular() {
			l.Size += i.Size()
		}
		l.inside = append(l.inside, i)
		return err
	})
	if err != nil {
		return nil
	}
	return []Leftover{l}
}

// judge finds the state. What only its owner may open cannot be in use by a
// process of somebody else, but for one of root. A container may share a folder
// with others, in which the same user has processes that are not seen from here.
func (l *Leftover) judge(root string, u users) {
	l.Users, l.hidden, l.beyond = u.of(l), u.hidden, u.confined
	if _, err := os.Stat(filepath.Join(root, "proc", strconv.Itoa(l.maker))); err == nil && l.maker > 0 {
		l.Users = append(l.Users, l.maker)
	}
	slices.Sort(l.Users)
	l.Users = slices.Compact(l.Users)
	switch {
	case len(l.Users) > 0:
		l.State = InUse
	case u.confined, u.blind && l.self.Mode()&0o077 != 0:
		l.State = Unclear
	default:
		l.State = Unused
	}
}

func leftoverChecks() []Check {
	return []Check{
		{ID: "leftover.unused", Severity: Warning, Looks: "files of other libraries' jobs are left that no process uses",
			Why: "they hold memory (in /dev/shm) or space, and a new job that finds one under a name it needs fails",
			Fix: "goshmem doctor clean", find: unusedLeftovers},
		{ID: "leftover.unclear", Severity: Note, Looks: "files of other libraries' jobs may be left: they belong to others, or processes of others may use them",
			Why: "they hold memory (in /dev/shm) or space; goshmem does not delete what may be in use",
			Fix: "look with: fuser -v FILE (as root), and let the owner run goshmem doctor clean", find: unclearLeftovers},
	}
}

func unusedLeftovers(m *Machine) []Sight {
	return summary(m.Leftovers, func(l Leftover) bool { return l.State == Unused && l.UID == m.Kernel.UID })
}

func unclearLeftovers(m *Machine) []Sight {
	return summary(m.Leftovers, func(l Leftover) bool {
		return l.State == Unclear || (l.State == Unused && l.UID != m.Kernel.UID)
	})
}

// summary is one sight for each library and owner.
func summary(list []Leftover, wanted func(Leftover) bool) []Sight {
	type group struct {
		paths []string
		size  int64
	}
	groups := map[string]group{}
	for _, l := range list {
		if wanted(l) {
			key := l.Library + " (user " + strconv.Itoa(l.UID) + ")"
			g := groups[key]
			groups[key] = group{append(g.paths, l.Path), g.size + l.Size}
		}
	}
	var sights []Sight
	for _, key := range sortedKeys(groups) {
		g := groups[key]
		sights = append(sights, see("%s: %s, %s: %s", key, plural(len(g.paths), "file"), info.Size(g.size), few(g.paths)))
	}
	return sights
}
