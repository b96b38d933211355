package nvshmem

import (
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// Every PE has memory of its own at the same offsets, and knows where that of others is.
func TestWorldOpens(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		p := world(t, n, n)
		n = p.n
		p.each(func(pe int, m *memory) error {
			if h := p.heaps[pe%len(p.heaps)]; h.Engine() != "nvshmem" || h.Rank() != pe || h.NPEs() != n || m.Size() < heapSize {
				t.Errorf("PE %d: %d bytes, PE %d of %d of engine %s", pe, m.Size(), h.Rank(), h.NPEs(), h.Engine())
			}
			for to := range n {
				if at := m.Address(to); at == 0 || to != pe && at == m.Address(pe) {
					t.Errorf("PE %d has PE %d at %#x", pe, to, at)
				}
			}
			return m.Commit(0, heapSize)
		})
		p.each(func(pe int, m *memory) error {
			for to := range n {
				v := uint64(100*pe + to)
				if err := m.Put(to, uintptr(8*pe), pointer(&v), 8); err != nil {
					return err
				}
			}
			return nil
		})
		p.each(func(pe int, m *memory) error {
			for from := range n {
				v, err := m.Load(uintptr(8*from), 8)
				if err != nil || v != uint64(100*from+pe) {
					t.Errorf("PE %d has %d from PE %d, error %v", pe, v, from, err)
				}
			}
			return nil
		})
	}
}

// An error of one PE while the world begins is everybody's, with its reason.
func TestOneCannotBegin(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(j *job)
		kind  error // of the PE that finds it
		want  string
	}{
		"no library": {func(j *job) {
			j.in[1].spec = func() dl.Spec { s := abi.NVSHMEM(); s.Path = "/nowhere/libnvshmem_host.so.3"; return s }
		}, device.ErrUnsupported, "/nowhere/libnvshmem_host.so.3"},
		"no driver": {func(j *job) {
			j.in[0].driver = func() (device.Driver, error) { return nil, device.ErrNoDevice }
		}, device.ErrNoDevice, "no device"},
		"another version":     {func(j *job) { j.mocks[1].control("version", 3, 5, 1) }, engine.ErrMismatch, "NVSHMEM_HOME must lead to the same one"},
		"a version of old":    {func(j *job) { j.mocks[1].control("version", 2, 11, 0) }, device.ErrUnsupported, "is version 2.11.0"},
		"used before":         {func(j *job) { j.in[1].used.Store(true) }, device.ErrUnsupported, "has initialised NVSHMEM before"},
		"no id":               {func(j *job) { j.mocks[0].named("fail", "nvshmemx_get_uniqueid", 7) }, engine.ErrFailed, "nvshmemx_get_uniqueid: internal error"},
		"bad arguments":       {func(j *job) { j.mocks[1].named("fail", "nvshmemx_set_attr_uniqueid_args", 1) }, device.ErrArgument, "nvshmemx_set_attr_uniqueid_args: invalid value"},
		"init fails":          {func(j *job) { j.mocks[0].named("fail", "nvshmemx_hostlib_init_attr", 5) }, device.ErrNoDevice, "nvshmemx_hostlib_init_attr: no GPU is selected"},
		"half an init":        {func(j *job) { j.mocks[1].control("status", nvshmem.NVSHMEM_STATUS_IS_BOOTSTRAPPED) }, engine.ErrFailed, "no further than status 1"},
		"different sharing":   {func(j *job) { j.mocks[1].control("status", nvshmem.NVSHMEM_STATUS_FULL_MPG) }, engine.ErrMismatch, "as many PEs must share each GPU"},
		"no memory":           {func(j *job) { j.size = 1 << 28 }, device.ErrMemory, "no symmetric memory"},
		"larger than the GPU": {func(j *job) { j.size = 1 << 60 }, device.ErrMemory, "of which"},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, 2, 2, true)
			c.spoil(j)
			_, errs := j.open()
			if !errors.Is(errors.Join(errs...), c.kind) {
				t.Errorf("none is of the kind %q: %v", c.kind, errs)
			}
			for pe, err := range errs {
				if !errors.Is(err, c.kind) && !errors.Is(err, engine.ErrFailed) {
					t.Errorf("PE %d: %v is of no kind", pe, err)
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("PE %d: %v, want %q", pe, err, c.want)
				}
			}
		})
	}
}

