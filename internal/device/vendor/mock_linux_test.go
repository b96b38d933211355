package vendor

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

// mock is a library built from testdata/mock.c, and its controls.
type mock struct {
	t        testing.TB
	path     string
	dialect  func() dialect
	controls *dl.Library
}

// newMock builds the mock. The test keeps its thread, as the mock knows what is current
// on each.
func newMock(t testing.TB, dialect func() dialect, args ...string) *mock {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	out := filepath.Join(t.TempDir(), "libmock.so")
	command := exec.Command(cc, append([]string{"-shared", "-fPIC", "-o", out, "testdata/mock.c"}, args...)...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
	var table []dl.Symbol
	for _, name := range []string{"mock_current", "mock_take", "mock_swap", "mock_fail", "mock_quiet", "mock_reset"} {
		table = append(table, dl.Symbol{Name: name, Required: true, For: "the test"})
	}
	lib, _, err := dl.Open(dl.Spec{Name: "mock", Path: out, Symbols: table})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	m := &mock{t: t, path: out, dialect: dialect, controls: lib}
	m.control("mock_reset", 2)
	return m
}

func mockCUDA(t testing.TB, args ...string) *mock { return newMock(t, cudaDialect, args...) }
func mockHIP(t testing.TB, args ...string) *mock {
	return newMock(t, hipDialect, append(args, "-DHIP=6")...)
}

// open starts a driver over the mock.
func (m *mock) open() (device.Driver, error) {
	d := m.dialect()
	d.spec.Path = m.path
	return open(d)
}

// must is open for those that expect no error.
func (m *mock) must() device.Driver {
	m.t.Helper()
	d, err := m.open()
	if err != nil {
		m.t.Fatal(err)
	}
	return d
}

func (m *mock) control(name string, args ...uintptr) uintptr {
	m.t.Helper()
	fn, err := m.controls.Lookup(name)
	if err != nil {
		m.t.Fatal(err)
	}
	return dl.Call(fn, args...)
}

// swap has fn see two neighbouring arguments the other way round.
func (m *mock) swap(fn string, at int) { m.named("mock_swap", fn, at) }

// fail has fn return a status.
func (m *mock) fail(fn string, status int) { m.named("mock_fail", fn, status) }

func (m *mock) named(control, fn string, n int) {
	s := dl.Borrow()
	defer s.Return()
	m.control(control, s.Text(fn), uintptr(n))
}

// take returns the calls since it was last called.
func (m *mock) take() []string {
	s := dl.Borrow()
	defer s.Return()
	b := dl.OutSlice[byte](s, 12<<10)
	n := m.control("mock_take", dl.Addr(&b[0]), uintptr(len(b)))
	return strings.Split(strings.TrimSuffix(string(b[:n]), "\n"), "\n")
}

// names is what the vendor calls an operation, in the table that is tested.
func (m *mock) names(op abi.Op) []string {
	for _, b := range m.dialect().bindings {
		if b.Op == op {
			return b.Names
		}
	}
	return nil
}
