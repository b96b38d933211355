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
	Unclear = "unclear" // processes of others, which cannot be looked into, may have
)

// Leftover is a file or folder that another library made for a job.
type Leftover struct {
	Path    string `json:"path"`
	Library string `json:"library"`
	Size    int64  `json:"size"` // bytes, of a folder all that is in it
	UID     int    `json:"uid"`  // owner; -1: unknown
	State   string `json:"state"`
	Users   []int  `json:"users,omitempty"` // processes

	place  string // folder in which it was looked for
	name   string // its path in place
	kind   kind
	self   fs.FileInfo // what it was when it was found
	inside []fs.FileInfo
	maker  int // process in its name; 0: none
}

// kind is how a library names its files.
type kind struct {
	library string
	name    *regexp.Regexp // the group, if there is one, is the process that made it
	under   *regexp.Regexp // for folders that hold one folder per job: the inner name
	folder  bool           // a folder, anywhere; else a file in shared memory
}

// kinds is a table. The names are those in the sources of UCX (mm_posix.c), MPICH
// (the templates of its shared segments), NCCL (shmutils.cc), libfabric (sm2 and
// psm3), NVSHMEM's test scripts, Open MPI (btl vader; its session folders as seen
// with 4.1) and PyTorch (the handles of its shared storage).
func kinds() []kind {
	named := func(library, name string) kind {
		return kind{library: library, name: regexp.MustCompile("^" + name + "$")}
	}
	folder := func(library, name string) kind {
		k := named(library, name)
		k.folder = true
		return k
	}
	session := func(name, under string) kind {
		k := folder("Open MPI", name)
		k.under = regexp.MustCompile("^" + under + "$")
		return k
	}
	return []kind{
		named("Open MPI", `(?:vader|sm)_segment\.[\w.-]+\.[0-9a-f]+\.\d+`),
		session(`ompi\.[^.].*\.\d+`, `(?:pid\.(\d+)|jf\.\d+)`),
		session(`prte\.[^.].*\.\d+`, `dvm\.(\d+)`),
		folder("Open MPI", `ompi\.(\d+)`),
		folder("Open MPI", `openmpi-sessions-[\w-]+@[\w.-]+_\d+`),
		named("libfabric", `fi_sm2_[\w:-]+`),
		named("libfabric", `(?:psm[23]_shm|sem\.psm3_nic_affinity|psm3_nic_affinity)[.\w-]*`),
		named("NCCL", `nccl-\w{6}`),
		named("NVSHMEM", `nvshmem-shm[.-]\d+`),
		named("UCX", `ucx_shm_posix_[0-9a-f]+`),
		named("PyTorch", `torch_(\d+)_\d+(?:_\d+)?`),
		named("MPICH", `mpich_shar_tmp\w{6}`),
	}
}

// Places lists where libraries leave files on this machine.
func Places() []string {
	return slices.Compact([]string{"/dev/shm", "/tmp", filepath.Clean(os.TempDir())})
}

// FindLeftovers looks in places below root, and who uses what is there, as far as
// user uid can see it.
func FindLeftovers(root string, places []string, uid int) []Leftover {
	var list []Leftover
	for _, place := range places {
		for _, name := range entries(root, place) {
			list = append(list, recognise(root, place, name)...)
		}
	}
	if len(list) == 0 {
		return nil
	}
	users := readUsers(root, uid)
	for i := range list {
		list[i].judge(root, users)
	}
	return list
}

// holdsFiles says whether libraries leave files in a place, and not only folders: in
// shared memory, and wherever the user asks us to look. Elsewhere a file with such a
// name is rather somebody's work.
func holdsFiles(place string) bool {
	return place == "/dev/shm" || !slices.Contains(Places(), place)
}

// recognise returns the leftovers that a name in a place stands for.
func recognise(root, place, name string) []Leftover {
	for _, k := range kinds() {
		found := k.name.FindStringSubmatch(name)
		switch {
		case found == nil, !k.folder && !holdsFiles(place):
		case k.under == nil:
			return examine(root, place, name, k, found)
		default:
			var list []Leftover
			if i, err := os.Lstat(filepath.Join(root, place, name)); err != nil || !i.IsDir() {
				return nil
			}
			for _, inner := range entries(root, path.Join(place, name)) {
				if found := k.under.FindStringSubmatch(inner); found != nil {
					list = append(list, examine(root, place, path.Join(name, inner), k, found)...)
				}
			}
			return list
		}
	}
	return nil
}

// examine looks at a file, or at all of a folder. What is neither, above all a
// link, is no leftover of any library; nor is what has just gone.
func examine(root, place, name string, k kind, found []string) []Leftover {
	l := Leftover{Path: path.Join(place, name), Library: k.library, kind: k, place: filepath.Join(root, place), name: name}
	full := filepath.Join(root, l.Path)
	self, err := os.Lstat(full)
	if err != nil || self.IsDir() != k.folder || !self.IsDir() && !self.Mode().IsRegular() {
		return nil
	}
	l.self, l.UID = self, owner(self)
	if len(found) > 1 {
		l.maker, _ = strconv.Atoi(found[1]) // digits only; a number too long is no process
	}
	err = filepath.WalkDir(full, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
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
// process of somebody else, but for one of root.
func (l *Leftover) judge(root string, u users) {
	l.Users = u.of(l)
	if _, err := os.Stat(filepath.Join(root, "proc", strconv.Itoa(l.maker))); err == nil && l.maker > 0 {
		l.Users = append(l.Users, l.maker)
	}
	slices.Sort(l.Users)
	l.Users = slices.Compact(l.Users)
	switch {
	case len(l.Users) > 0:
		l.State = InUse
	case u.blind && l.self.Mode()&0o077 != 0:
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
