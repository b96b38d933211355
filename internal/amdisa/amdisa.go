// Package amdisa is a tool of tests: it compiles kernels with clang for AMD's GPUs, without
// AMD's headers, and shows the assembly.
package amdisa

import (
	"context"
	"errors"
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
#define GOSHMEM_AXIS(name, builtin) static __device__ unsigned name##_x() { return __builtin_amdgcn_##builtin##_x(); } \
static __device__ unsigned name##_y() { return __builtin_amdgcn_##builtin##_y(); } \
static __device__ unsigned name##_z() { return __builtin_amdgcn_##builtin##_z(); } \
struct name##_t { __declspec(property(get = get_x)) unsigned x; __declspec(property(get = get_y)) unsigned y; __declspec(property(get = get_z)) unsigned z; \
__device__ unsigned get_x() const { return name##_x(); } __device__ unsigned get_y() const { return name##_y(); } __device__ unsigned get_z() const { return name##_z(); } };
GOSHMEM_AXIS(thread, workitem_id)
GOSHMEM_AXIS(block, workgroup_id)
GOSHMEM_AXIS(extent, workgroup_size)
GOSHMEM_AXIS(grid, grid_size)
#define threadIdx thread_t()
#define blockIdx block_t()
#define blockDim extent_t()
#define gridDim grid_t()
static __device__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
static __device__ void __syncthreads() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
`

// Kernels compiles source for an architecture such as "gfx942" and returns the assembly of
// each kernel. Headers are files that it includes, by name. Without clang-19 the test is
// skipped.
func Kernels(t *testing.T, arch, source string, headers map[string]string) map[string]string {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		skip.Now(t, skip.NoVendor, "no clang-19 in PATH")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "kernels.hip")
	files := map[string]string{"kernels.hip": prelude + source}
	for name, text := range headers {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, clang, "-x", "hip", "--offload-arch="+arch, "--cuda-device-only", "-nogpulib", "-nogpuinc",
		"-fdeclspec", "-O2", "-I", dir, "-S", "-o", "-", in)
	out, err := c.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		t.Fatalf("%v: %s", err, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+):\s.*?s_endpgm`).FindAllStringSubmatch(string(out), -1) {
		list[m[1]] = m[0]
	}
	return list
}
