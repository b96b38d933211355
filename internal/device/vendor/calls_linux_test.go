package vendor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// step is one method called, and what the library has to see.
type step struct {
	do func(d device.Driver, w *world) any
	// calls are separated by ; and result is what do returns, all as of a world. The
	// names are written out here, once more than in our tables.
	cuda, hip, result string
}

// world is what the steps work with.
type world struct {
	p, q, pinned          device.Ptr
	stream, timed, module device.Handle
	host                  *[64]byte
	handle                device.IPCHandle
}

// or gives the error, if there is one, instead of what was returned.
func or(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

// steps use device 0, which is current already. Words in braces stand for addresses.
func steps() []step {
	return slices.Concat(memorySteps(), streamSteps(), codeSteps(), deviceSteps())
}

func memorySteps() []step {
	return []step{
		{func(d device.Driver, w *world) any { p, err := d.Alloc(0, 4000); w.p = p; return err },
			"cuMemAlloc_v2 out 4000", "hipMalloc out 4000", "<nil>"},
		{func(d device.Driver, w *world) any { p, err := d.Alloc(0, 300); w.q = p; return err },
			"cuMemAlloc_v2 out 300", "hipMalloc out 300", "<nil>"},
		{func(d device.Driver, w *world) any { p, err := d.AllocPinned(0, 200); w.pinned = p; return err },
			"cuMemHostAlloc out 200 3", "hipHostMalloc out 200 3", "<nil>"},
		{func(d device.Driver, w *world) any { s, err := d.NewStream(0, -7); w.stream = s; return err },
			"cuCtxGetStreamPriorityRange out out;cuStreamCreateWithPriority out 1 -5",
			"hipDeviceGetStreamPriorityRange out out;hipStreamCreateWithPriority out 1 -5", "<nil>"},
		{func(d device.Driver, w *world) any { return d.Copy(0, w.p, w.q, 24, w.stream) },
			"cuMemcpyAsync {p} {q} 24 4112", "hipMemcpyAsync {p} {q} 24 4 4112", "<nil>"},
		{func(d device.Driver, w *world) any {
			return or(w.host[1], d.CopyIn(0, w.p, unsafe.Pointer(w.host), 64, w.stream))
		}, "cuMemcpyHtoDAsync_v2 {p} {host} 64 4112;cuStreamSynchronize 4112",
			"hipMemcpyHtoDAsync {p} {host} 64 4112;hipStreamSynchronize 4112", "7"},
		{func(d device.Driver, w *world) any { return d.Fill(0, w.p, 0x1ab, 1, 3, w.stream) },
			"cuMemsetD8Async {p} 171 3 4112", "hipMemsetD8Async {p} 171 3 4112", "<nil>"},
		{func(d device.Driver, w *world) any { return d.Fill(0, w.p+8, 0x1abcd, 2, 3, w.stream) },
			"cuMemsetD16Async {p8} 43981 3 4112", "hipMemsetD16Async {p8} 43981 3 4112", "<nil>"},
		{func(d device.Driver, w *world) any { return d.Fill(0, w.p+16, 77777, 4, 3, w.stream) },
			"cuMemsetD32Async {p16} 77777 3 4112", "hipMemsetD32Async {p16} 77777 3 4112", "<nil>"},
		{func(d device.Driver, w *world) any {
			err := d.CopyOut(0, unsafe.Pointer(w.host), w.p, 32, w.stream)
			return or(fmt.Sprintf("%x", w.host[:34]), err)
		}, "cuMemcpyDtoHAsync_v2 {host} {p} 32 4112;cuStreamSynchronize 4112",
			"hipMemcpyDtoHAsync {host} {p} 32 4112;hipStreamSynchronize 4112",
			"ababab0000000000cdabcdabcdab0000d12f0100d12f0100d12f0100000000000000"},
		{func(d device.Driver, w *world) any { h, err := d.Export(0, w.p); w.handle = h; return err },
			"cuIpcGetMemHandle out {p}", "hipIpcGetMemHandle out {p}", "<nil>"},
		{func(d device.Driver, w *world) any { p, err := d.Import(0, w.handle); return or(p-w.p, err) },
			"cuIpcOpenMemHandle_v2 out name of memory 1", "hipIpcOpenMemHandle out name of memory 1", "512"},
		{func(d device.Driver, w *world) any { return d.CloseImport(0, w.p+512) },
			"cuIpcCloseMemHandle {p512}", "hipIpcCloseMemHandle {p512}", "<nil>"},
		{func(d device.Driver, w *world) any { a, err := d.Attributes(w.q); a.Base -= w.p; return or(a, err) },
			"cuPointerGetAttribute out 2 {q};cuPointerGetAttribute out 11 {q};cuPointerGetAttribute out 12 {q};cuPointerGetAttribute out 9 {q}",
			"hipPointerGetAttribute out 2 {q};hipPointerGetAttribute out 11 {q};hipPointerGetAttribute out 12 {q};hipPointerGetAttribute out 9 {q}",
			"{true 0 false 0 65536}"},
		{func(d device.Driver, w *world) any {
			a, err := d.Attributes(w.pinned)
			a.Base -= w.p
			return or(a, err)
		},
			"cuPointerGetAttribute out 2 {pinned};cuPointerGetAttribute out 11 {pinned};cuPointerGetAttribute out 12 {pinned}",
			"hipPointerGetAttribute out 2 {pinned};hipPointerGetAttribute out 11 {pinned};hipPointerGetAttribute out 12 {pinned}",
			"{true -1 true 0 65536}"},
		{func(d device.Driver, _ *world) any { return or(d.Attributes(4096)) },
			"cuPointerGetAttribute out 2 4096;cuGetErrorName 1 out;cuGetErrorString 1 out",
			"hipPointerGetAttribute out 2 4096;hipGetErrorName 1;hipGetErrorString 1", "{false -1 false 0 0}"},
		{func(d device.Driver, w *world) any { return d.Free(0, w.q) }, "cuMemFree_v2 {q}", "hipFree {q}", "<nil>"},
		{func(d device.Driver, w *world) any { return d.FreePinned(0, w.pinned) }, "cuMemFreeHost {pinned}", "hipHostFree {pinned}", "<nil>"},
	}
}

func streamSteps() []step {
	return []step{
		{func(d device.Driver, _ *world) any { return or(d.NewStream(0, 3)) },
			"cuCtxGetStreamPriorityRange out out;cuStreamCreateWithPriority out 1 0",
			"hipDeviceGetStreamPriorityRange out out;hipStreamCreateWithPriority out 1 0", "4128"},
		{func(d device.Driver, _ *world) any { l, g, err := d.Priorities(0); return or([]int{l, g}, err) },
			"cuCtxGetStreamPriorityRange out out", "hipDeviceGetStreamPriorityRange out out", "[0 -5]"},
		{func(d device.Driver, w *world) any { return or(d.StreamDone(0, w.stream)) }, "cuStreamQuery 4112", "hipStreamQuery 4112", "true"},
		{func(d device.Driver, _ *world) any { return or(d.NewEvent(0, false)) }, "cuEventCreate out 2", "hipEventCreateWithFlags out 2", "4144"},
		{func(d device.Driver, w *world) any { e, err := d.NewEvent(0, true); w.timed = e; return or(e, err) },
			"cuEventCreate out 0", "hipEventCreateWithFlags out 0", "4160"},
		{func(d device.Driver, w *world) any { return d.Record(0, w.timed, w.stream) }, "cuEventRecord 4160 4112", "hipEventRecord 4160 4112", "<nil>"},
		{func(d device.Driver, w *world) any { return or(d.EventDone(0, w.timed)) }, "cuEventQuery 4160", "hipEventQuery 4160", "true"},
		{func(d device.Driver, _ *world) any { return or(d.Elapsed(0, 4144, 4160)) },
			"cuEventElapsedTime out 4144 4160", "hipEventElapsedTime out 4144 4160", "1.5ms"},
		{func(d device.Driver, w *world) any { return d.StreamWait(0, w.stream, w.timed) },
			"cuStreamWaitEvent 4112 4160 0", "hipStreamWaitEvent 4112 4160 0", "<nil>"},
		{func(d device.Driver, w *world) any { return d.WriteValue(0, w.stream, w.p, 1<<63|5) },
			"cuStreamWriteValue64_v2 4112 {p} -9223372036854775803 0", "hipStreamWriteValue64 4112 {p} -9223372036854775803 0", "<nil>"},
		{func(d device.Driver, w *world) any { return d.WaitValue(0, w.stream, w.p, 9, device.CompareGE) },
			"cuStreamWaitValue64_v2 4112 {p} 9 0", "hipStreamWaitValue64 4112 {p} 9 0 -1", "<nil>"},
		{func(d device.Driver, w *world) any { return d.WaitValue(0, w.stream, w.p, 9, device.CompareEQ) },
			"cuStreamWaitValue64_v2 4112 {p} 9 1", "hipStreamWaitValue64 4112 {p} 9 1 -1", "<nil>"},
		{func(d device.Driver, w *world) any { return d.WaitValue(0, w.stream, w.p, 9, device.CompareAnd) },
			"cuStreamWaitValue64_v2 4112 {p} 9 2", "hipStreamWaitValue64 4112 {p} 9 2 -1", "<nil>"},
		{func(d device.Driver, w *world) any { return d.DestroyEvent(0, w.timed) }, "cuEventDestroy_v2 4160", "hipEventDestroy 4160", "<nil>"},
		{func(d device.Driver, _ *world) any { return d.DestroyStream(0, 4128) }, "cuStreamDestroy_v2 4128", "hipStreamDestroy 4128", "<nil>"},
	}
}

func codeSteps() []step {
	number, word := int32(-3), uint64(1<<40)
	launch := &device.Launch{Grid: [3]uint32{2, 3, 4}, Block: [3]uint32{32, 5, 6}, Shared: 48,
		Args: []unsafe.Pointer{unsafe.Pointer(&number), unsafe.Pointer(&word)}}
	return []step{
		{func(d device.Driver, w *world) any {
			m, err := d.LoadModule(0, []byte(".version 8")) // no zero byte at its end
			w.module = m
			return or(m, err)
		}, "cuModuleLoadData out .version 8", "hipModuleLoadData out .version 8", "4176"},
		{func(d device.Driver, w *world) any { return or(d.Function(0, w.module, "add_one")) },
			"cuModuleGetFunction out 4176 add_one", "hipModuleGetFunction out 4176 add_one", "4192"},
		{func(d device.Driver, _ *world) any {
			i, err := d.FunctionInfo(0, 4192)
			return or(fmt.Sprint(i.MaxThreads, i.Shared, i.Local, i.Registers, i.Params), err)
		}, "cuFuncGetAttribute out 0 4192;cuFuncGetAttribute out 4 4192;cuFuncGetAttribute out 1 4192;cuFuncGetAttribute out 3 4192;" +
			"cuFuncGetParamInfo 4192 0 out out;cuFuncGetParamInfo 4192 1 out out;cuFuncGetParamInfo 4192 2 out out",
			"hipFuncGetAttribute out 0 4192;hipFuncGetAttribute out 4 4192;hipFuncGetAttribute out 1 4192;hipFuncGetAttribute out 3 4192",
			"10 11 13 14 {params}"},
		{func(d device.Driver, _ *world) any { return d.AllowShared(0, 4192, 100000) }, "cuFuncSetAttribute 4192 8 100000", "", "<nil>"},
		{func(d device.Driver, w *world) any { return d.Launch(0, 4192, launch, w.stream) },
			"cuLaunchKernel 4192 2 3 4 32 5 6 48 4112 [-3 1099511627776] 0",
			"hipModuleLaunchKernel 4192 2 3 4 32 5 6 48 4112 [-3 1099511627776] 0", "<nil>"},
		{func(d device.Driver, w *world) any { return d.UnloadModule(0, w.module) }, "cuModuleUnload 4176", "hipModuleUnload 4176", "<nil>"},
		{func(d device.Driver, w *world) any { return d.BeginCapture(0, w.stream) },
			"cuStreamBeginCapture_v2 4112 2", "hipStreamBeginCapture 4112 2", "<nil>"},
		{func(d device.Driver, w *world) any { return or(d.Capturing(0, w.stream)) }, "cuStreamIsCapturing 4112 out", "hipStreamIsCapturing 4112 out", "true"},
		{func(d device.Driver, _ *world) any { return or(d.Capturing(0, 0)) }, "", "", "false"},
		{func(d device.Driver, w *world) any { return or(d.EndCapture(0, w.stream)) },
			"cuStreamEndCapture 4112 out;cuGraphInstantiateWithFlags out 4208 0;cuGraphDestroy 4208",
			"hipStreamEndCapture 4112 out;hipGraphInstantiateWithFlags out 4208 0;hipGraphDestroy 4208", "4224"},
		{func(d device.Driver, w *world) any { return d.LaunchGraph(0, 4224, w.stream) }, "cuGraphLaunch 4224 4112", "hipGraphLaunch 4224 4112", "<nil>"},
		{func(d device.Driver, _ *world) any { return d.DestroyGraph(0, 4224) }, "cuGraphExecDestroy 4224", "hipGraphExecDestroy 4224", "<nil>"},
	}
}

func deviceSteps() []step {
	return []step{
		{func(d device.Driver, _ *world) any { f, t, err := d.MemoryInfo(0); return or([]uint64{f, t}, err) },
			"cuMemGetInfo_v2 out out", "hipMemGetInfo out out", "[5000 70000]"},
		{func(d device.Driver, _ *world) any { return or(d.Peer(0, 1)) },
			"cuDeviceCanAccessPeer out 0 1;cuDeviceGetP2PAttribute out 3 0 1", "hipDeviceCanAccessPeer out 0 1;hipDeviceGetP2PAttribute out 2 0 1", "{true true}"},
		{func(d device.Driver, _ *world) any { return d.EnablePeer(0, 1) }, // it was enabled before
			"cuDevicePrimaryCtxRetain out 1;cuCtxEnablePeerAccess 257 0", "hipDeviceEnablePeerAccess 1 0", "<nil>"},
		{func(d device.Driver, _ *world) any { return or(d.Properties(0)) }, properties("cu", "", "_v2"), properties("hip", "; hipGetDevicePropertiesR0600 out 0", ""),
			"{properties}"},
	}
}

// properties are the calls about device 0: the attributes are those of the headers.
func properties(prefix, last, suffix string) string {
	numbers := []int{16, 10, 1, 5, 6, 7, 8, 97, 13, 75, 76, 122, 18}
	uuid := "Uuid" + suffix
	if prefix == "hip" {
		numbers = []int{63, 87, 56, 29, 30, 31, 74, 5, 23, 61, 10013, 16}
	}
	var calls []string
	for _, n := range numbers {
		calls = append(calls, fmt.Sprintf("%sDeviceGetAttribute out %d 0", prefix, n))
	}
	calls = append(calls, prefix+"DeviceTotalMem"+suffix+" out 0", prefix+"DeviceGetName out 1024 0",
		prefix+"DeviceGetPCIBusId out 1024 0", prefix+"DeviceGet"+uuid+" out 0")
	if last != "" {
		calls = append(calls, "hipGetDevice out", strings.TrimPrefix(last, "; "))
	}
	return strings.Join(calls, ";")
}

// replay makes all calls over a fresh driver and returns what the mock saw and what the
// methods returned, a list of lines for each step. It ends at the first step that is not
// as in want, if that is given: later ones would work with what went wrong.
func (m *mock) replay(want [][]string) [][]string {
	m.t.Helper()
	d := m.must()
	if _, err := d.StreamDone(0, 0); err != nil { // from here on device 0 is current
		m.t.Fatal(err)
	}
	lines := [][]string{m.take()}
	w := &world{host: &[64]byte{1: 7}}
	for _, s := range steps() {
		result := s.do(d, w)
		seen := append(m.take(), "= "+fmt.Sprint(result))
		lines = append(lines, w.named(seen))
		if at := len(lines) - 1; want != nil && !slices.Equal(lines[at], want[at]) {
			break
		}
	}
	return lines
}

// named writes addresses as the names that steps have for them.
func (w *world) named(lines []string) []string {
	if w.p == 0 {
		return lines
	}
	pairs := []string{}
	for name, p := range map[string]device.Ptr{"{q}": w.q, "{pinned}": w.pinned, "{p}": w.p, "{p8}": w.p + 8, "{p16}": w.p + 16,
		"{p512}": w.p + 512, "{host}": device.Ptr(uintptr(unsafe.Pointer(w.host)))} {
		if p > 1<<20 {
			pairs = append(pairs, fmt.Sprint(uintptr(p)), name)
		}
	}
	r := strings.NewReplacer(pairs...)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = r.Replace(l)
	}
	return out
}

