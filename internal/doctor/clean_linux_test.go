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

// here cleans one folder of this machine, where the processes are real.
func here(t *testing.T) (Cleaner, string) {
	t.Helper()
	dir := t.TempDir()
	return Cleaner{Root: "/", Places: []string{dir}, UID: os.Getuid()}, dir
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
	open, mapped := put(t, "x", dir, "nccl-AAAAAA"), put(t, "x", dir, "mpich_shar_tmpBBBBBB")
	put(t, "x", dir, "nccl-CCCCCC")
	pid, stop := holding(t, open)
	f, err := os.Open(mapped)
	must(t, err)
	memory, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ, unix.MAP_SHARED)
	must(t, err)
	must(t, f.Close())

	unused, kept := c.List()
	if got := names(unused); !slices.Equal(got, []string{"nccl-CCCCCC"}) || len(kept) != 2 {
		t.Errorf("unused %v, kept %v", got, kept)
	}
	if l := only(t, kept, "nccl-AAAAAA"); !slices.Equal(l.Users, []int{pid}) || l.State != InUse {
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
	taken, replaced, linked := put(t, "x", dir, "nccl-AAAAAA"), put(t, "x", dir, "nccl-BBBBBB"), put(t, "x", dir, "nccl-CCCCCC")
	victim := put(t, "x", t.TempDir(), "victim")
	unused, _ := c.List()
	_, stop := holding(t, taken)
	defer stop()
	must(t, os.Rename(put(t, "new", dir, "other"), replaced))
	must(t, os.Remove(linked))
	must(t, os.Symlink(victim, linked))
	for name, want := range map[string]string{"nccl-AAAAAA": "in use by process", "nccl-BBBBBB": "something else", "nccl-CCCCCC": "something else"} {
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
	put(t, "x", dir, "ompi.node.0", "pid.999999999", "deep", "x")
	must(t, os.Symlink(filepath.Dir(victim), filepath.Join(dir, "ompi.node.0", "pid.999999999", "link")))
	must(t, os.Symlink(filepath.Dir(filepath.Dir(victim)), filepath.Join(dir, "ompi.node.1")))
	must(t, os.Symlink(victim, filepath.Join(dir, "nccl-AAAAAA")))
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
	inner := put(t, "x", dir, "ompi.node.0", "pid.999999999", "x")
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
	file := put(t, "x", dir, "ompi.node.0", "pid.999999999", "x")
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
// open.
func TestOpenToOthers(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{0o600: Unused, 0o644: Unclear} {
		dir := t.TempDir()
		must(t, os.Chmod(put(t, "x", dir, "nccl-AAAAAA"), mode))
		if l := FindLeftovers("/", []string{dir}, 4242); len(l) != 1 || l[0].State != want {
			t.Errorf("mode %o: %v, want %s", mode, l, want)
		}
	}
}
