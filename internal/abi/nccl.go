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
		PathVar: "NCCL_LIBRARY", LoaderFirst: true,
		Homes: cudaHome(), Packages: wheels(),
		Symbols: ncclSymbols(false),
		Version: ncclVersion(),
		Note:    "set NCCL_LIBRARY to its file",
	}
}

// RCCL is AMD's library of the same interface. It returns the NCCL version that
// it is compatible with; its own release is not among its functions.
//
// Origin: rccl.h of ROCm 6.2 and later, at NCCL levels 2.20 to 2.30.
func RCCL() dl.Spec {
	return dl.Spec{
		Name: "rccl", Sonames: []string{"librccl.so.1", "librccl.so"},
		PathVar: "NCCL_LIBRARY", LoaderFirst: true,
		Homes: rocmHomes(), Folders: rocmFolders(), Packages: rocmWheels(),
		Symbols: ncclSymbols(true),
		Version: ncclVersion(),
		Note:    "set ROCM_PATH to the ROCm installation",
	}
}

func ncclVersion() dl.VersionCall {
	return dl.VersionCall{Symbol: "ncclGetVersion", Outs: 1, Format: func(out []int32) string { return NCCLVersion(int(out[0])) }}
}

// NCCLVersion returns a version in words. It knows both codings: up to 2.8 major*1000 + minor*100 + patch, from
// 2.9 major*10000 + minor*100 + patch.
func NCCLVersion(v int) string {
	unit := 1000
	if v >= 10000 {
		unit = 10000
	}
	return fmt.Sprintf("%d.%d.%d", v/unit, v%unit/100, v%100)
}