// expected is the list that replay should give.
func expected(vendor string, first []string) [][]string {
	want := [][]string{first}
	for _, s := range steps() {
		calls, current, params := s.cuda, "cuCtxGetCurrent out", "[4 8]"
		result := "{Mock sm_10751076 GPU-08616161-6161-6161-6161-616161616161 0000:3b:00.0 1073741824 1016 1010 1001 [1005 1006 1007] 1008 1097 true true 1013 1075 1076}"
		if vendor == "hip" {
			calls, current, params = s.hip, "hipGetDevice out", "[]"
			result = "{Mock gfx942 GPU-08616161-6161-6161-6161-616161616161 0000:3b:00.0 1073741824 1063 1087 1056 [1029 1030 1031] 1074 1074 true true 1005 1023 1061}"
		}
		lines := strings.Split(calls, ";")
		if strings.Contains(calls, "CtxRetain") { // the peer's, before anything else
			lines = append([]string{lines[0], current}, lines[1:]...)
		} else if calls != "" {
			lines = append([]string{current}, lines...)
		}
		r := strings.NewReplacer("{params}", params, "{properties}", result)
		want = append(want, append(lines, "= "+r.Replace(s.result)))
	}
	return want
}

func TestEveryCallHasItsArgumentsInOrder(t *testing.T) {
	for _, c := range []struct {
		mock  *mock
		first []string
	}{
		{mockCUDA(t), []string{"cuDriverGetVersion out", "cuInit 0", "cuDriverGetVersion out", "cuDeviceGetCount out",
			"cuDevicePrimaryCtxRetain out 0", "cuCtxGetCurrent out", "cuCtxSetCurrent 256", "cuStreamQuery 0"}},
		{mockHIP(t), []string{"hipRuntimeGetVersion out", "hipInit 0", "hipRuntimeGetVersion out", "hipGetDeviceCount out",
			"hipGetDevice out", "hipStreamQuery 0"}},
	} {
		name := c.mock.dialect().name
		got, want := c.mock.replay(nil), expected(name, c.first)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%s step %d:\n got %q\nwant %q", name, i, got[i], want[i])
			}
		}
		all := strings.Join(slices.Concat(got...), "\n")
		for _, b := range c.mock.dialect().bindings {
			if !strings.Contains(all, b.Names[0]+" ") && !strings.HasSuffix(b.Names[0], "SetDevice") {
				t.Errorf("%s: no step calls %s", name, b.Names[0])
			}
		}
	}
}

// A mock in which one function takes two neighbouring arguments the other way round is
// as good as a table of ours that has them so: the comparison has to see each of them.
func TestSwappedArgumentsAreSeen(t *testing.T) {
	for _, m := range []*mock{mockCUDA(t), mockHIP(t)} {
		right := m.replay(nil)
		swaps := 0
		for fn, n := range arguments(right) {
			for at := range n - 1 {
				m.control("mock_reset", 2)
				m.swap(fn, at)
				swaps++
				if slices.EqualFunc(m.replay(right), right, slices.Equal[[]string]) {
					t.Errorf("%s with arguments %d and %d swapped looks right", fn, at, at+1)
				}
			}
		}
		if swaps < 60 {
			t.Errorf("%s: only %d swaps were tried", m.dialect().name, swaps)
		}
	}
}

// arguments lists the functions that were called with how many arguments they have.
func arguments(lines [][]string) map[string]int {
	list := map[string]int{}
	for _, l := range slices.Concat(lines...) {
		l = strings.NewReplacer("name of memory", "name", ".version 8", "image", "[-3 1099511627776]", "args").Replace(l)
		if words := strings.Fields(l); len(words) > 0 && words[0] != "=" {
			list[words[0]] = len(words) - 1
		}
	}
	return list
}
