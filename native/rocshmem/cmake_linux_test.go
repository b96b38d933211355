package rocshmem_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

// configure runs CMake as a user does, but without code for GPUs, and returns what it said.
// In a folder that was configured before it knows the compiler already.
func configure(t *testing.T, folder string, args ...string) (string, error) {
	t.Helper()
	cmake, err := exec.LookPath("cmake")
	if err != nil {
		skip.Now(t, skip.NoCMake, "no cmake in PATH")
	}
	all := append([]string{"-U", "HAVE_*", "-U", "rocshmem_DIR", "-U", "ROCSHMEM_HOME", "-S", ".", "-B", folder,
		"-DGOSHMEM_PLAIN=ON", "-DCMAKE_CXX_COMPILER=" + compiler(t, "g++"), "-DCMAKE_CXX_COMPILER_WORKS=1"}, args...)
	c := exec.Command(cmake, all...)
	c.Env = append(c.Environ(), "ROCSHMEM_HOME=", "ROCM_PATH="+folder)
	out, err := c.CombinedOutput()
	return strings.Join(strings.Fields(string(out)), " "), err
}

// TestCMake builds over installations of all kinds. All share a build folder.
func TestCMake(t *testing.T) {
	b := builder{folder: t.TempDir(), hip: filepath.Join(t.TempDir(), "libhip.so")}
	build(t, compiler(t, "g++"), b.hip, "-shared", "testdata/hip.cpp")
	for _, c := range []struct {
		name string
		home func(t *testing.T) string
		want string
	}{
		{"nothing", func(*testing.T) string { return "" }, "rocSHMEM was not found: set ROCSHMEM_HOME to what it was installed to"},
		{"no folder", func(*testing.T) string { return "/nowhere" }, "ROCSHMEM_HOME=/nowhere is no folder"},
		{"old", func(t *testing.T) string { return b.place(t, "3.4.0", nil, "gfx942") }, "the shim needs 3.5 or newer"},
		{"no PIC", func(t *testing.T) string { return b.place(t, "3.8.0", []string{"-fno-pic"}, "gfx942") }, "build rocSHMEM again with -DCMAKE_POSITION_INDEPENDENT_CODE=ON"},
		{"no GPU", func(t *testing.T) string { return b.place(t, "3.8.0", nil) }, "name them, as with -DGPU_TARGETS=gfx942"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, err := configure(t, b.folder, "-DROCSHMEM_HOME="+c.home(t)); err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v: %s\nwant: %s", err, out, c.want)
			}
		})
	}
	t.Run("every call arrives", b.everyCallArrives)
	t.Run("older library", b.olderLibrary)
	t.Run("headers of another version", b.headersOfAnotherVersion)
}

// builder builds shims in one folder.
type builder struct{ folder, hip string }

func (b builder) place(t *testing.T, version string, more []string, gpus ...string) string {
	t.Helper()
	return place(t, b.hip, version, more, gpus...)
}

