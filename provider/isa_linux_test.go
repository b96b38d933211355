package provider_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/goshmem/goshmem/internal/isa"
	"github.com/goshmem/goshmem/provider"
)

// TestISA compiles every operation on every type for AMD's GPUs, and reads in the assembly
// that what peers must see has the scope of the system: sc0 and sc1 on gfx942, and
// the write-backs and invalidations around an atomic that orders.
func TestISA(t *testing.T) {
	for arch, want := range map[string]map[string]string{
		"gfx942": {
			"atomic_add_u64":    `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_add_x2 .* sc0 sc1\n.*buffer_inv sc0 sc1`,
			"atomic_add_u32":    `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_add .* sc0 sc1\n`,
			"atomic_xchg_i64":   `global_atomic_swap_x2 .* sc0 sc1\n`,
			"atomic_min_i32":    `(global|flat)_atomic_cmpswap .* sc0 sc1\n`,
			"atomic_add_bf16":   `(global|flat)_atomic_cmpswap .* sc0 sc1\n`,
			"load_through_f32":  `(global|flat)_load_dword .* sc0 sc1\n`,
			"store_through_f64": `(global|flat)_store_dwordx2 .* sc0 sc1\n`,
			"store_stream_u32":  `(global|flat)_store_dword .* nt\n`,
			"signal_u64":        `(?s)s_barrier.*buffer_wbl2 sc0 sc1\s.*global_atomic_add_x2 .* sc1\n`,
			"wait_u64":          `(?s)(global|flat)_load_dwordx2 .* sc0 sc1\n.*buffer_inv sc0 sc1`,
			"put_block_f32":     `(global|flat)_store_dwordx4`,
			"put_grid_u32":      `(?s)((global|flat)_load_dwordx4.*){4}`,
			"add_relaxed_u32":   `global_atomic_add .* sc0\n`,
			"add_acquire_u32":   `(?s)global_atomic_add .* sc0 sc1\n.*buffer_inv sc0 sc1`,
		},
		"gfx90a": {
			"atomic_add_u64": `(?s)buffer_wbl2\s.*global_atomic_add_x2 .*buffer_invl2`,
			"signal_u64":     `(?s)s_barrier.*buffer_wbl2\s.*global_atomic_add_x2 `,
			"put_block_f32":  `(global|flat)_store_dwordx4`,
		},
	} {
		source := ops
		if arch == "gfx90a" { // the older one: not every type again
			source = "#define FEW\n" + ops
		}
		code := isa.AMD(t, arch, source, provider.Headers())
		for name := range hostKernels() {
			if code[name] == "" && arch == "gfx942" {
				t.Errorf("%s: there is no kernel %s", arch, name)
			}
		}
		for kernel, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
				t.Errorf("%s: %s lacks %q:\n%s", arch, kernel, pattern, code[kernel])
			}
		}
	}
	testISAOfNVIDIA(t)
	testISAOfKernels(t)
}

// testISAOfNVIDIA: what one instruction is to move has to be said to be aligned.
func testISAOfNVIDIA(t *testing.T) {
	code := isa.NVIDIA(t, "sm_90", "#define FEW\n"+ops, provider.Headers())
	for kernel, pattern := range map[string]string{ // what a GPU of NVIDIA moves at once must be said to be aligned
		"put_block_f32":     `(?s)(ld\.(global\.)?v2\.u64.*){4}st\.(global\.)?v2\.u64`,
		"load_through_u64":  `ld\.volatile\.`,
		"store_through_u32": `st\.volatile\.`,
	} {
		if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
			t.Errorf("%s lacks %q:\n%s", kernel, pattern, code[kernel])
		}
	}
}

// testISAOfKernels does so with the kernels that are built on the header: here, in what is
// measured, and in the examples.
func testISAOfKernels(t *testing.T) {
	text := ""
	for _, file := range []string{"selftest.cu", "barrier.cu", "../internal/perf/provider.cu", "../examples/shots/shots.cu", "../examples/message/message.cu", "../examples/matmul/matmul.cu"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	code := isa.AMD(t, "gfx942", text, provider.Headers())
	for kernel, pattern := range map[string]string{
		"selftest": `(global|flat)_load_ubyte .* sc0 sc1\n`,
		"barrier":  `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_add_x2 .* sc1\n.*(global|flat)_load_dwordx2 .* sc0 sc1\n`,
		"bulk_put": `(?s)((global|flat)_load_dwordx4.*){4}(global|flat)_store_dwordx4`,
		"chase":    `(global|flat)_load_dwordx2`,
		"one_shot": `(?s)buffer_wbl2 sc0 sc1\s.*_atomic_swap_x2 .* sc1\n.*(global|flat)_load_dwordx4 `,
		"two_shot": `(global|flat)_store_dwordx4`,
		"consume":  `(global|flat)_atomic_add_x2`,
		"matmul":   `(global|flat)_load_dword`,
	} {
		if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
			t.Errorf("%s lacks %q:\n%s", kernel, pattern, code[kernel])
		}
	}
}
