package vendor

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/skip"
)

// TestOnADevice does some of everything on a real device, in a process that has no mock.
func TestOnADevice(t *testing.T) {
	if os.Getenv(childVar) == "" {
		command := exec.Command(os.Args[0], "-test.v", "-test.run=^TestOnADevice$")
		command.Env = append(os.Environ(), childVar+"=1")
		out, err := command.CombinedOutput()
		if at := strings.Index(string(out), "SKIP["); at >= 0 && err == nil {
			line, _, _ := strings.Cut(string(out[at:]), "\n")
			skip.Again(t, line)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Log(string(out))
		return
	}
	d, errCUDA := OpenCUDA()
	if errCUDA != nil {
		var errHIP error
		if d, errHIP = OpenHIP(); errHIP != nil {
			skip.Now(t, skip.NoGPU, strings.ReplaceAll(errors.Join(errCUDA, errHIP).Error(), "\n", "; "))
		}
	}
	onDevice(t, d)
}

func onDevice(t *testing.T, d device.Driver) {
	p, err := d.Properties(0)
	ok(t, err)
	t.Logf("%s %s, %s, %d devices: %+v", d.Name(), d.Version(), d.Library(), d.Count(), p)
	if p.Arch == "" || p.WarpSize < 32 || p.PCI == "" || p.Memory == 0 || p.Processors == 0 {
		t.Errorf("properties %+v", p)
	}
	stream, err := d.NewStream(0, -100)
	ok(t, err)
	memory, err := d.Alloc(0, 4096)
	ok(t, err)
	attributes, err := d.Attributes(memory + 8)
	ok(t, err)
	if !attributes.Known || attributes.Base != memory || attributes.Device != 0 || attributes.Pinned {
		t.Errorf("device memory at %#x has %+v", memory, attributes)
	}
	onMemory(t, d, stream, memory)
	onEvents(t, d, stream)
	if d.Name() == "cuda" {
		onKernel(t, d, stream, memory)
	}
	ok(t, d.Free(0, memory))
	ok(t, d.DestroyStream(0, stream))
	if _, err := d.Alloc(0, 1<<50); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "are free") {
		t.Errorf("too much memory: %v", err)
	}
}

func onMemory(t *testing.T, d device.Driver, stream device.Handle, memory device.Ptr) {
	t.Helper()
	pinned, err := d.AllocPinned(0, 4096)
	ok(t, err)
	attributes, err := d.Attributes(pinned)
	ok(t, err)
	if !attributes.Pinned {
		t.Errorf("pinned memory has %+v", attributes)
	}
	in, out := [4]uint32{1, 2, 3, 4}, new([4]uint32)
	ok(t, d.CopyIn(0, memory, unsafe.Pointer(&in), 16, stream))
	ok(t, d.Fill(0, memory, 0xabcd, 2, 2, stream))
	ok(t, d.Copy(0, pinned, memory, 16, stream))
	ok(t, d.CopyOut(0, unsafe.Pointer(out), pinned, 16, stream))
	if *out != [4]uint32{0xabcdabcd, 2, 3, 4} {
		t.Errorf("memory has %x", *out)
	}
	_, err = d.Export(0, memory)
	ok(t, err)
	ok(t, d.FreePinned(0, pinned))
	var local uint64
	if a, err := d.Attributes(device.Ptr(uintptr(unsafe.Pointer(&local)))); err != nil || a.Known {
		t.Errorf("memory of Go has %+v, error %v", a, err)
	}
}

func onEvents(t *testing.T, d device.Driver, stream device.Handle) {
	t.Helper()
	from, err := d.NewEvent(0, true)
	ok(t, err)
	to, err := d.NewEvent(0, true)
	ok(t, err)
	ok(t, d.Record(0, from, stream))
	ok(t, d.Record(0, to, stream))
	ok(t, d.StreamWait(0, stream, to))
	await(t, func() (bool, error) { return d.EventDone(0, to) })
	elapsed, err := d.Elapsed(0, from, to)
	ok(t, err)
	t.Log("between two events:", elapsed)
	ok(t, d.DestroyEvent(0, from))
	ok(t, d.DestroyEvent(0, to))
}

// ptx stores v+i into the i-th of n words.
const ptx = `.version 7.8
.target sm_75
.address_size 64
.visible .entry count_up(.param .u64 a_p, .param .u32 a_v, .param .u32 a_n)
{
	.reg .pred %q<2>;
	.reg .b32 %r<6>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [a_p];
	ld.param.u32 %r1, [a_v];
	ld.param.u32 %r2, [a_n];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r3, %r3, %r4, %r5;
	setp.ge.u32 %q1, %r3, %r2;
	@%q1 ret;
	cvta.to.global.u64 %d1, %d1;
	mul.wide.u32 %d2, %r3, 4;
	add.s64 %d1, %d1, %d2;
	add.u32 %r1, %r1, %r3;
	st.global.u32 [%d1], %r1;
	ret;
}
`

func onKernel(t *testing.T, d device.Driver, stream device.Handle, memory device.Ptr) {
	t.Helper()
	module, err := d.LoadModule(0, []byte(ptx))
	ok(t, err)
	f, err := d.Function(0, module, "count_up")
	ok(t, err)
	if _, err := d.Function(0, module, "count_down"); !errors.Is(err, device.ErrNoFunction) {
		t.Errorf("a kernel that there is not: %v", err)
	}
	info, err := d.FunctionInfo(0, f)
	ok(t, err)
	t.Logf("kernel: %+v", info)
	v, n := uint32(100), uint32(70)
	l := &device.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{32, 1, 1},
		Args: []unsafe.Pointer{unsafe.Pointer(&memory), unsafe.Pointer(&v), unsafe.Pointer(&n)}}
	ok(t, d.Launch(0, f, l, stream))
	out := new([71]uint32)
	check := func(first uint32) {
		ok(t, d.CopyOut(0, unsafe.Pointer(out), memory, unsafe.Sizeof(*out), stream))
		for i := range 70 {
			if out[i] != first+uint32(i) {
				t.Fatalf("word %d is %d, want %d", i, out[i], first+uint32(i))
			}
		}
	}
	check(100)
	v = 1000
	ok(t, d.BeginCapture(0, stream))
	ok(t, d.Launch(0, f, l, stream))
	graph, err := d.EndCapture(0, stream)
	ok(t, err)
	v = 0 // the graph has the value of when it was recorded
	ok(t, d.LaunchGraph(0, graph, stream))
	check(1000)
	ok(t, d.DestroyGraph(0, graph))
	onValues(t, d, stream, memory)
	ok(t, d.UnloadModule(0, module))
}

// onValues has one stream wait for what another writes.
func onValues(t *testing.T, d device.Driver, stream device.Handle, memory device.Ptr) {
	t.Helper()
	ok(t, d.Fill(0, memory, 0, 4, 2, stream))
	await(t, func() (bool, error) { return d.StreamDone(0, stream) })
	other, err := d.NewStream(0, 0)
	ok(t, err)
	ok(t, d.WaitValue(0, stream, memory, 5, device.CompareGE))
	if done, err := d.StreamDone(0, stream); done || err != nil {
		t.Errorf("a stream that waits is done: %v, error %v", done, err)
	}
	ok(t, d.WriteValue(0, other, memory, 6))
	await(t, func() (bool, error) { return d.StreamDone(0, stream) })
	ok(t, d.DestroyStream(0, other))
}

// await asks again until the answer is yes.
func await(t *testing.T, done func() (bool, error)) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		yes, err := done()
		ok(t, err)
		if yes {
			return
		}
	}
	t.Fatal("not done within 20 seconds")
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