// A process that has had a world gets no second one.
func TestSecondWorldIsRefused(t *testing.T) {
	j := newJob(t, 1, 1, true)
	heaps := j.must()
	if err := heaps[0].Close(); err != nil {
		t.Fatal(err)
	}
	e := Engine{Control: given{}, in: j.in[0]}
	if v := e.Probe(); v.OK || v.Reason != errUsed.Error() {
		t.Errorf("verdict %+v", v)
	}
	j.control = newJob(t, 1, 1, true).control
	if _, errs := j.open(); !errors.Is(errs[0], errUsed) || !errors.Is(errs[0], device.ErrUnsupported) {
		t.Errorf("error %v", errs[0])
	}
}

// Without the library the reason says where it was looked for, and what to set.
func TestProbe(t *testing.T) {
	m := newJob(t, 1, 1, true).mocks[0]
	p := m.process()
	if v := (Engine{Control: given{}, in: p}).Probe(); !v.OK || !strings.Contains(v.Reason, "NVSHMEM 3.4.5 ("+m.path) {
		t.Errorf("verdict %+v", v)
	}
	t.Setenv("NVSHMEM_HOME", "/opt/nowhere")
	p.spec = func() dl.Spec { s := abi.NVSHMEM(); s.Sonames = []string{"libnvshmem_absent.so.3"}; return s }
	if v := (Engine{Control: given{}, in: p}).Probe(); v.OK || !strings.Contains(v.Reason, "/opt/nowhere/lib") || !strings.Contains(v.Reason, "set NVSHMEM_HOME") {
		t.Errorf("verdict %+v", v)
	}
	p.driver = func() (device.Driver, error) { return nil, device.ErrNoDevice }
	if v := (Engine{Control: given{}, in: p}).Probe(); v.OK || v.Reason != device.ErrNoDevice.Error() {
		t.Errorf("verdict %+v", v)
	}
}

// Each required function that is not there is named, and a library without an optional
// one serves for all else.
func TestOneFunctionIsMissing(t *testing.T) {
	for _, s := range abi.NVSHMEM().Symbols {
		if !s.Required {
			continue
		}
		spec := abi.NVSHMEM()
		spec.Path = without(t, s.Name)
		_, err := load(spec, nil)
		if !errors.Is(err, dl.ErrSymbol) || !strings.Contains(err.Error(), s.Name) {
			t.Errorf("without %s: %v", s.Name, err)
		}
	}
}

func TestDisagreement(t *testing.T) {
	same := engine.Words{packVersion("3.4.5"), 1000, 1, 1 << 40}
	other := func(change func(w *engine.Words)) engine.Words { w := same; change(&w); return w }
	for _, c := range []struct {
		all  []engine.Words
		want string
	}{
		{[]engine.Words{same, same}, ""},
		{[]engine.Words{same, other(func(w *engine.Words) { w[wordGPU] = 2 })}, ""},
		{[]engine.Words{same, other(func(w *engine.Words) { w[wordHeap] = 2000 })}, "PE 1 has a heap of 2000 bytes, this PE 1000"},
		{[]engine.Words{same, other(func(w *engine.Words) { w[wordVersion] = packVersion("3.5") })}, "version 3.5.0 of the library and this PE 3.4.5"},
		{[]engine.Words{same, same, other(func(w *engine.Words) { w[wordGPU] = 2 })}, "1 PEs share the GPU of PE 2 and 2 that of this PE"},
		{[]engine.Words{other(func(w *engine.Words) { w[wordFree] = 1 << 20 })}, "of which 1048576 are free"},
	} {
		err := disagreement(c.all, 0)
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.all, err, c.want)
		}
	}
}
