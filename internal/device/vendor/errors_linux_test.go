package vendor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/cuda"
	"github.com/goshmem/goshmem/internal/abi/hip"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

// both runs a test over a mock of each vendor.
func both(t *testing.T, f func(t *testing.T, m *mock)) {
	t.Run("cuda", func(t *testing.T) { f(t, mockCUDA(t)) })
	t.Run("hip", func(t *testing.T) { f(t, mockHIP(t)) })
}

func TestErrorsNameCallAndStatus(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		for status, kind := range map[int]error{
			1: device.ErrArgument, 2: device.ErrMemory, 100: device.ErrNoDevice, 101: device.ErrArgument, 209: device.ErrArch,
			217: device.ErrUnsupported, 400: device.ErrArgument, 500: device.ErrNoFunction, 600: device.ErrBusy, 801: device.ErrUnsupported,
		} {
			call := m.names(abi.OpFree)[0]
			m.fail(call, status)
			err := d.Free(0, 4096)
			var e *device.Error
			if !errors.As(err, &e) || !errors.Is(err, kind) || e.Code != status || e.Call != call || e.Device != 0 {
				t.Errorf("status %d: error %#v", status, err)
			}
			if text := err.Error(); !strings.Contains(text, ":0: "+call+": MOCK_") || !strings.Contains(text, "(words)") {
				t.Errorf("status %d: %q", status, text)
			}
		}
		m.fail(m.names(abi.OpFree)[0], 333)
		var e *device.Error
		if err := d.Free(0, 4096); !errors.As(err, &e) || e.Err != nil {
			t.Errorf("a status without a meaning: %v", err)
		}
	})
}

func TestOutOfMemorySaysHowMuch(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		m.fail(m.names(abi.OpAlloc)[0], 2)
		_, err := d.Alloc(0, 123456)
		if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "asked for 123456 bytes, 5000 of 70000 are free") {
			t.Errorf("error %v", err)
		}
	})
}

func TestAFaultStays(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		call := m.names(abi.OpStreamQuery)[0]
		m.fail(call, 700)
		_, first := d.StreamDone(0, 0)
		if !errors.Is(first, device.ErrFault) || !strings.Contains(first.Error(), "MOCK_ILLEGAL_ADDRESS (words; after this fault no device can be used any more: this process must end)") {
			t.Fatalf("error %v", first)
		}
		m.fail("", 0)
		m.take()
		if err := d.Free(1, 4096); !errors.Is(err, device.ErrFault) || err.Error() != first.Error() {
			t.Errorf("later, another call has error %v, want %v", err, first)
		}
		if calls := m.take(); len(calls) != 1 || calls[0] != "" {
			t.Errorf("the library was called after a fault: %q", calls)
		}
	})
}

// Each status that ends a process, by both vendors' numbers.
func TestFaults(t *testing.T) {
	for _, status := range []int32{4, 214, 700, 702, 709, 710, 719} {
		if cudaMeaning(status) != device.ErrFault || hipMeaning(status) != device.ErrFault {
			t.Errorf("status %d is not a fault: %v, %v", status, cudaMeaning(status), hipMeaning(status))
		}
	}
	for _, status := range []int32{220, 226, 714, 715, 716, 717, 718, 721} {
		if cudaMeaning(status) != device.ErrFault {
			t.Errorf("status %d of CUDA is not a fault: %v", status, cudaMeaning(status))
		}
	}
}

// TestEvidence: what a driver has called with success can be told, what failed is not.
func TestEvidence(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		dl.Watch()
		d := m.must()
		name := m.dialect().name
		m.fail(m.names(abi.OpFree)[0], 333)
		if err := errors.Join(d.Record(0, 16, 0), d.Free(0, 4096)); err == nil {
			t.Error("the mock freed memory")
		}
		for op, want := range map[abi.Op]bool{abi.OpInit: true, abi.OpCurrent: true, abi.OpRecord: true, abi.OpErrorName: true, abi.OpFree: false, abi.OpGraphLaunch: false} {
			if call := m.names(op)[0]; slices.Contains(dl.Witnessed()[name], call) != want {
				t.Errorf("%s: witnessed %v", call, !want)
			}
		}
	})
}

func TestNotReadyIsAnAnswer(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		m.fail(m.names(abi.OpEventQuery)[0], 600)
		if done, err := d.EventDone(0, 16); done || err != nil {
			t.Errorf("done %v, error %v", done, err)
		}
	})
}

func TestAnOldDriverLacksSomeCalls(t *testing.T) {
	d := mockCUDA(t, "-DOLD").must()
	err := d.WaitValue(0, 0, 4096, 1, device.CompareGE)
	var lacks *dl.SymbolError
	if !errors.Is(err, device.ErrUnsupported) || !errors.As(err, &lacks) {
		t.Fatalf("error %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "cuStreamWaitValue64_v2 (since 11.7)") || !strings.Contains(text, "its version is 12.9") {
		t.Errorf("error %q", text)
	}
	p, err := d.Properties(0)
	if err != nil || p.WaitValues || p.UUID != "" {
		t.Errorf("properties %+v, error %v", p, err)
	}
	if info, err := d.FunctionInfo(0, 16); err != nil || info.Params != nil {
		t.Errorf("parameters %v of a driver that cannot tell, error %v", info.Params, err)
	}
}

// HIP 5 has other numbers, and properties of another layout under another name.
func TestHIP5(t *testing.T) {
	m := newMock(t, hipDialect, "-DHIP=5")
	d := m.must()
	if p, err := d.Properties(0); err != nil || p.Arch != "gfx90a" {
		t.Errorf("architecture %q, error %v", p.Arch, err)
	}
	p, err := d.Alloc(0, 8)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := d.Attributes(p); err != nil || a.Pinned || a.Device != 0 {
		t.Errorf("device memory is %+v, error %v", a, err)
	}
	m.take()
	if _, err := d.Import(0, device.IPCHandle{0: 'h'}); err != nil {
		t.Error(err)
	}
	if calls := m.take(); calls[1] != "hipIpcOpenMemHandle out h 0" {
		t.Errorf("calls %q", calls)
	}
}

func TestNoDevice(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		m.control("mock_reset", 0)
		if _, err := m.open(); !errors.Is(err, device.ErrNoDevice) {
			t.Errorf("no devices: error %v", err)
		}
		m.fail(m.names(abi.OpInit)[0], 100)
		if _, err := m.open(); !errors.Is(err, device.ErrNoDevice) || !strings.Contains(err.Error(), "Init") {
			t.Errorf("init that refuses: error %v", err)
		}
		m.fail(m.names(abi.OpInit)[0], 333)
		if _, err := m.open(); err == nil || errors.Is(err, device.ErrNoDevice) {
			t.Errorf("init that fails otherwise: error %v", err)
		}
	})
}

