package abi

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/dl"
)

// NCCL is NVIDIA's collective communication library.
//
// Origin: nccl.h of the releases 2.18 to 2.30.7 for the versions; the symbol list
// of libnccl.so.2 of release 2.28.9 for the names up to it.
func NCCL() dl.Spec {
	return dl.Spec{
		Name: "nccl", Sonames: []string{"libnccl.so.2", "libnccl.so"},
		PathVar: "NCCL_LIBRARY",
		Homes:   cudaHome(), Packages: wheels(),
		Symbols: ncclSymbols(),
		Version: ncclVersion(),
		Note:    "set NCCL_LIBRARY to its file",
	}
}

// RCCL is AMD's library of the same interface. It returns the NCCL version that
// it is compatible with; its own release is not among its functions.
//
// Origin: rccl.h of ROCm 6.2 and later, at NCCL levels 2.20 to 2.30.
func RCCL() dl.Spec {
	extra := optional("", "RCCL's own collectives",
		"ncclAllToAll", "ncclAllToAllv", "ncclAlltoAllv", "ncclAllReduceWithBias")
	return dl.Spec{
		Name: "rccl", Sonames: []string{"librccl.so.1", "librccl.so"},
		PathVar: "NCCL_LIBRARY",
		Homes:   rocmHomes(), Folders: rocmFolders(), Packages: rocmWheels(),
		Symbols: append(ncclSymbols(), extra...),
		Version: ncclVersion(),
		Note:    "set ROCM_PATH to the ROCm installation",
	}
}

func ncclSymbols() []dl.Symbol {
	table := required("communicators",
		"ncclGetVersion", "ncclGetErrorString", "ncclGetUniqueId", "ncclCommInitRank", "ncclCommInitAll",
		"ncclCommDestroy", "ncclCommAbort", "ncclCommGetAsyncError",
		"ncclCommCount", "ncclCommCuDevice", "ncclCommUserRank")
	table = append(table, required("collectives",
		"ncclReduce", "ncclBcast", "ncclBroadcast", "ncclAllReduce", "ncclReduceScatter", "ncclAllGather",
		"ncclSend", "ncclRecv", "ncclGroupStart", "ncclGroupEnd")...)
	for _, later := range []struct {
		since, purpose string
		names          []string
	}{
		{"2.11", "own reduction operators", []string{"ncclRedOpCreatePreMulSum", "ncclRedOpDestroy"}},
		{"2.13", "error texts", []string{"ncclGetLastError"}},
		{"2.14", "configured communicators", []string{"ncclCommInitRankConfig", "ncclCommFinalize"}},
		{"2.18", "splitting communicators", []string{"ncclCommSplit"}},
		{"2.19", "registered memory", []string{"ncclMemAlloc", "ncclMemFree", "ncclCommRegister", "ncclCommDeregister"}},
		{"2.22", "simulation", []string{"ncclGroupSimulateEnd"}},
		{"2.23", "init with several ids", []string{"ncclCommInitRankScalable"}},
		{"2.27", "windows", []string{"ncclCommWindowRegister", "ncclCommWindowDeregister", "ncclCommShrink"}},
		{"2.28.3", "more collectives", []string{"ncclAlltoAll", "ncclGather", "ncclScatter"}},
		{"2.28.7", "revoking communicators", []string{"ncclCommRevoke"}},
		{"2.29", "one-sided calls", []string{"ncclPutSignal", "ncclSignal", "ncclWaitSignal", "ncclWinGetUserPtr"}},
		{"2.29", "growing communicators", []string{"ncclCommGrow", "ncclCommGetUniqueId"}},
		{"2.29.2", "properties", []string{"ncclCommQueryProperties"}},
		{"2.29.7", "suspending communicators", []string{"ncclCommSuspend", "ncclCommResume", "ncclCommMemStats"}},
	} {
		table = append(table, optional(later.since, later.purpose, later.names...)...)
	}
	return table
}

func ncclVersion() dl.VersionCall {
	return dl.VersionCall{Symbol: "ncclGetVersion", Outs: 1, Format: func(out []int32) string { return decodeNCCL(int(out[0])) }}
}

// decodeNCCL knows both codings: up to 2.8 major*1000 + minor*100 + patch, from
// 2.9 major*10000 + minor*100 + patch.
func decodeNCCL(v int) string {
	unit := 1000
	if v >= 10000 {
		unit = 10000
	}
	return fmt.Sprintf("%d.%d.%d", v/unit, v%unit/100, v%100)
}
