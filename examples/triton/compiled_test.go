package main

import (
	"cmp"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/skip"
)

// TestTriton compiles the kernels for GPUs of both vendors with the Triton of python3, or of
// the program that PYTHON names: their files can be read, are those that have a kernel in Go,
// and what peers must see has the scope of the system.
func TestTriton(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := exec.CommandContext(ctx, python, "-c", "import triton").Run(); err != nil {
		skip.Now(t, skip.NoVendor, "no Triton for "+python+": pip install triton, or name another one in PYTHON")
	}
	out := t.TempDir()
	t.Setenv("TRITON_CACHE_DIR", t.TempDir())
	if err := script(ctx, orders{python: python, kernels: out}, "cuda:90", "hip:gfx942", "hip:gfx950"); err != nil {
		t.Fatal(err)
	}
	amd := map[string]string{
		"atomic_add_i32":  `(?s)buffer_wbl2 sc0 sc1\s+s_waitcnt vmcnt\(0\).*global_atomic_add v[^\n]* sc0 sc1\n.*buffer_inv sc0 sc1`,
		"atomic_add_i64":  `(?s)buffer_wbl2 sc0 sc1\s+s_waitcnt vmcnt\(0\).*global_atomic_add_x2 [^\n]* sc0 sc1\n.*buffer_inv sc0 sc1`,
		"atomic_add_fp32": `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_cmpswap v[^\n]* sc0 sc1\n.*buffer_inv sc0 sc1`,
		"atomic_xchg_i64": `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_swap_x2 [^\n]* sc0 sc1\n.*buffer_inv sc0 sc1`,
		"atomic_cas_i32":  `(?s)buffer_wbl2 sc0 sc1\s.*global_atomic_cmpswap v[^\n]* sc0 sc1\n.*buffer_inv sc0 sc1`,
		"count_i64":       `global_atomic_add_x2 [^\n]* sc1\n`, // sc0: returns what was there
		"send_fp32":       `(?s)(global|buffer)_store_dword .*s_waitcnt vmcnt\(0\).*buffer_wbl2 sc0 sc1\s+s_waitcnt vmcnt\(0\)\s+global_atomic_swap_x2 [^\n]* sc1\n`,
		"receive_fp32":    `(?s)global_atomic_cmpswap_x2 [^\n]* sc0 sc1\n.*buffer_inv sc0 sc1.*_load_dword [^\n]* sc0 sc1\n`,
		"atomic_xor_i64":  `global_atomic_(xor|cmpswap)_x2 [^\n]* sc0 sc1\n`,
		"atomic_min_i32":  `global_atomic_(smin|cmpswap) [^\n]* sc0 sc1\n`,
	}
	nvidia := map[string]string{
		"atomic_add_i64": `atom\.global\.sys\.acq_rel\.add\.u64`, "atomic_cas_i32": `atom\.global\.acq_rel\.sys\.cas\.b32`,
		"send_fp32": `atom\.global\.sys\.release\.exch\.b64`, "receive_fp32": `(?s)atom\.global\.acquire\.sys\.cas\.b64.*ld\.global\.cv`,
	}
	files := map[string]map[string]string{"gfx942": amd, "gfx950": amd, "sm_90": nvidia}
	for arch, patterns := range files {
		ext, text := ".hsaco", ".amdgcn"
		if arch == "sm_90" {
			ext, text = ".cubin", ".ptx"
		}
		readable(t, filepath.Join(out, arch), ext)
		for name, pattern := range patterns {
			code, err := os.ReadFile(filepath.Join(out, arch, name+text))
			if err != nil || !regexp.MustCompile(pattern).Match(code) {
				t.Errorf("%s: %s lacks %q (%v):\n%s", arch, name, pattern, err, code)
			}
		}
	}
}

// readable reads all kernels of a folder, which are those that there are in Go.
func readable(t *testing.T, folder, ext string) {
	files, err := filepath.Glob(filepath.Join(folder, "*"+ext))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		k, err := gpu.ReadTriton(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if last := k.Taken()[len(k.Taken())-1]; last.Name != "peers" || last.Type != "*i64" {
			t.Errorf("%s: the last parameter is %+v", file, last)
		}
		names = append(names, strings.TrimSuffix(filepath.Base(file), ext))
	}
	if want := slices.Sorted(maps.Keys(everyHost())); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("%s has %v, in Go there are %v", folder, names, want)
	}
}
