package nvshmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
	hostengine "github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/skip"
)

// compiled is testdata/mock.c before it is linked, and linked as it is.
var compiled, linked = sync.OnceValues(func() (string, error) {
	object := filepath.Join(folder, "mock.o")
	return object, cc("-O0", "-w", "-fPIC", "-c", "-o", object, "testdata/mock.c")
}), sync.OnceValues(func() ([]byte, error) {
	object, err := compiled()
	library := filepath.Join(folder, "libmock.so")
	if err == nil {
		err = cc("-shared", "-Wl,-Bsymbolic", "-o", library, object)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(library)
})

func cc(args ...string) error {
	text, err := exec.Command("cc", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cc %q: %w: %s", args, err, text)
	}
	return nil
}

var copies atomic.Int64

// newLibrary is where the next library will be.
func newLibrary(t testing.TB) string {
	if _, err := exec.LookPath("cc"); err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	return filepath.Join(folder, fmt.Sprintf("libmock%d.so", copies.Add(1)))
}

// MockLibrary makes a library of the mock that no other has the state of.
func MockLibrary(t testing.TB) string {
	t.Helper()
	path := newLibrary(t)
	code, err := linked()
	if err == nil {
		err = os.WriteFile(path, code, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// without makes a library that lacks a function.
func without(t testing.TB, name string) string {
	t.Helper()
	path := newLibrary(t)
	script := path + ".map"
	err := os.WriteFile(script, []byte("{ local: "+name+"; };"), 0o600)
	object, also := compiled()
	if err = errors.Join(err, also); err == nil {
		err = cc("-shared", "-Wl,-Bsymbolic", "-Wl,--version-script="+script, "-o", path, object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mock is the library of one PE, with its controls, and the driver under it.
type mock struct {
	device.Driver
	host     *host.Driver
	path     string
	controls *dl.Library
	calls    []device.Handle // by device: the kernel that calls a function
	queued   map[uintptr]bool
	inside   atomic.Int32
	crowd    atomic.Int32 // calls that found another thread in the library
}

// newMock makes a PE's library over a driver, of which no other has the state. Its calls on a stream wait their turn in
// the stream if queued says so; else they are done at once.
func newMock(t testing.TB, d *host.Driver, queued bool) *mock {
	t.Helper()
	m, err := openMock(d, MockLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	if !queued {
		clear(m.queued)
	}
	return m
}

// openMock loads a mock that is not loaded.
func openMock(d *host.Driver, path string) (*mock, error) {
	m := &mock{Driver: d, host: d, path: path, queued: map[uintptr]bool{}}
	spec := dl.Spec{Name: "mock", Path: m.path}
	for _, name := range []string{"take", "violations", "swap", "fail", "hang", "limited", "status", "version", "abort"} {
		spec.Symbols = append(spec.Symbols, dl.Symbol{Name: "mock_" + name, Required: true, For: "the test"})
	}
	for _, s := range abi.NVSHMEM().Symbols {
		spec.Symbols = append(spec.Symbols, dl.Symbol{Name: s.Name, For: s.For})
	}
	lib, _, err := dl.Open(spec)
	if err != nil {
		return nil, err
	}
	m.controls = lib
	for _, s := range abi.NVSHMEM().Symbols {
		if fn, err := lib.Lookup(s.Name); err == nil && strings.HasSuffix(s.Name, "_on_stream") {
			m.queued[fn] = true
		}
	}
	for dev := range d.Count() {
		if err := m.prepare(dev); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// prepare makes the kernel of a device that calls a function.
func (m *mock) prepare(dev int) error {
	module, err := m.host.AddModule(dev, map[string]host.Kernel{"call": {Run: func(b host.Block) {
		args := make([]uintptr, len(b.Args))
		for i, a := range b.Args {
			args[i] = uintptr(a)
		}
		dl.Call(args[0], args[1:]...)
	}}})
	if err != nil {
		return err
	}
	call, err := m.host.Function(dev, module, "call")
	m.calls = append(m.calls, call)
	return err
}

// LoadModule gives a kernel in Go for what atomics are done by.
func (m *mock) LoadModule(dev int, image []byte) (device.Handle, error) {
	return m.host.AddModule(dev, map[string]host.Kernel{"ipc_amo": {Params: []uintptr{unsafe.Sizeof(wordJob{})}, Run: func(b host.Block) {
		w := host.Arg[wordJob](b, 0)
		op := engine.AMO{Kind: engine.AMOKind(w.kind), Width: uint8(w.width), Float: w.real != 0, Value: w.value, Cond: w.cond}
		old := op.Do(at(w.at))
		if w.result != 0 {
			mem.Store(at(w.result), old)
		}
	}}})
}

// Call is what package vendor does, and sees that nobody else is in the library.
func (m *mock) Call(dev int, fn uintptr, args ...uintptr) (uintptr, error) {
	if m.inside.Add(1) != 1 {
		m.crowd.Add(1)
	}
	defer m.inside.Add(-1)
	if !m.queued[fn] {
		return dl.Call(fn, args...), nil
	}
	words := append([]uintptr{fn}, args...)
	l := &device.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	for i := range words {
		l.Args = append(l.Args, unsafe.Pointer(&words[i]))
	}
	return 0, m.host.Launch(dev, m.calls[dev], l, device.Handle(args[len(args)-1]))
}

func (m *mock) control(name string, args ...uintptr) int32 {
	fn, err := m.controls.Lookup("mock_" + name)
	if err != nil {
		panic(err)
	}
	return dl.Status(dl.Call(fn, args...))
}

// named is a control that takes the name of a function first.
func (m *mock) named(control, fn string, args ...uintptr) {
	s := dl.Borrow()
	defer s.Return()
	m.control(control, append([]uintptr{s.Text(fn)}, args...)...)
}

// take returns the calls since it was last called.
func (m *mock) take() []string {
	s := dl.Borrow()
	defer s.Return()
	b := dl.OutSlice[byte](s, 12<<10)
	n := m.control("take", dl.Addr(&b[0]), uintptr(len(b)))
	return strings.Split(strings.TrimSuffix(string(b[:n]), "\n"), "\n")
}

// job is a world to be, of goroutine PEs with a library each.
type job struct {
	t       testing.TB
	driver  *host.Driver
	mocks   []*mock
	control []engine.Heap
	size    uintptr
	ctx     context.Context
	in      []*process
}

const heapSize = 1 << 20

// newJob prepares n PEs on some devices.
func newJob(t testing.TB, n, devices int, queued bool) *job {
	t.Helper()
	d, err := host.Open(devices)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, driver: d, size: heapSize, ctx: t.Context()}
	c := engine.Config{HeapSize: heapSize, Timeout: 5 * time.Second}
	if j.control, err = (hostengine.Engine{}).OpenLocal(n, c); err != nil {
		t.Fatal(err)
	}
	for range n {
		m := newMock(t, d, queued)
		m.control("limited", word(n > devices))
		j.mocks = append(j.mocks, m)
		j.in = append(j.in, m.process())
	}
	t.Cleanup(j.end)
	return j
}

func word(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

// process is what a PE has for itself here.
func (m *mock) process() *process {
	return &process{
		driver:  func() (device.Driver, error) { return m, nil },
		compile: func(arch, driver string) ([]byte, error) { return []byte(arch), nil },
		spec: func() dl.Spec {
			s := abi.NVSHMEM()
			s.Path = m.path
			return s
		},
	}
}

// end lets go who waits still, and looks for what the library would have died of.
func (j *job) end() {
	for pe, m := range j.mocks {
		m.control("abort")
		if n := m.control("violations"); n != 0 {
			j.t.Errorf("PE %d: %d violations among %q", pe, n, m.take())
		}
		if n := m.crowd.Load(); n != 0 {
			j.t.Errorf("PE %d: %d times two threads were in the library", pe, n)
		}
	}
}

// given is a control engine whose heaps are made before.
type given struct {
	hostengine.Engine
	heaps []engine.Heap
}

func (g given) Open(_ context.Context, job engine.Job) (engine.Heap, error) {
	return g.heaps[job.Rank], nil
}

// open joins all PEs, and returns the error of each.
func (j *job) open() ([]engine.Heap, []error) {
	n := len(j.mocks)
	heaps, errs := make([]engine.Heap, n), make([]error, n)
	sent := make(chan []byte, n)
	var wg sync.WaitGroup
	for pe := range n {
		wg.Go(func() {
			c := engine.Config{HeapSize: j.size, Timeout: 5 * time.Second}
			e := Engine{Control: given{heaps: j.control}, in: j.in[pe]}
			heaps[pe], errs[pe] = e.Open(j.ctx, engine.Job{Config: c, Rank: pe, LocalRank: pe, Size: n, Exchange: exchange{pe, n, sent}})
		})
	}
	wg.Wait()
	return heaps, errs
}

// must is open for those that expect no error.
func (j *job) must() []*heap {
	j.t.Helper()
	opened, errs := j.open()
	list := make([]*heap, len(opened))
	for pe, err := range errs {
		if err != nil {
			j.t.Fatalf("PE %d: %v", pe, err)
		}
		list[pe] = opened[pe].(*heap)
	}
	return list
}

// exchange broadcasts from rank 0, which is all that is needed.
type exchange struct {
	rank, n int
	sent    chan []byte
}

func (e exchange) Broadcast(ctx context.Context, buf []byte, _ int) error {
	if e.rank == 0 {
		for range e.n - 1 {
			e.sent <- append([]byte(nil), buf...)
		}
		return nil
	}
	select {
	case got := <-e.sent:
		copy(buf, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (exchange) Barrier(context.Context) error { panic("not needed") }
