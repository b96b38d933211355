package raw

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/ccl/mock"
)

// step is one method called: what the library has to see, and what comes back. The names
// are written out here, once more than in our tables.
type step struct {
	call   string
	result string
	do     func(l *Library) any
}

// or gives the error, if there is one, instead of what was returned.
func or(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

func id() UniqueID {
	var id UniqueID
	copy(id[:], "abc")
	copy(id[125:], "xyz")
	return id
}

// slot gives what is stored in a slot, if anything.
func slot(call func(s *Slot) error) any {
	s := NewSlot()
	defer s.Free()
	err := call(s)
	return or(s.Value() != 0, err)
}

// comm is the communicator of all steps, which the mock never looks into but where it must.
const comm = 0xc0

func steps(real Comm) []step {
	return slices.Concat(queries(real), lifeSteps(real), dataSteps(), memorySteps(real), paramSteps(), deviceSteps(), configSteps())
}

func queries(c Comm) []step {
	return []step{
		{"ncclGetVersion out", "23007", func(l *Library) any { return or(l.GetVersion()) }},
		{"ncclResetDebugInit", "<nil>", func(l *Library) any { return l.ResetDebugInit() }},
		{"ncclGetUniqueId out", "abc xyz", func(l *Library) any {
			id, err := l.GetUniqueID()
			return or(string(id[:3])+" "+string(id[125:]), err)
		}},
		{"ncclCommCount {c} out", "4", func(l *Library) any { return or(l.CommCount(c)) }},
		{"ncclCommUserRank {c} out", "3", func(l *Library) any { return or(l.CommUserRank(c)) }},
		{"ncclCommCuDevice {c} out", "3", func(l *Library) any { return or(l.CommCuDevice(c)) }},
		{"ncclCommGetAsyncError {c} out", "ncclSuccess", func(l *Library) any { return or(l.CommGetAsyncError(c)) }},
		{"ncclCommQueryProperties {c} out", "{56 3405692655 23007 3 4 3 4 true false 2 5 true 6 0}",
			func(l *Library) any { return or(l.CommQueryProperties(c)) }},
	}
}

func lifeSteps(c Comm) []step {
	return []step{
		{"ncclCommInitRank out 4 id:abc..xyz 2", "true", func(l *Library) any {
			return slot(func(s *Slot) error { return l.CommInitRank(s, 4, id(), 2) })
		}},
		{"ncclCommInitRankConfig out 4 id:abc..xyz 2 null", "true", func(l *Library) any {
			return slot(func(s *Slot) error { return l.CommInitRankConfig(s, 4, id(), 2, nil) })
		}},
		{"ncclCommInitRankScalable out 4 2 1 id:abc..xyz null", "true", func(l *Library) any {
			return slot(func(s *Slot) error { return l.CommInitRankScalable(s, 4, 2, []UniqueID{id()}, nil) })
		}},
		{"ncclCommInitAll out 2 [5 6]", "2", func(l *Library) any {
			list, err := l.CommInitAll(2, []int{5, 6})
			return or(len(list), err)
		}},
		{"ncclCommFinalize {c}", "<nil>", func(l *Library) any { return l.CommFinalize(c) }},
		{"ncclCommDestroy {c}", "<nil>", func(l *Library) any { return l.CommDestroy(c) }},
		{"ncclCommAbort {c}", "<nil>", func(l *Library) any { return l.CommAbort(c) }},
		{"ncclCommRevoke {c} 0", "<nil>", func(l *Library) any { return l.CommRevoke(c, 0) }},
		{"ncclCommSuspend {c} 1", "<nil>", func(l *Library) any { return l.CommSuspend(c, SuspendMem) }},
		{"ncclCommResume {c}", "<nil>", func(l *Library) any { return l.CommResume(c) }},
		{"ncclCommMemStats {c} 3 out", "1099511627779", func(l *Library) any { return or(l.CommMemStats(c, MemTotal)) }},
		{"ncclCommSplit {c} 7 -9 out null", "true", func(l *Library) any {
			return slot(func(s *Slot) error { return l.CommSplit(c, 7, -9, s, nil) })
		}},
		{"ncclCommSplit {c} -1 3 out null", "false", func(l *Library) any {
			return slot(func(s *Slot) error { return l.CommSplit(c, SplitNoColor, 3, s, nil) })
		}},
		{"ncclCommShrink {c} [2 1] 2 out null 1", "true [2 1]", func(l *Library) any {
			exclude := []int{2, 1}
			got := slot(func(s *Slot) error { return l.CommShrink(c, exclude, s, nil, ShrinkAbort) })
			return fmt.Sprint(got, exclude)
		}},
		{"ncclCommGetUniqueId {c} out", "103", func(l *Library) any {
			id, err := l.CommGetUniqueID(c)
			return or(id[77], err)
		}},
		{"ncclCommGrow {c} 6 id:abc..xyz -1 out null", "true", func(l *Library) any {
			id := id()
			return slot(func(s *Slot) error { return l.CommGrow(c, 6, &id, -1, s, nil) })
		}},
		{"ncclCommGrow 0 6 id:abc..xyz 5 out null", "true", func(l *Library) any {
			id := id()
			return slot(func(s *Slot) error { return l.CommGrow(0, 6, &id, 5, s, nil) })
		}},
		{"ncclGroupStart;ncclGroupEnd", "<nil>", func(l *Library) any { return or(l.GroupStart(), l.GroupEnd()) }},
		{"ncclGroupStart;ncclGroupSimulateEnd out", "12.5", func(l *Library) any {
			if err := l.GroupStart(); err != nil {
				return err
			}
			info, err := l.GroupSimulateEnd()
			return or(info.EstimatedTime, err)
		}},
	}
}

func dataSteps() []step {
	return []step{
		{"ncclReduce 1 2 3 7 2 5 192 9", "<nil>", func(l *Library) any { return l.Reduce(1, 2, 3, Float32, Max, 5, comm, 9) }},
		{"ncclBcast 1 3 7 5 192 9", "<nil>", func(l *Library) any { return l.Bcast(1, 3, Float32, 5, comm, 9) }},
		{"ncclBroadcast 1 2 3 7 5 192 9", "<nil>", func(l *Library) any { return l.Broadcast(1, 2, 3, Float32, 5, comm, 9) }},
		{"ncclAllReduce 1 2 1099511627776 10 4 192 9", "<nil>", func(l *Library) any { return l.AllReduce(1, 2, 1<<40, Float8E4M3, Avg, comm, 9) }},
		{"ncclReduceScatter 1 2 3 9 77 192 8", "<nil>", func(l *Library) any { return l.ReduceScatter(1, 2, 3, BFloat16, 77, comm, 8) }},
		{"ncclAllGather 1 2 3 0 192 9", "<nil>", func(l *Library) any { return l.AllGather(1, 2, 3, Int8, comm, 9) }},
		{"ncclSend 1 3 8 5 192 9", "<nil>", func(l *Library) any { return l.Send(1, 3, Float64, 5, comm, 9) }},
		{"ncclRecv 2 3 8 5 192 9", "<nil>", func(l *Library) any { return l.Recv(2, 3, Float64, 5, comm, 9) }},
		{"ncclAlltoAll 1 2 3 4 192 9", "<nil>", func(l *Library) any { return l.AlltoAll(1, 2, 3, Int64, comm, 9) }},
		{"ncclGather 1 2 3 4 5 192 9", "<nil>", func(l *Library) any { return l.Gather(1, 2, 3, Int64, 5, comm, 9) }},
		{"ncclScatter 1 2 3 4 5 192 9", "<nil>", func(l *Library) any { return l.Scatter(1, 2, 3, Int64, 5, comm, 9) }},
		{"ncclRedOpCreatePreMulSum out 258 6 1 192", "an operation of the user's 77", func(l *Library) any {
			op, err := l.RedOpCreatePreMulSum([]byte{2, 1}, 0, Float16, comm)
			return or(fmt.Sprint(op, int(op)), err)
		}},
		{"ncclRedOpCreatePreMulSum out 4096 7 0 192", "an operation of the user's 77", func(l *Library) any {
			op, err := l.RedOpCreatePreMulSum(nil, 4096, Float32, comm)
			return or(fmt.Sprint(op, int(op)), err)
		}},
		{"ncclRedOpDestroy 77 192", "<nil>", func(l *Library) any { return l.RedOpDestroy(77, comm) }},
		{"ncclAllReduceWithBias 1 2 3 7 0 192 9 8", "<nil>", func(l *Library) any { return l.AllReduceWithBias(1, 2, 3, Float32, Sum, comm, 9, 8) }},
		{"ncclAllToAllv 1 [3 4] [0 3] 2 [5 6] [1 7] 7 192 9", "<nil>", func(l *Library) any {
			return l.AlltoAllv(1, []int{3, 4}, []int{0, 3}, 2, []int{5, 6}, []int{1, 7}, Float32, comm, 9)
		}},
		{"mscclLoadAlgo a/b out 3", "9", func(l *Library) any { return or(l.MscclLoadAlgo("a/b", 3)) }},
		{"mscclRunAlgo 1 [3 4] [0 3] 2 [5 6] [1 7] 11 7 4 5 0 9 192 8", "<nil>", func(l *Library) any {
			return l.MscclRunAlgo(1, []int{3, 4}, []int{0, 3}, 2, []int{5, 6}, []int{1, 7}, 11, Float32, 4, 5, Sum, 9, comm, 8)
		}},
		{"mscclUnloadAlgo 9", "<nil>", func(l *Library) any { return l.MscclUnloadAlgo(9) }},
	}
}

func memorySteps(c Comm) []step {
	return []step{
		{"ncclMemAlloc out 4000", "1048576", func(l *Library) any { return or(l.MemAlloc(4000)) }},
		{"ncclMemFree 4096", "<nil>", func(l *Library) any { return l.MemFree(4096) }},
		{"ncclCommRegister {c} 1 2 out", "1911", func(l *Library) any { return or(l.CommRegister(c, 1, 2)) }},
		{"ncclCommDeregister {c} 5", "<nil>", func(l *Library) any { return l.CommDeregister(c, 5) }},
		{"ncclCommWindowRegister {c} 1 2 out 3", "true", func(l *Library) any {
			return slot(func(s *Slot) error {
				return l.CommWindowRegister(c, 1, 2, s, WindowCollSymmetric|WindowStrictOrdering)
			})
		}},
		{"ncclCommWindowDeregister {c} 5", "<nil>", func(l *Library) any { return l.CommWindowDeregister(c, 5) }},
		{"ncclWinGetUserPtr {c} 5 out", "2457", func(l *Library) any { return or(l.WinGetUserPtr(c, 5)) }},
		{"ncclPutSignal 1 2 7 3 4 5 6 7 8 192 10", "<nil>", func(l *Library) any { return l.PutSignal(1, 2, Float32, 3, 4, 5, 6, 7, 8, comm, 10) }},
		{"ncclSignal 1 2 3 4 192 6", "<nil>", func(l *Library) any { return l.Signal(1, 2, 3, 4, comm, 6) }},
		{"ncclWaitSignal 2 [1:2:3:4 5:6:7:8] 192 6", "<nil>", func(l *Library) any {
			d := NewDescs([]WaitSignalDesc{{1, 2, 3, 4}, {5, 6, 7, 8}})
			defer d.Free()
			return l.WaitSignal(d, comm, 6)
		}},
	}
}

func paramSteps() []step {
	const h = ParamHandle(0x555)
	return []step{
		{"ncclParamBind out KEY", "1365", func(l *Library) any { return or(l.ParamBind("KEY")) }},
		{"ncclParamGetI8 1365 out", "-3", func(l *Library) any { return or(l.ParamGetI8(h)) }},
		{"ncclParamGetI16 1365 out", "-3", func(l *Library) any { return or(l.ParamGetI16(h)) }},
		{"ncclParamGetI32 1365 out", "-3", func(l *Library) any { return or(l.ParamGetI32(h)) }},
		{"ncclParamGetI64 1365 out", "-3", func(l *Library) any { return or(l.ParamGetI64(h)) }},
		{"ncclParamGetU8 1365 out", "253", func(l *Library) any { return or(l.ParamGetU8(h)) }},
		{"ncclParamGetU16 1365 out", "65533", func(l *Library) any { return or(l.ParamGetU16(h)) }},
		{"ncclParamGetU32 1365 out", "4294967293", func(l *Library) any { return or(l.ParamGetU32(h)) }},
		{"ncclParamGetU64 1365 out", "18446744073709551613", func(l *Library) any { return or(l.ParamGetU64(h)) }},
		{"ncclParamGetStr 1365 out", "text", func(l *Library) any { return or(l.ParamGetStr(h)) }},
		{"ncclParamGet 1365 out 64 out", "raw", func(l *Library) any { b, err := l.ParamGet(h, 64); return or(string(b), err) }},
		{"ncclParamGetParameter KEY out out", "value", func(l *Library) any { return or(l.ParamGetParameter("KEY")) }},
		{"ncclParamGetAllParameterKeys out out", "[ONE TWO]", func(l *Library) any { return or(l.ParamGetAllParameterKeys()) }},
		{"ncclParamDumpAll", "<nil>", func(l *Library) any { return l.ParamDumpAll() }},
		{"ncclSetEncryption 5", "<nil>", func(l *Library) any { return l.SetEncryption(5) }},
	}
}

func deviceSteps() []step {
	team := Team{4, 3, 2}
	three := func(a, b uint64, err error) any { return or([]uint64{a, b}, err) }
	return []step{
		{"ncclTeamWorld 192", "{10 11 12}", func(l *Library) any { return or(l.TeamWorld(comm)) }},
		{"ncclTeamLsa 192", "{20 21 22}", func(l *Library) any { return or(l.TeamLSA(comm)) }},
		{"ncclTeamRail 192", "{30 31 32}", func(l *Library) any { return or(l.TeamRail(comm)) }},
		{"ncclTeamCftMultimem 192", "{40 41 42}", func(l *Library) any { return or(l.TeamCFTMultimem(comm)) }},
		{"ncclTeamCft 192 2", "{50 -1 2}", func(l *Library) any { return or(l.TeamCFT(comm, 2)) }},
		{"ncclTeamRankToWorld 192 4 3 2 9", "-9", func(l *Library) any { return or(l.TeamRankToWorld(comm, team, 9)) }},
		{"ncclTeamRankToLsa 192 4 3 2 9", "-9", func(l *Library) any { return or(l.TeamRankToLSA(comm, team, 9)) }},
		{"ncclLsaBarrierCreateRequirement 4 3 2 7 8 9", "<nil>", func(l *Library) any { return l.LSABarrierCreateRequirement(team, 7, 8, 9) }},
		{"ncclGinBarrierCreateRequirement 192 4 3 2 7 8 9", "<nil>", func(l *Library) any { return l.GINBarrierCreateRequirement(comm, team, 7, 8, 9) }},
		{"ncclLLA2ACreateRequirement 1 2 3 4", "<nil>", func(l *Library) any { return l.LLA2ACreateRequirement(1, 2, 3, 4) }},
		{"ncclLLA2ACalcSlots 6 7", "42", func(l *Library) any { return or(l.LLA2ACalcSlots(6, 7)) }},
		{"ncclDevCommCreate 192 2 3", "<nil>", func(l *Library) any { return l.DevCommCreate(comm, 2, 3) }},
		{"ncclDevCommDestroy 192 3", "<nil>", func(l *Library) any { return l.DevCommDestroy(comm, 3) }},
		{"ncclGetLsaMultimemDevicePointer 1 2 out", "161", func(l *Library) any { return or(l.GetLSAMultimemDevicePointer(1, 2)) }},
		{"ncclGetLsaDevicePointer 1 2 3 out", "162", func(l *Library) any { return or(l.GetLSADevicePointer(1, 2, 3)) }},
		{"ncclGetPeerDevicePointer 1 2 3 out", "163", func(l *Library) any { return or(l.GetPeerDevicePointer(1, 2, 3)) }},
		{"ncclGetMultimemDevicePointer 1 2 3 out", "164", func(l *Library) any { return or(l.GetMultimemDevicePointer(1, 2, 3)) }},
		{"ncclGetMultimemDeviceLeInfo 1 2 out out", "[1 2]", func(l *Library) any { return three(l.GetMultimemDeviceLEInfo(1, 2)) }},
		{"ncclGetPeerDeviceLeInfo 1 2 3 out out", "[3 4]", func(l *Library) any { return three(l.GetPeerDeviceLEInfo(1, 2, 3)) }},
		{"ncclGetCftDeviceLeInfo 1 2 7 4 3 2 out out", "[5 6]", func(l *Library) any { return three(l.GetCFTDeviceLEInfo(1, 2, 7, team)) }},
	}
}

func configSteps() []step {
	k := NewCollConfig()
	k.CTAPolicy, k.AlgSelection = CTAPolicyZero, "ring"
	const text = " k:64:cafebeef:23200:2:ring"
	return []step{
		{"ncclReduceConfig 1 2 3 7 2 5 192 9" + text, "<nil>", func(l *Library) any { return l.ReduceConfig(1, 2, 3, Float32, Max, 5, comm, 9, k) }},
		{"ncclBroadcastConfig 1 2 3 7 5 192 9" + text, "<nil>", func(l *Library) any { return l.BroadcastConfig(1, 2, 3, Float32, 5, comm, 9, k) }},
		{"ncclAllReduceConfig 1 2 3 7 2 192 9" + text, "<nil>", func(l *Library) any { return l.AllReduceConfig(1, 2, 3, Float32, Max, comm, 9, k) }},
		{"ncclReduceScatterConfig 1 2 3 7 2 192 9" + text, "<nil>", func(l *Library) any { return l.ReduceScatterConfig(1, 2, 3, Float32, Max, comm, 9, k) }},
		{"ncclAllGatherConfig 1 2 3 7 192 9" + text, "<nil>", func(l *Library) any { return l.AllGatherConfig(1, 2, 3, Float32, comm, 9, k) }},
		{"ncclAlltoAllConfig 1 2 3 7 192 9" + text, "<nil>", func(l *Library) any { return l.AlltoAllConfig(1, 2, 3, Float32, comm, 9, k) }},
		{"ncclGatherConfig 1 2 3 7 5 192 9" + text, "<nil>", func(l *Library) any { return l.GatherConfig(1, 2, 3, Float32, 5, comm, 9, k) }},
		{"ncclScatterConfig 1 2 3 7 5 192 9" + text, "<nil>", func(l *Library) any { return l.ScatterConfig(1, 2, 3, Float32, 5, comm, 9, k) }},
	}
}

func open(t testing.TB, m *mock.Mock, name string) *Library {
	t.Helper()
	l, err := Open(name, m.Path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// made is a communicator of the mock: rank 3 of 4.
func made(t testing.TB, l *Library) Comm {
	t.Helper()
	s := NewSlot()
	defer s.Free()
	if err := l.CommInitRank(s, 4, id(), 3); err != nil {
		t.Fatal(err)
	}
	return Comm(s.Value())
}

func TestEveryCallHasItsArgumentsInOrder(t *testing.T) {
	m := mock.New(t, "-DRCCL")
	l := open(t, m, "rccl")
	c := made(t, l)
	m.Take()
	named := map[string]bool{"ncclGetErrorString": true, "ncclGetLastError": true} // called for every error
	for _, s := range steps(c) {
		want := strings.ReplaceAll(s.call, "{c}", fmt.Sprint(int64(c)))
		if got := fmt.Sprint(s.do(l)); got != s.result {
			t.Errorf("%s returned %s, want %s", want, got, s.result)
		}
		if got := strings.Join(m.Take(), ";"); got != want {
			t.Errorf("called %q\nwant   %q", got, want)
		}
		for call := range strings.SplitSeq(want, ";") {
			name, args, _ := strings.Cut(call, " ")
			named[name] = true
			swapped(t, m, l, s, name, len(strings.Fields(args)), want)
		}
	}
	for _, b := range abi.NCCLBindings() {
		if !slices.ContainsFunc(b.Names, func(n string) bool { return named[n] }) && b.Call != abi.NCCLOldAllToAll {
			t.Errorf("%s is called by no step", b.Names)
		}
	}
}

// swapped has every pair of neighbours change places: the comparison must notice.
func swapped(t *testing.T, m *mock.Mock, l *Library, s step, name string, args int, want string) {
	if strings.HasPrefix(name, "ncclTeam") || strings.ContainsAny(want, "[{") || strings.HasPrefix(name, "ncclGroup") {
		args = 0 // they return no result to end with, or have lists, of which the mock must know the length
	}
	for at := range args - 1 {
		m.Swap(name, at)
		s.do(l)
		m.Swap("", 0)
		if got := strings.Join(m.Take(), ";"); got == want {
			t.Errorf("arguments %d and %d of %s change places and nothing shows it", at, at+1, name)
		}
	}
}

// TestMissing: without its function every method says so, and which version has it.
func TestMissing(t *testing.T) {
	m := mock.New(t, "-DRCCL")
	l := open(t, m, "rccl")
	c := made(t, l)
	for _, s := range steps(c) {
		name, _, _ := strings.Cut(s.call, " ")
		name, _, _ = strings.Cut(name, ";")
		i := slices.Index(l.names[:], name)
		b := abi.NCCLBindings()[i]
		if b.Since == "" && !b.RCCL {
			continue
		}
		fns := l.fn
		l.fn[i], l.fn[abi.NCCLOldAllToAll] = 0, 0
		got := fmt.Sprint(s.do(l))
		l.fn = fns
		if !strings.HasPrefix(got, name+": RCCL 2.30.7 (") || !strings.Contains(got, b.Since) {
			t.Errorf("without %s: %s", name, got)
		}
	}
}

// TestLayouts holds sizes and offsets as the headers have them, by version.
func TestLayouts(t *testing.T) {
	var c Config
	var p Properties
	var k CollConfig
	var s SimInfo
	var w WaitSignalDesc
	for _, f := range []struct {
		what      string
		got, want uintptr
	}{
		{"2.14 Blocking", offset(c, "Blocking"), 16}, {"2.17 CGAClusterSize", offset(c, "CGAClusterSize"), 20},
		{"2.17 MinCTAs", offset(c, "MinCTAs"), 24}, {"2.17 MaxCTAs", offset(c, "MaxCTAs"), 28},
		{"2.17 netName", offset(c, "netName"), 32}, {"2.18 SplitShare", offset(c, "SplitShare"), 40},
		{"2.26 TrafficClass", offset(c, "TrafficClass"), 44}, {"2.27 commName", offset(c, "commName"), 48},
		{"2.27 CollNetEnable", offset(c, "CollNetEnable"), 56}, {"2.27 CTAPolicy", offset(c, "CTAPolicy"), 60},
		{"2.27 ShrinkShare", offset(c, "ShrinkShare"), 64}, {"2.27 NVLSCTAs", offset(c, "NVLSCTAs"), 68},
		{"2.28 NChannelsPerNetPeer", offset(c, "NChannelsPerNetPeer"), 72}, {"2.28 NVLinkCentricSched", offset(c, "NVLinkCentricSched"), 76},
		{"2.29 GraphUsageMode", offset(c, "GraphUsageMode"), 80}, {"2.29 NumRMACtx", offset(c, "NumRMACtx"), 84},
		{"2.30 MaxP2PPeers", offset(c, "MaxP2PPeers"), 88}, {"2.30.7 GraphStreamOrdering", offset(c, "GraphStreamOrdering"), 92},
		{"2.31 LaunchOrderImplicit", offset(c, "LaunchOrderImplicit"), configSize}, {"2.31 NumRMASig", offset(c, "NumRMASig"), 100},
		{"2.31 RMAEagerInit", offset(c, "RMAEagerInit"), 104}, {"2.31.1 HostCFTMode", offset(c, "HostCFTMode"), 108},
		{"2.32 NVLSHostMode", offset(c, "NVLSHostMode"), 112}, {"2.32 size", offset(c, "NetName"), laterSize},
		{"Properties", reflect.TypeOf(p).Size(), 56}, {"Rank", offset(p, "Rank"), 16}, {"NRanks", offset(p, "NRanks"), 20},
		{"CUDADev", offset(p, "CUDADev"), 24}, {"NVMLDev", offset(p, "NVMLDev"), 28},
		{"DeviceAPISupport", offset(p, "DeviceAPISupport"), 32}, {"MultimemSupport", offset(p, "MultimemSupport"), 33},
		{"GINType", offset(p, "GINType"), 36}, {"NLSATeams", offset(p, "NLSATeams"), 40},
		{"HostRMASupport", offset(p, "HostRMASupport"), 44}, {"RailedGINType", offset(p, "RailedGINType"), 48},
		{"CollConfig", offset(k, "AlgSelection"), collSize}, {"Ext", offset(k, "Ext"), 16}, {"coll MinCTAs", offset(k, "MinCTAs"), 24},
		{"coll CGA", offset(k, "CGAClusterSize"), 36}, {"algSelection", offset(k, "algSelection"), 40},
		{"Force", offset(k, "ForceAlgSelection"), 48}, {"coll CTAPolicy", offset(k, "CTAPolicy"), 52}, {"Tag", offset(k, "UserProfilerTag"), 56},
		{"SimInfo", reflect.TypeOf(s).Size(), 24}, {"EstimatedTime", offset(s, "EstimatedTime"), 16}, {"WaitSignalDesc", reflect.TypeOf(w).Size(), 16},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, want %d", f.what, f.got, f.want)
		}
	}
}

// offset is where a field lies in its struct.
func offset(of any, field string) uintptr {
	f, ok := reflect.TypeOf(of).FieldByName(field)
	if !ok {
		panic(field)
	}
	return f.Offset
}
