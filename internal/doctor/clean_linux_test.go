package doctor

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// here cleans a shared memory folder of its own, where the processes are real.
func here(t *testing.T) (Cleaner, string) {
	t.Helper()
	root := t.TempDir()
	must(t, os.Symlink("/proc", filepath.Join(root, "proc")))
	dir := filepath.Join(root, "dev/shm")
	must(t, os.MkdirAll(dir, 0o700))
	return Cleaner{Root: root, Places: []string{"/dev/shm"}, UID: os.Getuid()}, dir
}

func names(list []Leftover) []string {
	var all []string
	for _, l := range list {
		all = append(all, filepath.Base(l.Path))
	}
	slices.Sort(all)
	return all
}

func only(t *testing.T, list []Leftover, name string) Leftover {
	t.Helper()
	i := slices.IndexFunc(list, func(l Leftover) bool { return filepath.Base(l.Path) == name })
	if i < 0 {
		t.Fatalf("%s is not in %v", name, names(list))
	}
	return list[i]
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// holding starts a process that has a file open and nothing else to do; stop ends it.
func holding(t *testing.T, path string) (pid int, stop func()) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	c := exec.Command("cat")
	c.ExtraFiles = []*os.File{f}
	in, err := c.StdinPipe()
	must(t, err)
	must(t, c.Start())
	must(t, f.Close())
	stop = func() {
		must(t, in.Close())
		must(t, c.Wait())
	}
	return c.Process.Pid, stop
}

