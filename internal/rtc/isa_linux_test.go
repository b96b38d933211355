package rtc

import (
	"regexp"
	"testing"

	"github.com/goshmem/goshmem/internal/amdisa"
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
		code := amdisa.Kernels(t, arch, kernels.Text, nil)
		for kernel, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(code[kernel]) {
				t.Errorf("%s: %s lacks %q:\n%s", arch, kernel, pattern, code[kernel])
			}
		}
	}
}
