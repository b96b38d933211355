package abi

import "github.com/goshmem/goshmem/internal/dl"

// NCCLCall is a function of NCCL or RCCL.
type NCCLCall int

// The functions, as the libraries call them without the nccl before.
const (
	NCCLGetVersion NCCLCall = iota
	NCCLGetErrorString
	NCCLGetUniqueId
	NCCLCommInitRank
	NCCLCommInitAll
	NCCLCommDestroy
	NCCLCommAbort
	NCCLCommGetAsyncError
	NCCLCommCount
	NCCLCommCuDevice
	NCCLCommUserRank
	NCCLReduce
	NCCLBcast
	NCCLBroadcast
	NCCLAllReduce
	NCCLReduceScatter
	NCCLAllGather
	NCCLSend
	NCCLRecv
	NCCLGroupStart
	NCCLGroupEnd
	NCCLRedOpCreatePreMulSum
	NCCLRedOpDestroy
	NCCLGetLastError
	NCCLCommInitRankConfig
	NCCLCommFinalize
	NCCLCommSplit
	NCCLMemAlloc
	NCCLMemFree
	NCCLCommRegister
	NCCLCommDeregister
	NCCLGroupSimulateEnd
	NCCLCommInitRankScalable
	NCCLResetDebugInit
	NCCLCommWindowRegister
	NCCLCommWindowDeregister
	NCCLCommShrink
	NCCLAlltoAll
	NCCLGather
	NCCLScatter
	NCCLDevCommCreate
	NCCLDevCommDestroy
	NCCLTeamWorld
	NCCLTeamLsa
	NCCLTeamRail
	NCCLTeamRankToWorld
	NCCLTeamRankToLsa
	NCCLLsaBarrierCreateRequirement
	NCCLGinBarrierCreateRequirement
	NCCLLLA2ACreateRequirement
	NCCLLLA2ACalcSlots
	NCCLCommRevoke
	NCCLPutSignal
	NCCLSignal
	NCCLWaitSignal
	NCCLWinGetUserPtr
	NCCLCommGrow
	NCCLCommGetUniqueId
	NCCLCommQueryProperties
	NCCLGetLsaMultimemDevicePointer
	NCCLGetLsaDevicePointer
	NCCLGetPeerDevicePointer
	NCCLGetMultimemDevicePointer
	NCCLCommSuspend
	NCCLCommResume
	NCCLCommMemStats
	NCCLParamBind
	NCCLParamGetI8
	NCCLParamGetI16
	NCCLParamGetI32
	NCCLParamGetI64
	NCCLParamGetU8
	NCCLParamGetU16
	NCCLParamGetU32
	NCCLParamGetU64
	NCCLParamGetStr
	NCCLParamGet
	NCCLParamGetParameter
	NCCLParamGetAllParameterKeys
	NCCLParamDumpAll
	NCCLAllReduceConfig
	NCCLBroadcastConfig
	NCCLReduceConfig
	NCCLAllGatherConfig
	NCCLReduceScatterConfig
	NCCLAlltoAllConfig
	NCCLGatherConfig
	NCCLScatterConfig
	NCCLTeamCft
	NCCLTeamCftMultimem
	NCCLGetMultimemDeviceLeInfo
	NCCLGetPeerDeviceLeInfo
	NCCLGetCftDeviceLeInfo
	NCCLSetEncryption
	NCCLAllReduceWithBias
	NCCLAlltoAllv
	NCCLOldAllToAll
	NCCLMscclLoadAlgo
	NCCLMscclRunAlgo
	NCCLMscclUnloadAlgo
	NCCLCalls // how many there are
)

// NCCLBinding says what the libraries call a function.
type NCCLBinding struct {
	Call NCCLCall
	// Names are the function's names, the newest first: the first that there is counts.
	Names []string
	// Since is NCCL's version that added it; "" if we cannot do without it. RCCL has some
	// of them earlier, and lacks others at the same level.
	Since string
	For   string
	RCCL  bool // NCCL has no such function
}

// NCCLBindings lists all functions, in the order of their numbers.
//
// Origin: the headers of NCCL's releases 2.3 to 2.30.7 and of RCCL at the levels 2.20 to
// 2.30; the symbol list of libnccl.so.2 of release 2.28.9. What is said to be of 2.31 and
// 2.32 is from NVIDIA's guides for these versions.
func NCCLBindings() []NCCLBinding {
	var table []NCCLBinding
	for _, part := range ncclParts() {
		for _, name := range part.names {
			table = append(table, NCCLBinding{NCCLCall(len(table)), []string{"nccl" + name}, part.since, part.purpose, false})
		}
	}
	for _, names := range rcclNames() {
		table = append(table, NCCLBinding{NCCLCall(len(table)), names, "", "RCCL's own functions", true})
	}
	return table
}

