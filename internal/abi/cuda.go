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
		Settings: []dl.Setting{{Name: "CUDA_DEVICE_MAX_CONNECTIONS", Value: "32",
			Why: "streams that share one of the usual 8 queues of a device wait for each other: a kernel that waits for a peer would hold up what the peer waits for"}},
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