func TestNoLibrary(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "libempty.so")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]error{"/nowhere/libx.so": dl.ErrNotFound, empty: dl.ErrLoad} {
		for _, v := range []dialect{cudaDialect(), hipDialect()} {
			v.spec.Path = path
			if _, err := open(v); !errors.Is(err, kind) || !errors.Is(err, device.ErrUnsupported) || !strings.Contains(err.Error(), v.name) {
				t.Errorf("%s over %s: error %v", v.name, path, err)
			}
		}
	}
}

func TestALibraryWithoutWhatWeNeedNamesIt(t *testing.T) {
	m := mockHIP(t)
	v := cudaDialect()
	v.spec.Path = m.path
	if _, err := open(v); !errors.Is(err, dl.ErrSymbol) || !strings.Contains(err.Error(), "cuLaunchKernel") {
		t.Errorf("error %v", err)
	}
}

func TestWhatIsRefusedBeforeTheLibrarySeesIt(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		m.take()
		_, noDevice := d.Alloc(2, 8)
		_, noImage := d.LoadModule(0, nil)
		_, noName := d.Function(0, 16, "a\x00b")
		for i, err := range []error{
			noDevice, noImage, noName, d.Free(-1, 8), d.Fill(0, 4096, 1, 3, 1, 0), d.WaitValue(0, 0, 4096, 1, 3), d.EnablePeer(0, 7),
		} {
			if !errors.Is(err, device.ErrArgument) {
				t.Errorf("case %d: error %v", i, err)
			}
		}
		if calls := m.take(); calls[0] != "" {
			t.Errorf("the library saw %q", calls)
		}
	})
}

func TestLaunchAndCopyDoNotAllocate(t *testing.T) {
	if raceBuild {
		skip.Now(t, skip.RaceBuild, "sync.Pool forgets at random under the race detector")
	}
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		p, err := d.Alloc(0, 64)
		if err != nil {
			t.Fatal(err)
		}
		m.control("mock_quiet", 1)
		defer m.control("mock_quiet", 0)
		n := uint64(8)
		l := &device.Launch{Args: []unsafe.Pointer{unsafe.Pointer(&n)}}
		for name, f := range map[string]func() error{
			"Launch":     func() error { return d.Launch(0, 16, l, 0) },
			"Copy":       func() error { return d.Copy(0, p, p+8, 8, 0) },
			"CopyIn":     func() error { return d.CopyIn(0, p, unsafe.Pointer(&n), 8, 0) },
			"Fill":       func() error { return d.Fill(0, p, 1, 4, 2, 0) },
			"Record":     func() error { return d.Record(0, 16, 0) },
			"WriteValue": func() error { return d.WriteValue(0, 0, p, 1) },
			"StreamDone": func() error { _, err := d.StreamDone(0, 0); return err },
			"far device": func() error { return d.Record(1, 16, 0) },
		} {
			if err := f(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := testing.AllocsPerRun(100, func() { _ = f() }); n != 0 {
				t.Errorf("%s allocates %v times", name, n)
			}
		}
	})
}

// What is stored or passed by value has the vendors' sizes.
func TestSizes(t *testing.T) {
	for what, sizes := range map[string][3]uintptr{
		"a handle for other processes": {unsafe.Sizeof(device.IPCHandle{}), cuda.Sizeof_CUipcMemHandle, hip.Sizeof_hipIpcMemHandle_t},
		"an address":                   {unsafe.Sizeof(device.Ptr(0)), cuda.Sizeof_CUdeviceptr, hip.Sizeof_hipDeviceptr_t},
	} {
		if sizes[0] != sizes[1] || sizes[0] != sizes[2] {
			t.Errorf("%s has %d bytes here, %d in CUDA, %d in HIP", what, sizes[0], sizes[1], sizes[2])
		}
	}
}

// BenchmarkLaunch measures all of a launch but the launch: the library does nothing.
func BenchmarkLaunch(b *testing.B) {
	m := mockCUDA(b)
	d := m.must()
	m.control("mock_quiet", 1)
	n := uint64(8)
	l := &device.Launch{Args: []unsafe.Pointer{unsafe.Pointer(&n)}}
	for b.Loop() {
		if err := d.Launch(0, 16, l, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLaunches has goroutines launch at the same time: nothing in the way is shared.
func BenchmarkLaunches(b *testing.B) {
	m := mockCUDA(b)
	d := m.must()
	m.control("mock_quiet", 1)
	n := uint64(8)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		l := &device.Launch{Args: []unsafe.Pointer{unsafe.Pointer(&n)}}
		for pb.Next() {
			if err := d.Launch(0, 16, l, 0); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