// TestCleanKeepsWhatIsHeld: a file that another process has open stays, one that is
// mapped stays, and both go when nobody has them any more.
func TestCleanKeepsWhatIsHeld(t *testing.T) {
	c, dir := here(t)
	open, mapped := put(t, "x", dir, "nccl-aAAAAA"), put(t, "x", dir, "mpich_shar_tmpBBBBBB")
	put(t, "x", dir, "nccl-cCCCCC")
	pid, stop := holding(t, open)
	f, err := os.Open(mapped)
	must(t, err)
	memory, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ, unix.MAP_SHARED)
	must(t, err)
	must(t, f.Close())

	unused, kept := c.List()
	if got := names(unused); !slices.Equal(got, []string{"nccl-cCCCCC"}) || len(kept) != 2 {
		t.Errorf("unused %v, kept %v", got, kept)
	}
	if l := only(t, kept, "nccl-aAAAAA"); !slices.Equal(l.Users, []int{pid}) || l.State != InUse {
		t.Errorf("%+v, want it in use by %d", l, pid)
	}
	if l := only(t, kept, "mpich_shar_tmpBBBBBB"); !slices.Equal(l.Users, []int{os.Getpid()}) {
		t.Errorf("%+v, want it in use by this process", l)
	}
	must(t, unix.Munmap(memory))
	stop()
	unused, kept = c.List()
	if len(unused) != 3 || len(kept) != 0 {
		t.Errorf("afterwards unused %v, kept %v", unused, kept)
	}
	for _, l := range unused {
		must(t, c.Remove(l))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestCleanLooksAgain: what comes into use, or is replaced, between the list and
// the deletion stays.
func TestCleanLooksAgain(t *testing.T) {
	c, dir := here(t)
	taken, replaced, linked := put(t, "x", dir, "nccl-aAAAAA"), put(t, "x", dir, "nccl-bBBBBB"), put(t, "x", dir, "nccl-cCCCCC")
	victim := put(t, "x", t.TempDir(), "victim")
	unused, _ := c.List()
	_, stop := holding(t, taken)
	defer stop()
	must(t, os.Rename(put(t, "new", dir, "other"), replaced))
	must(t, os.Remove(linked))
	must(t, os.Symlink(victim, linked))
	for name, want := range map[string]string{"nccl-aAAAAA": "in use by process", "nccl-bBBBBB": "something else", "nccl-cCCCCC": "something else"} {
		if err := c.Remove(only(t, unused, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	for _, path := range []string{taken, replaced, linked, victim} {
		if !exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
	if err := c.Remove(Leftover{Path: dir + "/x", place: dir + "/absent", name: "x"}); err == nil {
		t.Error("deletes in a folder that is not there")
	}
}

// TestCleanFollowsNoLink: links in a folder go, and what they lead to stays; a
// folder that is a link is not looked into.
func TestCleanFollowsNoLink(t *testing.T) {
	c, dir := here(t)
	victim := put(t, "x", t.TempDir(), "pid.1000000000", "victim")
	put(t, "x", dir, "ompi.node.0", "pid.999999999", "0", "contact.txt")
	must(t, os.Symlink(filepath.Dir(victim), filepath.Join(dir, "ompi.node.0", "pid.999999999", "pmix-link")))
	must(t, os.Symlink(filepath.Dir(filepath.Dir(victim)), filepath.Join(dir, "ompi.node.1")))
	must(t, os.Symlink(victim, filepath.Join(dir, "nccl-aAAAAA")))
	unused, kept := c.List()
	if got := names(unused); !slices.Equal(got, []string{"pid.999999999"}) || len(kept) > 0 {
		t.Fatalf("unused %v, kept %v", got, kept)
	}
	must(t, c.Remove(unused[0]))
	if !exists(victim) || exists(filepath.Join(dir, "ompi.node.0", "pid.999999999")) || !exists(filepath.Join(dir, "ompi.node.0")) {
		t.Error("deleted too much or too little")
	}
}

// TestCleanRefusesALinkOnTheWay: the folder above became a link after the list.
func TestCleanRefusesALinkOnTheWay(t *testing.T) {
	c, dir := here(t)
	inner := put(t, "x", dir, "ompi.node.0", "pid.999999999", "contact.txt")
	unused, _ := c.List()
	moved := filepath.Join(dir, "moved")
	must(t, os.Rename(filepath.Join(dir, "ompi.node.0"), moved))
	must(t, os.Symlink("moved", filepath.Join(dir, "ompi.node.0")))
	if err := c.Remove(only(t, unused, "pid.999999999")); err == nil || !strings.Contains(err.Error(), "folder above") {
		t.Errorf("error %v", err)
	}
	if !exists(inner) {
		t.Error("deleted through a link")
	}
}

// TestCleanKeepsWhatBelongsToOthers: to the cleaner of another user, these files
// are somebody else's.
func TestCleanKeepsWhatBelongsToOthers(t *testing.T) {
	c, dir := here(t)
	file := put(t, "x", dir, "ompi.node.0", "pid.999999999", "contact.txt")
	mine, _ := c.List()
	c.UID++
	if unused, kept := c.List(); len(unused) != 0 || len(kept) != 1 {
		t.Errorf("unused %v, kept %v", unused, kept)
	}
	if err := c.Remove(mine[0]); err == nil || !exists(file) {
		t.Errorf("deletes what belongs to another user: %v", err)
	}
}

// TestOpenToOthers: a process that this user cannot see may use what others may
// open; in a container, one may use anything.
func TestOpenToOthers(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{0o600: Unused, 0o644: Unclear} {
		c, dir := here(t)
		must(t, os.Chmod(put(t, "x", dir, "nccl-aAAAAA"), mode))
		if l := FindLeftovers(c.Root, c.Places, 4242, false); len(l) != 1 || l[0].State != want {
			t.Errorf("mode %o: %v, want %s", mode, l, want)
		}
		l := FindLeftovers(c.Root, c.Places, 0, true)
		if len(l) != 1 || l[0].State != Unclear || !strings.Contains(l[0].String(), "outside of this container") {
			t.Errorf("mode %o in a container: %v", mode, l)
		}
	}
}

// TestCleanInAContainer: what another container may use is not deleted, though it
// was listed before.
func TestCleanInAContainer(t *testing.T) {
	c, dir := here(t)
	file := put(t, "x", dir, "nccl-aAAAAA")
	unused, _ := c.List()
	c.Confined = true
	if err := c.Remove(only(t, unused, "nccl-aAAAAA")); err == nil || !exists(file) {
		t.Errorf("deleted in a container: error %v", err)
	}
	if unused, kept := c.List(); len(unused) != 0 || len(kept) != 1 {
		t.Errorf("unused %v, kept %v", unused, kept)
	}
}

// TestConfined: only the first namespace is none of a container.
func TestConfined(t *testing.T) {
	for namespace, want := range map[string]bool{"pid:[4026531836]": false, "pid:[4026532201]": true, "": true} {
		root := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(root, "proc/self/ns"), 0o700))
		if namespace != "" {
			must(t, os.Symlink(namespace, filepath.Join(root, "proc/self/ns/pid")))
		}
		if got := Confined(root); got != want {
			t.Errorf("%q: confined %v", namespace, got)
		}
	}
}

// TestHiddenHaveNames: who cannot be looked into is named, a thread of the kernel
// is not.
func TestHiddenHaveNames(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Dir(put(t, "server", root, "proc/17/cmdline"))
	kernel := filepath.Dir(put(t, "", root, "proc/2/cmdline"))
	u := users{}
	u.refused(17, folder, fs.ErrPermission)
	u.refused(2, kernel, fs.ErrPermission)
	u.refused(18, folder, fs.ErrNotExist)
	if !u.blind || !slices.Equal(u.hidden, []int{17}) {
		t.Errorf("%+v", u)
	}
	l := Leftover{State: Unclear, hidden: u.hidden}
	if got, want := l.about(), "perhaps in use by process 17, which cannot be looked into"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCleanListsNoWork: names that look alike, wrong kinds, wrong places, and
// session folders with something in them that Open MPI does not make.
func TestCleanListsNoWork(t *testing.T) {
	c, shm := here(t)
	tmp := filepath.Join(c.Root, "tmp")
	c.Places = []string{"/dev/shm", "/tmp"}
	for _, place := range []string{shm, tmp} {
		for _, name := range []string{"nccl-source/main.c", "nccl-notes", "nccl-Source", "nccl-README", "nccl-run001", "nccl-aB3dE6/x",
			"sm_segment.go", "sm_segment.v1.2", "vader_segment.txt", "vader_segment.node.4e210001.0/x", "nvshmem-shm.c", "nvshmem-shm.0/x",
			"openmpi-sessions-of-me/x", "openmpi-sessions-0@node_0/thesis.tex", "ucx_shm_posix_notes", "ucx_shm_posix_bad.c",
			"fi_sm2_notes", "psm3_shm.c", "psm2_shm.1000.0", "torch_1_x", "mpich_shar_tmp", "ompi.6000/thesis.tex", "ompi.6001/1/2024",
			"ompi.node.0/notes", "ompi.node.0/pid.999999999/0/main.c", "prte.node.0/dvm.999999998/x", "ompi.6002", "ompi.node.1"} {
			put(t, "x", place, name)
		}
	}
	put(t, "x", shm, "folders", "nccl-notes", "x")
	for _, name := range []string{"nccl-zB3dE6", "ucx_shm_posix_1f2e3a4b", "nvshmem-shm.1", "fi_sm2_mmaps", "torch_999999999_1_1", "mpich_shar_tmpAbCdEf"} {
		put(t, "x", tmp, name)
	}
	must(t, os.MkdirAll(filepath.Join(shm, "folders", "nccl-source"), 0o700))
	c.Places = append(c.Places, "/dev/shm/folders")
	if list := FindLeftovers(c.Root, c.Places, c.UID, false); len(list) > 0 {
		t.Errorf("listed: %v", list)
	}
}

// TestCleanLooksIntoSessionsAgain: work put into a session folder after the list.
func TestCleanLooksIntoSessionsAgain(t *testing.T) {
	c, dir := here(t)
	put(t, "x", dir, "ompi.node.0", "pid.999999999", "contact.txt")
	unused, _ := c.List()
	work := put(t, "x", dir, "ompi.node.0", "pid.999999999", "main.c")
	if err := c.Remove(only(t, unused, "pid.999999999")); err == nil || !exists(work) {
		t.Errorf("deletes work: %v", err)
	}
}
