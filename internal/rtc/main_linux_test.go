package rtc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/kernels"
	"github.com/goshmem/goshmem/internal/skip"
)

// childVar makes a process of this test binary a child that compiles with hipRTC:
// the library may end the process.
const childVar = "RTC_TEST_ARCH"

// The child's statuses.
const (
	compiled = 0
	refused  = 3
	absent   = 4
	broken   = 5
)

func TestMain(m *testing.M) {
	arch := os.Getenv(childVar)
	if arch == "" {
		os.Exit(m.Run())
	}
	os.Exit(child(arch, os.Getenv("RTC_TEST_OUT"), os.Getenv("RTC_TEST_TEXT")))
}

func child(arch, out, text string) int {
	if text == "" {
		text = kernels.Text
	}
	image, log, err := Compile(HIPRTC, Source{Name: "kernels.cu", Text: text, Arch: arch})
	switch {
	case err == nil:
		fmt.Println(log)
		if err := os.WriteFile(out, image, 0o600); err != nil {
			fmt.Println(err)
			return broken
		}
		return compiled
	case errors.Is(err, ErrArch):
		fmt.Println(err)
		return refused
	}
	fmt.Println(err)
	var load *dl.LoadError
	if errors.As(err, &load) && errors.Is(err, dl.ErrNotFound) {
		return absent
	}
	return broken
}

// hip compiles text (empty: our kernels) in a child, and gives the file of the code.
func hip(t *testing.T, arch, text string) (status int, file, output string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "code")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self)
	c.Env = append(os.Environ(), childVar+"="+arch, "RTC_TEST_OUT="+file, "RTC_TEST_TEXT="+text, env.Cache+"="+t.TempDir())
	b, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	if status = c.ProcessState.ExitCode(); status == absent {
		skip.Now(t, skip.NoVendor, strings.TrimSpace(string(b)))
	}
	return status, file, string(b)
}

// mock has the stand-in for NVRTC built and found, and gives the cache's folder.
func mock(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "lib64"), 0o700); err != nil {
		t.Fatal(err)
	}
	soname := abi.NVRTC().Sonames[0]
	b, err := exec.Command(cc, "-shared", "-fPIC", "-o", filepath.Join(home, "lib64", soname), "testdata/nvrtc.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	cache := t.TempDir()
	t.Setenv("CUDA_HOME", home)
	t.Setenv(env.Cache, cache)
	return cache
}
