package gpu_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
)

// totals is a folder with a kernel total(x *fp32, out *fp32, n i32, k fp32) of Triton's, whose
// text and machine code are for sm_90.
func totals() string { return filepath.Join("..", "internal", "triton", "testdata", "3.9-sm_90") }

// signed is the kernel with a signature in its metadata, in a folder of the test.
func signed(t *testing.T) *gpu.TritonFile {
	t.Helper()
	m := map[string]any{}
	must(t, json.Unmarshal(get(os.ReadFile(filepath.Join(totals(), "total.json")))(t), &m))
	m["signature"] = []map[string]string{{"name": "x", "type": "*fp32:16"}, {"name": "out", "type": "*fp32"}, {"name": "n", "type": "i32"}, {"name": "k", "type": "fp32"}}
	name := filepath.Join(t.TempDir(), "total.cubin")
	must(t, os.WriteFile(name, get(os.ReadFile(filepath.Join(totals(), "total.cubin")))(t), 0o600))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(name), "total.json"), get(json.Marshal(m))(t), 0o600))
	return get(gpu.ReadTriton(name))(t)
}

// tritonKernel adds up numbers with a kernel that Triton has compiled for sm_90; other devices
// say why they cannot. What is wrong with a file is said before that.
func tritonKernel(t *testing.T, d *gpu.Device) {
	_, err := d.LoadTriton(filepath.Join(totals(), "none.cubin"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	k, err := d.LoadTriton(filepath.Join(totals(), "total.cubin"))
	switch arch := get(d.Properties())(t).Arch; {
	case d.Platform() == "host":
		wants(t, err, gpu.ErrUnsupported, `machine code of kernel "total" for platform cuda, and platform host runs Go functions only`)
		return
	case arch != "sm_90":
		wants(t, err, gpu.ErrArch, "total.cubin")
		return
	}
	must(t, err)
	closing(t, k)
	const n = 200 // of the 256 that a program takes
	x, out := alloc[float32](t, d, n), alloc[float32](t, d, 1)
	must(t, x.CopyFrom(values[float32](n), nil))
	must(t, k.Launch(nil, [3]int{}, x, out, int32(n), float32(2)))
	holds(t, out, []float32{2 * n * (n + 1) / 2}, nil)
	wants(t, k.Launch(nil, [3]int{}, x, out, float32(n)), gpu.ErrArgument, "3 arguments: the kernel has 4 parameters")
}

// TestTritonArguments compares arguments with parameters, without and with a signature.
func TestTritonArguments(t *testing.T) {
	_, err := gpu.ReadTriton("triton.so")
	wants(t, err, gpu.ErrArgument, ".cubin, .ptx and .hsaco are kernels")
	d := open(t, "host:0")
	x, words, halves := alloc[float32](t, d, 8), alloc[int64](t, d, 1), alloc[dtype.Float16](t, d, 1)
	part := get(x.Slice(1, 8))(t)
	plain, typed := get(gpu.ReadTriton(filepath.Join(totals(), "total.cubin")))(t), signed(t)
	for _, c := range []struct {
		args      []any
		says, too string // without a signature, and with one; "": no error
	}{
		{[]any{x, part, int32(1), float32(2)}, "", ""},
		{[]any{x.Address(), x, int32(1), float32(2)}, "", ""},
		{[]any{x, x, uint32(1), float32(2)}, "", ""},
		{[]any{x, x, int32(1)}, "3 arguments: the kernel has 4 parameters", "3 arguments: the kernel has 4 parameters: x *fp32, out *fp32, n i32, k fp32"},
		{[]any{int64(1), x, int32(1), float32(2)}, "argument 0 is a int64: the parameter is an address", "argument 0 is a int64: the parameter x is an address"},
		{[]any{x, x, x, float32(2)}, "the parameter is a number", "the parameter n is a number"},
		{[]any{x, x, uintptr(1), float32(2)}, "the parameter is a number", "the parameter n is a number"},
		{[]any{x, nil, int32(1), float32(2)}, "argument 1 is a <nil>: the parameter is an address", "the parameter out is an address"},
		{[]any{x, words, int32(1), float32(2)}, "", "argument 1 is a gpu.Slice[int64]: the parameter out is *fp32"},
		{[]any{x, halves, int32(1), float32(2)}, "", "the parameter out is *fp32"},
		{[]any{x, x, float32(1), float32(2)}, "", "argument 2 is a float32: the parameter n is i32"},
		{[]any{x, x, int32(1), int32(2)}, "", "argument 3 is a int32: the parameter k is fp32"},
		{[]any{part, x, int32(1), float32(2)}, "", "the code of the parameter x counts on a multiple of 16"},
	} {
		for k, says := range map[*gpu.TritonFile]string{plain: c.says, typed: c.too} {
			if err := gpu.CheckTriton(d, k, c.args...); says != "" {
				wants(t, err, gpu.ErrArgument, says)
			} else {
				must(t, err)
			}
		}
	}
}

// TestTritonArch: what runs where.
func TestTritonArch(t *testing.T) {
	for _, c := range []struct {
		code, on   string
		text, runs bool
	}{
		{"sm_80", "sm_80", false, true}, {"sm_80", "sm_86", false, true}, {"sm_86", "sm_80", false, false}, {"sm_80", "sm_90", false, false},
		{"sm_80", "sm_90", true, true}, {"sm_80", "sm_100", true, true}, {"sm_80", "sm_75", true, false}, {"sm_90", "sm_90", false, true},
		{"sm_90", "sm_100", true, false}, {"sm_100", "sm_103", false, false}, {"sm_100", "sm_90", true, false},
		{"gfx942", "gfx942", false, true}, {"gfx942", "gfx950", false, false},
	} {
		k := &gpu.TritonFile{Arch: c.code, Text: c.text, Backend: map[bool]string{true: "cuda", false: "hip"}[c.code[:2] == "sm"]}
		if gpu.Runs(k, c.on) != c.runs {
			t.Errorf("%+v is otherwise", c)
		}
	}
}
