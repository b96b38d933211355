package rtc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/kernels"
	"github.com/goshmem/goshmem/internal/skip"
)

// prelude is what AMD's headers would define.
const prelude = `
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
static __device__ unsigned thread_x() { return __builtin_amdgcn_workitem_id_x(); }
static __device__ unsigned block_x() { return __builtin_amdgcn_workgroup_id_x(); }
static __device__ unsigned size_x() { return __builtin_amdgcn_workgroup_size_x(); }
static __device__ unsigned grid_x() { return __builtin_amdgcn_grid_size_x() / size_x(); }
struct ThreadIndex { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return thread_x(); } };
struct BlockIndex { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return block_x(); } };
struct BlockSize { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return size_x(); } };
struct GridSize { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return grid_x(); } };
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
struct Index { unsigned x; };
extern const __device__ __attribute__((weak)) Index threadIdx, blockIdx, blockDim, gridDim;
__device__ void __threadfence_system();
__device__ void __syncthreads();
#define WORDS(name) __device__ unsigned name(unsigned *, unsigned); __device__ unsigned long long name(unsigned long long *, unsigned long long);
WORDS(atomicAdd_system) WORDS(atomicExch_system) WORDS(atomicAnd_system) WORDS(atomicOr_system) WORDS(atomicXor_system)
__device__ unsigned atomicCAS_system(unsigned *, unsigned, unsigned);
__device__ unsigned long long atomicCAS_system(unsigned long long *, unsigned long long, unsigned long long);
`

// isa compiles kernels with clang and gives the assembly of each.
func isa(t *testing.T, arch, text string, options ...string) map[string]string {
	t.Helper()
	out := assembly(t, prelude+text, append(options, "-x", "hip", "--offload-arch="+arch, "-nogpulib", "-nogpuinc", "-fdeclspec"))
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+):\s.*?s_endpgm`).FindAllStringSubmatch(out, -1) {
		list[m[1]] = m[0]
	}
	return list
}

// ptx is isa for NVIDIA's devices.
func ptx(t *testing.T, arch, text string, options ...string) map[string]string {
	t.Helper()
	out := assembly(t, cudaPrelude+text, append(options, "-x", "cuda", "--cuda-gpu-arch="+arch, "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version"))
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^\.visible \.entry (\w+)\(.*?^}`).FindAllStringSubmatch(out, -1) {
		list[m[1]] = m[0]
	}
	return list
}

// assembly is what clang makes of a text.
func assembly(t *testing.T, text string, options []string) string {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		skip.Now(t, skip.NoVendor, "no clang-19 in PATH")
	}
	in := filepath.Join(t.TempDir(), "kernels")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, clang, append(options, "--cuda-device-only", "-O2", "-Wall", "-Wextra", "-Werror", "-S", "-o", "-", in)...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}

// TestISA reads in AMD's assembly that what other devices and the CPU must see has the
// scope of the system: the bits sc0 and sc1 of gfx942, and the write-backs before a release.
func TestISA(t *testing.T) {
	for arch, want := range map[string]map[string]string{
		"gfx942": {
			"add_remote": `global_atomic_add_x2 .* sc1\n`,
			"put_signal": `(?s)global_store_dwordx2 .*buffer_wbl2 sc0 sc1\s+s_waitcnt vmcnt\(0\).*s_barrier.*buffer_wbl2 sc0 sc1\s.*global_store_dwordx2 [^\n]* sc0 sc1\n`,
		},
		"gfx90a": {
			"add_remote": `global_atomic_add_x2 `,
			"put_signal": `(?s)global_store_dwordx2 .*buffer_wbl2\s+s_waitcnt vmcnt\(0\).*s_barrier.*buffer_wbl2\s.*global_store_dwordx2 `,
		},
	} {
		code := isa(t, arch, kernels.Text)
		for kernel, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
				t.Errorf("%s: %s lacks %q:\n%s", arch, kernel, pattern, code[kernel])
			}
		}
	}
}

// TestISAOfIPC: so has what PEs of engine ipc meet by, and all its kernels compile for
// both vendors' devices.
func TestISAOfIPC(t *testing.T) {
	for _, c := range []struct {
		code                  map[string]string
		kernel, loads, stores string
	}{
		{isa(t, "gfx942", kernels.IPC), "ipc_barrier", `flat_load_dwordx2 .* sc0 sc1\n`, `(?s)buffer_wbl2 sc0 sc1\s.*flat_store_dwordx2 [^\n]* sc0 sc1\n`},
		{isa(t, "gfx942", kernels.IPC, "-DELEM=2"), "ipc_reduce", `flat_load_dwordx2 .* sc0 sc1\n`, `(?s)buffer_wbl2 sc0 sc1\s.*flat_store_dwordx2 [^\n]* sc0 sc1\n`},
		{ptx(t, "sm_90", kernels.IPC), "ipc_barrier", `ld\.acquire\.sys\.global\.u64`, `st\.release\.sys\.global\.u64`},
		{ptx(t, "sm_90", kernels.IPC), "ipc_exchange", `ld\.global\.v2\.u64`, `st\.global\.v2\.u64`},
		{ptx(t, "sm_90", kernels.IPC, "-DELEM=2"), "ipc_reduce", `ld\.acquire\.sys\.global\.u64`, `st\.release\.sys\.global\.u64`},
	} {
		for _, pattern := range []string{c.loads, c.stores} {
			if !regexp.MustCompile(pattern).MatchString(c.code[c.kernel]) {
				t.Errorf("%s lacks %q:\n%s", c.kernel, pattern, c.code[c.kernel])
			}
		}
	}
}
