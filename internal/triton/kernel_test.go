package triton

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

// TestRead reads what versions of Triton have made of one kernel, total(x, out, n, k), in all
// kinds of files.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		file, arch, version string
		threads, hidden     int
		text                bool
	}{
		{"3.9-sm_90/total.cubin", "sm_90", "3.9.0", 128, 2, false},
		{"3.9-sm_90/total.ptx", "sm_90", "3.9.0", 128, 2, true},
		{"3.9-gfx942/total.hsaco", "gfx942", "3.9.0", 256, 2, false},
		{"3.4-sm_80/total.cubin", "sm_80", "3.4.0", 128, 1, false},
		{"3.2-sm_80/total.cubin", "sm_80", "", 128, 0, false},
	} {
		k, err := Read(filepath.Join("testdata", c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if k.Name != "total" || k.Arch != c.arch || k.Version != c.version || k.Threads != c.threads || k.Warps != 4 || k.Hidden != c.hidden || k.Text != c.text || k.Shared < 16 || len(k.Image) < 2000 {
			t.Errorf("%s: %+v", c.file, *k)
		}
		want := []Param{{Size: 8, Kind: Address}, {Size: 8, Kind: Address}, {Size: 4, Kind: Number}, {Size: 4, Kind: Number}}
		if !slices.Equal(k.Taken(), want) {
			t.Errorf("%s: parameters %v, want %v", c.file, k.Taken(), want)
		}
	}
}

// edited is a folder with the kernel of a folder, its metadata changed.
func edited(t *testing.T, from, file string, change map[string]any) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", from, "total.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for key, v := range change {
		m[key] = v
	}
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join("testdata", from, file))
	if err != nil {
		t.Fatal(err)
	}
	return written(t, file, code, text)
}

func written(t *testing.T, file string, code, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, file)
	if err := errors.Join(os.WriteFile(name, code, 0o600), os.WriteFile(strings.TrimSuffix(name, filepath.Ext(name))+".json", text, 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

// typed is a signature of the kernel's parameters.
func typed(types ...string) []map[string]string {
	var list []map[string]string
	for i, kind := range types {
		list = append(list, map[string]string{"name": "abcdefg"[i : i+1], "type": kind})
	}
	return list
}

// TestSignature gives the parameters their names and types.
func TestSignature(t *testing.T) {
	for _, from := range [][2]string{{"3.9-sm_90", "total.cubin"}, {"3.9-sm_90", "total.ptx"}, {"3.9-gfx942", "total.hsaco"}} {
		k, err := Read(edited(t, from[0], from[1], map[string]any{"signature": typed("*fp32:16", "*fp32", "i32", "fp32")}))
		if err != nil {
			t.Fatal(err)
		}
		if x, n := k.Params[0], k.Params[2]; x != (Param{"a", "*fp32", 16, 8, Address}) || n != (Param{"c", "i32", 0, 4, Number}) {
			t.Errorf("%v: %+v, %+v", from, x, n)
		}
	}
}

// TestRefused is what a launch could not do, or would do wrong.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		change map[string]any
		is     error
		says   string
	}{
		{map[string]any{"num_ctas": 2}, device.ErrUnsupported, "blocks in clusters"},
		{map[string]any{"cluster_dims": []int{2, 1, 1}}, device.ErrUnsupported, "blocks in clusters"},
		{map[string]any{"launch_cooperative_grid": true}, device.ErrUnsupported, "a cooperative grid"},
		{map[string]any{"launch_pdl": true}, device.ErrUnsupported, "dependent launch"},
		{map[string]any{"profile_scratch_size": 64}, device.ErrUnsupported, "memory for profiles"},
		{map[string]any{"instrumentation_mode": "gsan"}, device.ErrUnsupported, `instrumentation "gsan"`},
		{map[string]any{"tensordesc_meta": []any{map[string]any{}}}, device.ErrUnsupported, "tensor descriptors"},
		{map[string]any{"triton_version": "3.10.0"}, device.ErrUnsupported, `what Triton "3.10.0" adds`},
		{map[string]any{"triton_version": "4.5.0"}, device.ErrUnsupported, "compile with 3.5 to 3.9"},
		{map[string]any{"triton_version": "3.4.1", "signature": typed("*fp32", "*fp32", "i32", "fp32")}, device.ErrArgument, "the signature has 4 parameters, the code 5"},
		{map[string]any{"name": "sum"}, device.ErrArgument, `there is no kernel "sum"`},
		{map[string]any{"num_warps": 8}, device.ErrArgument, "the code wants 128 threads in a block, the metadata says 8 warps of 32"},
		{map[string]any{"num_warps": 0}, device.ErrArgument, "0 warps"},
		{map[string]any{"global_scratch_align": 512}, device.ErrArgument, "at multiples of 512"},
		{map[string]any{"target": map[string]any{"backend": "xpu", "arch": "pvc", "warp_size": 32}}, device.ErrUnsupported, `"xpu"`},
		{map[string]any{"target": map[string]any{"backend": "hip", "arch": "gfx942", "warp_size": 64}}, device.ErrArgument, "the metadata is of a kernel for hip"},
		{map[string]any{"target": "cuda"}, device.ErrArgument, "not metadata of Triton"},
		{map[string]any{"signature": typed("*fp32", "*fp32", "i32")}, device.ErrArgument, "the signature has 3 parameters, the code 4"},
		{map[string]any{"signature": typed("*fp32", "*fp32", "i64", "fp32")}, device.ErrArgument, "c i64 has 8 bytes, in the code 4"},
		{map[string]any{"signature": typed("i64", "*fp32", "i32", "fp32")}, device.ErrArgument, "a i64: in the code it is an address"},
		{map[string]any{"signature": typed("*fp32", "*fp32", "int", "fp32")}, device.ErrArgument, `"int" is no type`},
		{map[string]any{"signature": typed("*fp32:x", "*fp32", "i32", "fp32")}, device.ErrArgument, "multiple"},
	} {
		for _, file := range []string{"total.cubin", "total.ptx"} {
			_, err := Read(edited(t, "3.9-sm_90", file, c.change))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s with %v: %v, want %q", file, c.change, err, c.says)
			}
		}
	}
	for says, change := range map[string]map[string]any{
		"the code is for gfx942":          {"target": map[string]any{"backend": "hip", "arch": "gfx950", "warp_size": 64}},
		"can have 256 threads in a block": {"num_warps": 8},
		`adds to the parameters`:          {"triton_version": "3.4.0"},
	} {
		if _, err := Read(edited(t, "3.9-gfx942", "total.hsaco", change)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", change, err, says)
		}
	}
}

