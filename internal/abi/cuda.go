package abi

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/dl"
)

// wheels is where NVIDIA's Python packages put their libraries: one folder per
// component, or one for all of a CUDA release.
func wheels() []string { return []string{"nvidia/*/lib"} }

func cudaHome() []dl.Home {
	dirs := []string{"lib64", "lib"}
	return []dl.Home{{Var: "CUDA_HOME", Dirs: dirs}, {Var: "CUDA_PATH", Dirs: dirs}}
}

// CUDA is NVIDIA's driver library. It belongs to the driver and is found by the
// system loader only: what lies in a toolkit's folder is a stub for linking.
//
// Origin: CUDARuntime.
func CUDA() dl.Spec {
	return dl.Spec{
		Name: "cuda", Sonames: []string{"libcuda.so.1"},
		Symbols: symbolsOf(CUDARuntime()),
		Version: dl.VersionCall{Symbol: "cuDriverGetVersion", Outs: 1, Format: cudaVersion},
		Note:    "it comes with NVIDIA's driver",
	}
}

// cudaVersion decodes 1000*major + 10*minor.
func cudaVersion(out []int32) string {
	return fmt.Sprintf("%d.%d", out[0]/1000, out[0]%1000/10)
}

// NVRTC is NVIDIA's run-time compiler.
//
// Origin: nvrtc.h of CUDA 13.0; all but nvrtcVersion were called with it.
func NVRTC() dl.Spec {
	return dl.Spec{
		Name: "nvrtc", Sonames: []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
		Homes: cudaHome(), Folders: []string{"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64"}, Packages: wheels(),
		Symbols: append(optional("11.2", "asking for architectures", "nvrtcGetNumSupportedArchs", "nvrtcGetSupportedArchs"), required("compiling kernels", "nvrtcVersion",
			"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN",
			"nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcDestroyProgram", "nvrtcGetErrorString",
			"nvrtcGetPTXSize", "nvrtcGetPTX")...),
		Version: dl.VersionCall{Symbol: "nvrtcVersion", Outs: 2, Format: dotted},
		Note:    "it comes with the CUDA toolkit",
	}
}

// NVSHMEM is NVIDIA's symmetric memory library, its host half.
//
// Origin: symbol list of libnvshmem_host.so.3 of release 3.4.5. The plain init
// and finalize functions are inline in its headers and not exported; the wheel
// ships the versioned file name only.
func NVSHMEM() dl.Spec {
	table := required("start and end",
		"nvshmemx_hostlib_init_attr", "nvshmemx_hostlib_finalize", "nvshmemx_init_status",
		"nvshmemx_get_uniqueid", "nvshmemx_set_attr_uniqueid_args", "nvshmemx_vendor_get_version_info",
		"nvshmem_my_pe", "nvshmem_n_pes")
	table = append(table, required("symmetric memory",
		"nvshmem_malloc", "nvshmem_calloc", "nvshmem_align", "nvshmem_free", "nvshmem_ptr")...)
	table = append(table, required("put, get and order",
		"nvshmem_putmem", "nvshmem_getmem", "nvshmem_quiet", "nvshmem_fence", "nvshmem_barrier_all", "nvshmem_sync_all")...)
	table = append(table, required("calls on a stream",
		"nvshmemx_putmem_on_stream", "nvshmemx_getmem_on_stream", "nvshmemx_putmem_signal_on_stream",
		"nvshmemx_signal_wait_until_on_stream", "nvshmemx_signal_op_on_stream",
		"nvshmemx_quiet_on_stream", "nvshmemx_barrier_all_on_stream")...)
	table = append(table, required("teams", "nvshmem_team_split_strided", "nvshmem_team_destroy")...)
	table = append(table, optional("3.5", "queue pairs", "nvshmemx_qp_create")...)
	return dl.Spec{
		Name: "nvshmem", Sonames: []string{"libnvshmem_host.so.3", "libnvshmem_host.so"},
		Homes:    append([]dl.Home{{Var: "NVSHMEM_HOME", Dirs: []string{"lib", "lib64"}}}, cudaHome()...),
		Packages: wheels(),
		Symbols:  table,
		Version:  dl.VersionCall{Symbol: "nvshmemx_vendor_get_version_info", Outs: 3, Void: true, Format: dotted},
		Note:     "set NVSHMEM_HOME to its installation",
	}
}
