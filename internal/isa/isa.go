// Package isa is a tool of tests: it compiles kernels with clang for the devices of both
// vendors, without their headers, and shows the assembly.
package isa

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/skip"
)

// prelude is what AMD's headers would define.
const prelude = `
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define AXES(name, index) struct name { \
	__declspec(property(get = get_x)) unsigned x; __device__ unsigned get_x() const { return index(x); } \
	__declspec(property(get = get_y)) unsigned y; __device__ unsigned get_y() const { return index(y); } \
	__declspec(property(get = get_z)) unsigned z; __device__ unsigned get_z() const { return index(z); } };
#define THREAD(a) __builtin_amdgcn_workitem_id_##a()
#define BLOCK(a) __builtin_amdgcn_workgroup_id_##a()
#define EXTENT(a) __builtin_amdgcn_workgroup_size_##a()
#define GRID(a) (__builtin_amdgcn_grid_size_##a() / __builtin_amdgcn_workgroup_size_##a())
AXES(ThreadIndex, THREAD)
AXES(BlockIndex, BLOCK)
AXES(BlockSize, EXTENT)
AXES(GridSize, GRID)
#define threadIdx ThreadIndex()
#define blockIdx BlockIndex()
#define blockDim BlockSize()
#define gridDim GridSize()
static __device__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
static __device__ void __syncthreads() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
`

// cudaPrelude is what NVIDIA's compiler knows without a header.
const cudaPrelude = `
#define __CUDACC__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct Index { unsigned x, y, z; };
extern const __device__ __attribute__((weak)) Index threadIdx, blockIdx, blockDim, gridDim;
__device__ void __threadfence_system();
__device__ void __syncthreads();
#define WORDS(name) __device__ unsigned name(unsigned *, unsigned); __device__ unsigned long long name(unsigned long long *, unsigned long long);
#define SCOPES(name) WORDS(name) WORDS(name##_block) WORDS(name##_system)
SCOPES(atomicAdd) SCOPES(atomicExch) SCOPES(atomicAnd) SCOPES(atomicOr) SCOPES(atomicXor)
#define CAS(name) __device__ unsigned name(unsigned *, unsigned, unsigned); __device__ unsigned long long name(unsigned long long *, unsigned long long, unsigned long long);
CAS(atomicCAS) CAS(atomicCAS_block) CAS(atomicCAS_system)
#define CACHED(W) __device__ W __ldcg(const W *); __device__ W __ldcs(const W *); __device__ W __ldcv(const W *); __device__ void __stcg(W *, W); __device__ void __stcs(W *, W); __device__ void __stwt(W *, W);
CACHED(unsigned char) CACHED(unsigned short) CACHED(unsigned) CACHED(unsigned long long)
__device__ void __threadfence(); __device__ void __threadfence_block();
`

// AMD compiles source for an architecture such as "gfx942" and returns the assembly of each
// kernel. Headers are files that it includes, by name. Without clang-19 the test is
// skipped.
func AMD(t *testing.T, arch, text string, headers map[string]string, options ...string) map[string]string {
	t.Helper()
	out := assembly(t, prelude+text, headers, append(options, "-x", "hip", "--offload-arch="+arch, "-nogpulib", "-nogpuinc", "-fdeclspec"))
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+):\s.*?s_endpgm`).FindAllStringSubmatch(out, -1) {
		list[m[1]] = m[0]
	}
	return list
}

// NVIDIA is AMD for an architecture such as "sm_90": it returns PTX.
func NVIDIA(t *testing.T, arch, text string, headers map[string]string, options ...string) map[string]string {
	t.Helper()
	out := assembly(t, cudaPrelude+text, headers, append(options, "-x", "cuda", "--cuda-gpu-arch="+arch, "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version"))
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^\.visible \.entry (\w+)\(.*?^}`).FindAllStringSubmatch(out, -1) {
		list[m[1]] = m[0]
	}
	return list
}

// assembly is what clang makes of a text.
func assembly(t *testing.T, text string, headers map[string]string, options []string) string {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		skip.Now(t, skip.NoVendor, "no clang-19 in PATH")
	}
	dir := t.TempDir()
	for name, header := range headers {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(header), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := filepath.Join(dir, "kernels")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, clang, append(options, "--cuda-device-only", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I", dir, "-S", "-o", "-", in)...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}