// build is a shim over an installation.
func (b builder) build(t *testing.T, home string) string {
	t.Helper()
	if out, err := configure(t, b.folder, "-DROCSHMEM_HOME="+home); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run(t, "cmake", "--build", b.folder)
	path := filepath.Join(t.TempDir(), rocshmem.Soname) // what is loaded stays loaded
	if err := os.Rename(filepath.Join(b.folder, rocshmem.Soname), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// recorder is a shim over the library that records.
type recorder struct {
	*rocshmem.Library
	t   *testing.T
	lib *dl.Library
}

// open loads the shim at a path. What it records is in the library beside it.
func (b builder) open(t *testing.T, path string) recorder {
	t.Helper()
	l, err := rocshmem.Open(dl.Spec{Name: "shim", Path: path, Symbols: rocshmem.Symbols()})
	if err != nil {
		t.Fatal(err)
	}
	lib, _, err := dl.Open(dl.Spec{Name: "recorder", Path: b.hip, Symbols: []dl.Symbol{
		{Name: "goshmem_test_recorded", Required: true, For: "the test"}, {Name: "goshmem_test_device", Required: true, For: "the test"}}})
	if err != nil {
		t.Fatal(err)
	}
	return recorder{l, t, lib}
}

func (r recorder) word(name string) uintptr {
	r.t.Helper()
	fn, err := r.lib.Lookup(name)
	if err != nil {
		r.t.Fatal(err)
	}
	return dl.Call(fn)
}

// saw holds the latest call to what is wanted; it was made on device 5.
func (r recorder) saw(name string, want ...uint64) {
	r.t.Helper()
	text := "5 " + name
	for _, w := range want {
		text += fmt.Sprint(" ", w)
	}
	if got := dl.Text(r.word("goshmem_test_recorded"), 512); got != text {
		r.t.Errorf("called %q, want %q", got, text)
	}
	if device := r.word("goshmem_test_device"); device != 3 {
		r.t.Errorf("%s leaves device %d current", name, device)
	}
}

// everyCallArrives goes from Go through the shim that CMake has built to a library
// that records: each argument arrives in its place, on the device that was set, and the
// one before is current again.
func (b builder) everyCallArrives(t *testing.T) {
	r := b.open(t, b.build(t, b.place(t, "3.8.0", nil, "gfx942", "gfx90a")))
	about := r.Facts()
	if about.String() != "rocSHMEM 3.8.0 (0123abc), IPC, Release, for gfx90a gfx942" || !about.AtLeast(3, 8) || about.AtLeast(3, 9) || about.AtLeast(4, 0) {
		t.Errorf("it says %q, %+v", about, about)
	}
	for f := range rocshmem.Functions {
		if !r.Has(f) {
			t.Errorf("function %d is not in the shim", f)
		}
	}
	r.SetDevice(5)
	callAll(r.Library, r.saw)
	if team := r.TeamSplit(11, 22, 33, 44); team != 0 {
		t.Errorf("team %d", team)
	}
	r.starts("team_split_strided 11 22 33 44 0 0 ")
	if status := r.Begin(1, 2, [rocshmem.UniqueIDBytes]byte{}); status != 0 {
		t.Errorf("status %d", status)
	}
	r.starts("ctx_create 0 ")
	if world := r.TeamWorld(); world != 7007 {
		t.Errorf("world %d", world)
	}
}

// starts is saw where the last argument is an address in the shim.
func (r recorder) starts(want string) {
	r.t.Helper()
	if got := dl.Text(r.word("goshmem_test_recorded"), 512); !strings.HasPrefix(got, "5 "+want) {
		r.t.Errorf("called %q, want %q", got, want)
	}
}

// olderLibrary: what release 3.5 lacks is left out, and the shim says so.
func (b builder) olderLibrary(t *testing.T) {
	r := b.open(t, b.build(t, b.place(t, "3.5.0", nil, "gfx942")))
	var absent []rocshmem.Function
	for f := range rocshmem.Functions {
		if !r.Has(f) {
			absent = append(absent, f)
		}
	}
	if !slices.Equal(absent, []rocshmem.Function{rocshmem.FnSignalSetOnStream, rocshmem.FnSignalAddOnStream}) || !r.Facts().AtLeast(3, 5) {
		t.Errorf("%v is absent from %v", absent, r.Facts())
	}
}

// headersOfAnotherVersion: a shim that was put together from two installations is refused.
func (b builder) headersOfAnotherVersion(t *testing.T) {
	path := b.build(t, b.place(t, "3.8.0", []string{"-DOTHER_ARCHIVE"}, "gfx942"))
	_, err := rocshmem.Open(dl.Spec{Name: "shim", Path: path, Symbols: rocshmem.Symbols()})
	if !errors.Is(err, rocshmem.ErrShim) || !strings.Contains(err.Error(), "headers of rocSHMEM 3.8.0 and linked with rocSHMEM 3.8.1") {
		t.Errorf("error %v", err)
	}
}
