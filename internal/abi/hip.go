package abi

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/env"
)

func rocmHomes() []dl.Home {
	dirs := []string{"lib", "lib64"}
	return []dl.Home{{Var: "ROCM_PATH", Dirs: dirs}, {Var: "ROCM_HOME", Dirs: dirs}, {Var: "HIP_PATH", Dirs: dirs}}
}

// rocmFolders is where AMD's packages install; they do not all tell the system
// loader about it. Since ROCm 7.14 it is a folder core below /opt/rocm.
func rocmFolders() []string {
	return []string{"/opt/rocm/lib", "/opt/rocm/core/lib", "/opt/rocm/core-*/lib", "/opt/rocm-*/lib"}
}

// rocmWheels is where Python packages have AMD's libraries: those of ROCm itself, and
// PyTorch's older ones, which bring their own.
func rocmWheels() []string {
	return []string{"_rocm_sdk_core/lib", "_rocm_sdk_libraries*/lib", "torch/lib"}
}

// HIP is AMD's device runtime.
//
// Origin: hip_runtime_api.h; each name is exported by Debian's libamdhip64.so.5
// (HIP 5.2.3). The number in the file name is HIP's major version.
func HIP() dl.Spec {
	table := append(symbolsOf(HIPRuntime()), required(forPeers, "hipExtMallocWithFlags")...)
	return dl.Spec{
		Name: "hip", Sonames: []string{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
		Homes: rocmHomes(), Folders: rocmFolders(), Packages: rocmWheels(),
		Symbols: table,
		Version: dl.VersionCall{Symbol: "hipRuntimeGetVersion", Outs: 1, Format: hipVersion},
		Note:    "set ROCM_PATH to the ROCm installation",
	}
}

// hipVersion decodes major*10^7 + minor*10^5 + patch.
func hipVersion(out []int32) string {
	return fmt.Sprintf("%d.%d.%d", out[0]/10000000, out[0]%10000000/100000, out[0]%100000)
}

// HIPRTC is AMD's run-time compiler. Up to HIP 5.2 its functions are in the
// runtime's own file.
//
// Origin: hiprtc.h; each name is exported by Debian's libamdhip64.so.5.
func HIPRTC() dl.Spec {
	return dl.Spec{
		Name: "hiprtc", Sonames: []string{"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", "libamdhip64.so.5"},
		Homes: rocmHomes(), Folders: rocmFolders(), Packages: rocmWheels(),
		Symbols: required("compiling kernels", "hiprtcVersion", "hiprtcGetErrorString",
			"hiprtcCreateProgram", "hiprtcCompileProgram", "hiprtcDestroyProgram",
			"hiprtcGetCodeSize", "hiprtcGetCode", "hiprtcGetProgramLogSize", "hiprtcGetProgramLog"),
		Version: dl.VersionCall{Symbol: "hiprtcVersion", Outs: 2, Format: dotted},
		Note:    "set ROCM_PATH to the ROCm installation",
	}
}

// ROCSHMEM is our shim over AMD's symmetric memory library: what upstream builds is a
// static archive with device code in it, which cannot be opened at run time. The shim is
// built from native/rocshmem, and has a path of its own only if it was installed nowhere.
//
// Origin: the table of internal/shimgen.
func ROCSHMEM() dl.Spec {
	dirs := []string{"lib", "lib64"}
	return dl.Spec{
		Name: "rocshmem", Sonames: []string{rocshmem.Soname},
		PathVar: env.ROCSHMEMShim,
		Homes:   append([]dl.Home{{Var: "ROCSHMEM_HOME", Dirs: dirs}}, rocmHomes()...), Folders: rocmFolders(),
		Symbols: rocshmem.Symbols(),
		Version: dl.VersionCall{Symbol: "goshmem_rocshmem_vendor_get_version_info", Outs: 3, Void: true, Format: dotted},
		Settings: []dl.Setting{
			{Name: "ROCSHMEM_MAX_NUM_HOST_CONTEXTS", Value: "4", Why: "reductions take a host context of their own, and newer releases have one only, which is taken"},
			{Name: "ROCSHMEM_MAX_NUM_TEAMS", Value: "72", Why: "a world has 64 teams, and the library 40 with those that it has itself"},
			{Name: "ROCSHMEM_BOOTSTRAP_TIMEOUT", Value: "300", Why: "the library gives the other processes 5 seconds to come, fewer than a program may need to load"},
		},
		Note: "rocSHMEM itself is a static archive: build the shim from native/rocshmem (its README says how) and set ROCSHMEM_HOME to where it was installed, or " + env.ROCSHMEMShim + " to the file",
	}
}