// TestFiles is about files that are not there, or not what their names say.
func TestFiles(t *testing.T) {
	_, err := Read("total.so")
	if !errors.Is(err, device.ErrArgument) {
		t.Errorf("%v", err)
	}
	if _, err = Read("none.cubin"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	alone := filepath.Join(t.TempDir(), "alone.ptx")
	if err := os.WriteFile(alone, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Read(alone); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "beside the code") {
		t.Errorf("%v", err)
	}
	about := []byte(`{"name": "total", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4, "triton_version": "3.9.0"}`)
	for name, code := range map[string]string{"total.cubin": "text", "total.hsaco": "\x7fELF", "total.ptx": "text"} {
		if _, err = Read(written(t, name, []byte(code), about)); !errors.Is(err, device.ErrArgument) {
			t.Errorf("%s of nonsense: %v", name, err)
		}
	}
	struct64 := strings.NewReplacer(".param .u32 total_param_2", ".param .align 64 .b8 total_param_2[128]")
	text, err := os.ReadFile("testdata/3.9-sm_90/total.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Read(written(t, "total.ptx", []byte(struct64.Replace(string(text))), about)); !errors.Is(err, device.ErrUnsupported) {
		t.Errorf("a parameter that is a structure: %v", err)
	}
}

// TestBroken reads files with a byte changed, and cut: it must return.
func TestBroken(t *testing.T) {
	for file, parse := range map[string]func(string, []byte, string) (code, error){
		"3.9-sm_90/total.cubin": cubin, "3.9-gfx942/total.hsaco": hsaco, "3.9-sm_90/total.ptx": ptx,
	} {
		whole, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for i := 0; i < len(whole); i += 7 {
			changed := bytes.Clone(whole)
			changed[i] ^= 0xff
			for _, image := range [][]byte{changed, whole[:i]} {
				if _, err := parse(file, image, "total"); err != nil {
					failed++
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s: nothing was noticed", file)
		}
	}
}
