package rtc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func source(text, arch string) Source {
	return Source{Name: "k.cu", Text: text, Arch: arch, Options: []string{"-DX=1"}, Headers: map[string]string{"one.h": "int one;"}}
}

func TestNVRTC(t *testing.T) {
	cache := mock(t)
	for arch, want := range map[string]string{
		"sm_80":  "cubin --gpu-architecture=sm_80 text",
		"sm_120": "ptx --gpu-architecture=compute_90 text",
	} {
		image, log, err := Compile(NVRTC, source("text", arch))
		if err != nil || log != "a warning" || strings.TrimRight(string(image), "\x00") != want {
			t.Errorf("%s: %q, log %q, %v", arch, image, log, err)
		}
		again, log, err := Compile(NVRTC, source("text", arch))
		if err != nil || log != "" || !bytes.Equal(image, again) {
			t.Errorf("%s from the cache: %q, log %q, %v", arch, again, log, err)
		}
	}
	if _, _, err := Compile(NVRTC, source("text", "sm_70")); !errors.Is(err, ErrArch) {
		t.Errorf("an architecture that is gone: %v", err)
	}
	if _, _, err := Compile(NVRTC, source("text", "gfx942")); !errors.Is(err, ErrArch) {
		t.Errorf("an architecture of another vendor: %v", err)
	}
	entries, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(entries) != 2 {
		t.Errorf("the cache has %v, %v", entries, err)
	}
	for _, path := range entries { // what is damaged is compiled again
		if err := os.Truncate(path, 40); err != nil {
			t.Fatal(err)
		}
	}
	if _, log, err := Compile(NVRTC, source("text", "sm_80")); err != nil || log == "" {
		t.Errorf("after damage: log %q, %v", log, err)
	}
}

func TestNVRTCLog(t *testing.T) {
	mock(t)
	_, log, err := Compile(NVRTC, source("wrong", "sm_90"))
	var e *Error
	if !errors.As(err, &e) || e.Status != 6 || e.Arch != "sm_90" || e.Source != "k.cu" || !strings.HasSuffix(e.Log, "line 6") || log != e.Log {
		t.Fatalf("%#v, log %q", err, log)
	}
	want := `nvrtc 12.4: nvrtcCompileProgram of "k.cu" for sm_90: status 6 (NVRTC_ERROR_COMPILATION): ` +
		`k.cu(1): error: wrong; line 2; line 3; line 4; ... and 2 lines more`
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// TestHIPRTC has AMD's own compiler compile our kernels, without a GPU.
func TestHIPRTC(t *testing.T) {
	status, file, output := hip(t, "gfx90a", "")
	if status != compiled {
		t.Fatalf("status %d: %s", status, output)
	}
	code, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(code, []byte("\x7fELF")) || !bytes.Contains(code, []byte("put_signal.kd")) {
		t.Errorf("%d bytes that are no code object with our kernels, %v", len(code), err)
	}
}

// TestHIPRTCOfHeader has it compile every operation of goshmem.h.
func TestHIPRTCOfHeader(t *testing.T) {
	text := "#define FEW\n"
	for _, file := range []string{"goshmem.h", "testdata/ops.cu"} {
		b, err := os.ReadFile(filepath.Join("../../provider", file))
		if err != nil {
			t.Fatal(err)
		}
		text += strings.ReplaceAll(string(b), `#include "goshmem.h"`, "")
	}
	status, file, output := hip(t, "gfx90a", text)
	if status != compiled {
		t.Fatalf("status %d: %s", status, output)
	}
	code, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(code, []byte("atomic_add_u64.kd")) || !bytes.Contains(code, []byte("put_block_f32.kd")) {
		t.Errorf("%d bytes that are no code object with the operations, %v", len(code), err)
	}
}

func TestHIPRTCLog(t *testing.T) {
	status, _, output := hip(t, "gfx90a", "this is no C")
	if status != broken || !strings.Contains(output, "error: ") {
		t.Errorf("status %d: %s", status, output)
	}
}

// TestHIPRTCUnknown: the library is not asked for what would make it end the process.
func TestHIPRTCUnknown(t *testing.T) {
	for _, arch := range []string{"gfx1", "gfx9999:xnack-"} {
		if status, _, output := hip(t, arch, ""); status != refused || !strings.Contains(output, "gfx90a") {
			t.Errorf("%s: status %d: %s", arch, status, output)
		}
	}
}

// TestHIPRTCNewer: an architecture that came with a later version either is refused or
// compiles; the process does not end over it.
func TestHIPRTCNewer(t *testing.T) {
	for _, arch := range []string{"gfx942", "gfx1100", "gfx1201", "gfx950"} {
		if status, _, output := hip(t, arch, ""); status != refused && status != compiled {
			t.Errorf("%s: status %d: %s", arch, status, output)
		}
	}
}

func TestVersionOfAMD(t *testing.T) {
	for _, c := range []struct {
		path, driver string
		major, minor int
	}{
		{"/usr/lib/libamdhip64.so.5.2.21153", "6.0.1", 5, 2},
		{"/opt/rocm-6.4.1/lib/libhiprtc.so.6.4.60401", "", 6, 4},
		{"/opt/rocm/lib/libhiprtc.so.7", "7.0.51831", 7, 0},
		{"/venv/torch/lib/libhiprtc.so", "6.2.41133", 6, 2},
		{"/venv/torch/lib/libhiprtc.so", "", 0, 0},
	} {
		if major, minor := versionOfAMD(c.path, c.driver); major != c.major || minor != c.minor {
			t.Errorf("%s with a driver %q is of version %d.%d, want %d.%d", c.path, c.driver, major, minor, c.major, c.minor)
		}
	}
}

// TestArchsOfAMD: each version knows what those before it knew, and nothing is known twice.
func TestArchsOfAMD(t *testing.T) {
	for version, want := range map[[2]int]string{{0, 0}: "gfx1030", {5, 2}: "gfx1030", {5, 7}: "gfx1100", {6, 0}: "gfx942", {6, 4}: "gfx1201", {7, 1}: "gfx950"} {
		c := &compiler{kind: HIPRTC, major: version[0], minor: version[1]}
		if to, err := c.goal(want); err != nil || to.option != "--offload-arch="+want {
			t.Errorf("%v: %v, %v", version, to, err)
		}
		if _, err := c.goal("gfx950:sramecc+"); (err == nil) != (version[0] >= 7) {
			t.Errorf("%v: gfx950 gives %v", version, err)
		}
	}
}
