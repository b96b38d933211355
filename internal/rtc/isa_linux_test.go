package rtc

import (
	"regexp"
	"testing"

	"github.com/goshmem/goshmem/internal/isa"
	"github.com/goshmem/goshmem/internal/kernels"
)

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
		code := isa.AMD(t, arch, kernels.Text, nil)
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
		{isa.AMD(t, "gfx942", kernels.IPC(), nil), "ipc_barrier", `flat_load_dwordx2 .* sc0 sc1\n`, `(?s)buffer_wbl2 sc0 sc1\s.*flat_store_dwordx2 [^\n]* sc0 sc1\n`},
		{isa.AMD(t, "gfx942", kernels.IPCReduce(), nil, "-DELEM=2"), "ipc_reduce", `flat_load_dwordx2 .* sc0 sc1\n`, `(?s)buffer_wbl2 sc0 sc1\s.*flat_store_dwordx2 [^\n]* sc0 sc1\n`},
		{isa.NVIDIA(t, "sm_90", kernels.IPC(), nil), "ipc_barrier", `ld\.acquire\.sys\.global\.u64`, `st\.release\.sys\.global\.u64`},
		{isa.NVIDIA(t, "sm_90", kernels.IPC(), nil), "ipc_exchange", `ld\.global\.v2\.u64`, `st\.global\.v2\.u64`},
		{isa.NVIDIA(t, "sm_90", kernels.IPCReduce(), nil, "-DELEM=2"), "ipc_reduce", `ld\.acquire\.sys\.global\.u64`, `st\.release\.sys\.global\.u64`},
	} {
		for _, pattern := range []string{c.loads, c.stores} {
			if !regexp.MustCompile(pattern).MatchString(c.code[c.kernel]) {
				t.Errorf("%s lacks %q:\n%s", c.kernel, pattern, c.code[c.kernel])
			}
		}
	}
}