// ncclPart is what a version added for a purpose.
type ncclPart struct {
	since, purpose string
	names          []string
}

func ncclParts() []ncclPart {
	return []ncclPart{
		{"", "communicators", []string{
			"GetVersion", "GetErrorString", "GetUniqueId", "CommInitRank", "CommInitAll", "CommDestroy",
			"CommAbort", "CommGetAsyncError", "CommCount", "CommCuDevice", "CommUserRank"}},
		{"", "collectives", []string{
			"Reduce", "Bcast", "Broadcast", "AllReduce", "ReduceScatter", "AllGather", "Send", "Recv",
			"GroupStart", "GroupEnd"}},
		{"2.11", "own reduction operators", []string{"RedOpCreatePreMulSum", "RedOpDestroy"}},
		{"2.13", "error texts", []string{"GetLastError"}},
		{"2.14", "configured communicators", []string{"CommInitRankConfig", "CommFinalize"}},
		{"2.18", "splitting communicators", []string{"CommSplit"}},
		{"2.19", "registered memory", []string{"MemAlloc", "MemFree", "CommRegister", "CommDeregister"}},
		{"2.22", "simulation", []string{"GroupSimulateEnd"}},
		{"2.23", "init with several ids", []string{"CommInitRankScalable"}},
		{"2.24", "debug output", []string{"ResetDebugInit"}},
		{"2.27", "windows", []string{"CommWindowRegister", "CommWindowDeregister", "CommShrink"}},
		{"2.28.3", "more collectives", []string{"AlltoAll", "Gather", "Scatter"}},
		{"2.28.3", "device communicators", []string{
			"DevCommCreate", "DevCommDestroy", "TeamWorld", "TeamLsa", "TeamRail", "TeamRankToWorld",
			"TeamRankToLsa", "LsaBarrierCreateRequirement", "GinBarrierCreateRequirement",
			"LLA2ACreateRequirement", "LLA2ACalcSlots"}},
		{"2.28.7", "revoking communicators", []string{"CommRevoke"}},
		{"2.29", "one-sided calls", []string{"PutSignal", "Signal", "WaitSignal", "WinGetUserPtr"}},
		{"2.29", "growing communicators", []string{"CommGrow", "CommGetUniqueId"}},
		{"2.29.2", "properties", []string{"CommQueryProperties"}},
		{"2.29.2", "addresses of peers", []string{
			"GetLsaMultimemDevicePointer", "GetLsaDevicePointer", "GetPeerDevicePointer",
			"GetMultimemDevicePointer"}},
		{"2.29.7", "suspending communicators", []string{"CommSuspend", "CommResume", "CommMemStats"}},
		{"2.30.4", "parameters", []string{
			"ParamBind", "ParamGetI8", "ParamGetI16", "ParamGetI32", "ParamGetI64", "ParamGetU8", "ParamGetU16",
			"ParamGetU32", "ParamGetU64", "ParamGetStr", "ParamGet", "ParamGetParameter",
			"ParamGetAllParameterKeys", "ParamDumpAll"}},
		{"2.31", "collectives with a config", []string{
			"AllReduceConfig", "BroadcastConfig", "ReduceConfig", "AllGatherConfig", "ReduceScatterConfig",
			"AlltoAllConfig", "GatherConfig", "ScatterConfig"}},
		{"2.31", "teams of CFT", []string{"TeamCft", "TeamCftMultimem", "GetMultimemDeviceLeInfo", "GetPeerDeviceLeInfo", "GetCftDeviceLeInfo"}},
		{"2.32", "encryption", []string{"SetEncryption"}},
	}
}

// rcclNames are the functions that only RCCL has.
func rcclNames() [][]string {
	return [][]string{
		{"ncclAllReduceWithBias"},
		{"ncclAlltoAllv", "ncclAllToAllv"},
		{"ncclAllToAll"},
		{"mscclLoadAlgo"},
		{"mscclRunAlgo"},
		{"mscclUnloadAlgo"},
	}
}

// ncclSymbols are the functions that both libraries may have, and those of RCCL's own.
func ncclSymbols(rccl bool) []dl.Symbol {
	var table []dl.Symbol
	for _, b := range NCCLBindings() {
		if b.RCCL && !rccl {
			continue
		}
		for _, name := range b.Names {
			table = append(table, dl.Symbol{Name: name, Required: b.Since == "" && !b.RCCL, Since: b.Since, For: b.For})
		}
	}
	return table
}
