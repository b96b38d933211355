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
static __device__ unsigned thread_x() { return __builtin_amdgcn_workitem_id_x(); }
static __device__ unsigned block_x() { return __builtin_amdgcn_workgroup_id_x(); }
static __device__ unsigned size_x() { return __builtin_amdgcn_workgroup_size_x(); }
struct T { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return thread_x(); } };
struct B { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return block_x(); } };
struct D { __declspec(property(get = get)) unsigned x; __device__ unsigned get() const { return size_x(); } };
#define threadIdx T()
#define blockIdx B()
#define blockDim D()
static __device__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
static __device__ void __syncthreads() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
`

// isa compiles our kernels with clang and gives the assembly of each.
func isa(t *testing.T, arch string) map[string]string {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		skip.Now(t, skip.NoVendor, "no clang-19 in PATH")
	}
	in := filepath.Join(t.TempDir(), "kernels.hip")
	if err := os.WriteFile(in, []byte(prelude+kernels.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, clang, "-x", "hip", "--offload-arch="+arch, "--cuda-device-only", "-nogpulib", "-nogpuinc",
		"-fdeclspec", "-O2", "-S", "-o", "-", in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	list := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+):\s.*?s_endpgm`).FindAllStringSubmatch(string(out), -1) {
		list[m[1]] = m[0]
	}
	return list
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
		code := isa(t, arch)
		for kernel, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
				t.Errorf("%s: %s lacks %q:\n%s", arch, kernel, pattern, code[kernel])
			}
		}
	}
}
