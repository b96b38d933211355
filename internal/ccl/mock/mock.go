// Package mock builds a library, in tests, that has NCCL's functions and records how they
// are called.
package mock

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

//go:embed testdata/mock.c
var source []byte

// Mock is a library built from testdata/mock.c, with its controls.
type Mock struct {
	Path     string
	t        testing.TB
	controls *dl.Library
}

// New builds a mock of NCCL, or with "-DRCCL" of RCCL. A function that "-DncclX=other"
// names is absent; with "-DLATE=3" the mock is born late and slow. It skips the test where there is no C compiler.
func New(t testing.TB, flags ...string) *Mock {
	t.Helper()
	return Named(t, "libmock.so", flags...)
}

// Named is New with a file name.
func Named(t testing.TB, name string, flags ...string) *Mock {
	t.Helper()
	path := build(t, name, flags...)
	var table []dl.Symbol
	for _, name := range []string{"take", "swap", "fail", "quiet", "reset", "version", "late", "slow", "block", "state", "depth"} {
		table = append(table, dl.Symbol{Name: "mock_" + name, Required: true, For: "the test"})
	}
	lib, _, err := dl.Open(dl.Spec{Name: "mock", Path: path, Symbols: table})
	if err != nil {
		t.Fatal(err)
	}
	m := &Mock{path, t, lib}
	m.control("reset")
	return m
}

// Built is the path of a mock that nobody has loaded yet.
func Built(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return build(t, name, flags...)
}

func build(t testing.TB, name string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	code, path := filepath.Join(dir, "mock.c"), filepath.Join(dir, name)
	if err := os.WriteFile(code, source, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(cc, append([]string{"-w", "-shared", "-fPIC", "-o", path, code}, flags...)...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
	return path
}

func (m *Mock) control(name string, args ...uintptr) int {
	m.t.Helper()
	fn, err := m.controls.Lookup("mock_" + name)
	if err != nil {
		m.t.Fatal(err)
	}
	return int(dl.Status(dl.Call(fn, args...)))
}

// named is a control about a function.
func (m *Mock) named(control, fn string, args ...uintptr) {
	m.t.Helper()
	s := dl.Borrow()
	defer s.Return()
	m.control(control, append([]uintptr{s.Text(fn)}, args...)...)
}

// Take returns the calls since it was last called, one a line.
func (m *Mock) Take() []string {
	m.t.Helper()
	b := make([]byte, 1<<20)
	addr, release := dl.Pin(b)
	defer release()
	n := m.control("take", addr, uintptr(len(b)))
	if n == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b[:n]), "\n"), "\n")
}

// Swap has a function see the neighbouring arguments at and at+1 the other way round.
func (m *Mock) Swap(fn string, at int) { m.named("swap", fn, uintptr(at)) }

// Fail has a function return a result after so many good calls; "" has none.
func (m *Mock) Fail(fn string, result, after int) {
	m.named("fail", fn, uintptr(result), uintptr(after))
}

// Late has communicators stay in progress for so many questions.
func (m *Mock) Late(questions int) { m.control("late", uintptr(questions)) }

// Slow has collectives be in progress for so many questions, where communicators do not
// block.
func (m *Mock) Slow(questions int) { m.control("slow", uintptr(questions)) }

// Block has a function not come back until a communicator is aborted; "" ends that.
func (m *Mock) Block(fn string) { m.named("block", fn) }

// Version has the library be of a version.
func (m *Mock) Version(v int) { m.control("version", uintptr(v)) }

// State has a communicator tell of a result.
func (m *Mock) State(comm uintptr, result int) { m.control("state", comm, uintptr(result)) }

// Depth is how many groups are open on this thread.
func (m *Mock) Depth() int { return m.control("depth") }

// Quiet has the library record nothing.
func (m *Mock) Quiet() { m.control("quiet", 1) }
