package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// built compiles ops with the compiler of this machine into a library.
func built(t *testing.T, options ...string) *dl.Library {
	t.Helper()
	cxx, err := exec.LookPath("g++")
	if err != nil {
		skip.Now(t, skip.NoCC, "no g++ in PATH")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "goshmem.h"), []byte(provider.Headers()["goshmem.h"]), 0o600); err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(dir, "ops.cu"), filepath.Join(dir, "ops.so")
	if err := os.WriteFile(in, []byte(ops), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-x", "c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fPIC", "-shared", "-I", dir, "-o", out}, options...)
	if text, err := exec.Command(cxx, append(args, in)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	spec := dl.Spec{Name: "ops", Path: out}
	for name := range hostKernels() {
		spec.Symbols = append(spec.Symbols, dl.Symbol{Name: name, Required: true})
	}
	lib, _, err := dl.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// foreign runs ops out of a library, on the goroutine of the rank.
func foreign(lib *dl.Library, me int) launch {
	return func(name string, a, b arg, peers gpu.KernelArg, peer, other, n, m int) error {
		fn, err := lib.Lookup(name)
		if err != nil {
			return err
		}
		table := peers.KernelArgument()
		if table.Err != nil {
			return fmt.Errorf("peers: %w", table.Err)
		}
		dl.Call(fn, a.Address(), b.Address(), uintptr(table.Ptr), uintptr(me), uintptr(peer), uintptr(other), uintptr(n), uintptr(m))
		return nil
	}
}

// TestHeader runs the header's operations, compiled for this machine, on the memory of
// goroutine PEs.
func TestHeader(t *testing.T) {
	lib := built(t)
	for _, n := range []int{1, 2, 4, 8} {
		shmemtest.Run(t, n, func(t testing.TB, w *shmem.World) {
			world{t, w, newProvider(t, w), foreign(lib, w.MyPE())}.everything()
		})
	}
}
