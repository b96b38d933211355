// Package standin builds the stand-in for the shim over rocSHMEM, for tests: the same C
// functions over memory of the host (testdata/standin.c).
package standin

import (
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

//go:embed testdata
var source embed.FS

// Build compiles it with definitions such as "-DBACKEND=1" and returns the file. A process
// that is to be several PEs loads a copy for each: Copies.
func Build(t testing.TB, definitions ...string) string {
	t.Helper()
	return BuildIn(t, t.TempDir(), definitions...)
}

// BuildIn is Build in a folder, for files that several tests need.
func BuildIn(t testing.TB, folder string, definitions ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	if err := os.CopyFS(folder, source); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, rocshmem.Soname)
	args := append([]string{"-shared", "-fPIC", "-O1", "-w", "-fvisibility=hidden", "-o", out, filepath.Join(folder, "testdata/standin.c")}, definitions...)
	if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// Copies are n files of one, which a process can load side by side: each is a PE.
func Copies(t testing.TB, path string, n int) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, n)
	for i := range paths {
		paths[i] = filepath.Join(t.TempDir(), rocshmem.Soname)
		if err := os.WriteFile(paths[i], data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// Controls are what tests tell a loaded stand-in.
type Controls struct {
	t   testing.TB
	lib *dl.Library
}

// Control finds them.
func Control(t testing.TB, path string) Controls {
	t.Helper()
	var table []dl.Symbol
	for _, name := range []string{"standin_take", "standin_complaints", "standin_record", "standin_swap", "standin_give_up"} {
		table = append(table, dl.Symbol{Name: name, Required: true, For: "the test"})
	}
	lib, _, err := dl.Open(dl.Spec{Name: "stand-in", Path: path, Symbols: table})
	if err != nil {
		t.Fatal(err)
	}
	return Controls{t, lib}
}

func (c Controls) call(name string, args ...uintptr) uintptr {
	c.t.Helper()
	fn, err := c.lib.Lookup(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return dl.Call(fn, args...)
}

// RecordOnly has calls written down from now on, and nothing else be done; Perform has
// them done again, and not written down.
func (c Controls) RecordOnly() { c.t.Helper(); c.call("standin_record", 2) }

// Perform ends RecordOnly.
func (c Controls) Perform() { c.t.Helper(); c.call("standin_record", 0) }

// Take returns the calls since it was last called, a line each: name and arguments in
// hexadecimal.
func (c Controls) Take() []string { c.t.Helper(); return c.text("standin_take") }

// Complaints are what was wrong with calls since this was last called: none, unless the
// caller has forgotten to look.
func (c Controls) Complaints() []string { c.t.Helper(); return c.text("standin_complaints") }

func (c Controls) text(name string) []string {
	c.t.Helper()
	s := dl.Borrow()
	defer s.Return()
	b := dl.OutSlice[byte](s, 12<<10)
	n := c.call(name, dl.Addr(&b[0]), uintptr(len(b)))
	return strings.Split(strings.TrimSuffix(string(b[:n]), "\n"), "\n")[:min(int(n), strings.Count(string(b[:n]), "\n"))]
}

// Swap has a function see two neighbouring arguments the other way round.
func (c Controls) Swap(function string, at int) {
	c.t.Helper()
	s := dl.Borrow()
	defer s.Return()
	c.call("standin_swap", s.Text(function), uintptr(at))
}

// GiveUp ends waits of all PEs that nothing else would end.
func (c Controls) GiveUp() { c.t.Helper(); c.call("standin_give_up") }
