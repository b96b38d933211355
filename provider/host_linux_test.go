package provider_test

import (
	"errors"
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
	args := append([]string{"-x", "c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I", dir, "-o", out}, options...)
	if text, err := exec.Command(cxx, append(args, in)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	spec := dl.Spec{Name: "ops", Path: out}
	for name := range hostKernels() {
		spec.Symbols = append(spec.Symbols, dl.Symbol{Name: name})
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
	t.Run("Alike", func(t *testing.T) { testAlike(t, lib) })
}

// TestChecked: with checks all operations do the same, and what would go astray does not:
// it is reported.
func TestChecked(t *testing.T) {
	lib := built(t, "-DGOSHMEM_CHECKED", "-DFEW")
	shmemtest.Run(t, 2, func(t testing.TB, w *shmem.World) {
		c := world{t, w, newProvider(t, w), nil}
		plain := foreign(lib, w.MyPE())
		c.launch = func(name string, a, b arg, peers gpu.KernelArg, peer, other, n, m int) error {
			table, err := peers.(*provider.AddressMap).Checked(c.p.Device())
			if err != nil {
				return err
			}
			return errors.Join(plain(name, a, b, table, peer, other, n, m), table.Report(), table.Close())
		}
		all(c, integer[uint64]("u64"))
		floats(c, numbers[float32]{"f32", func(v int) float32 { return float32(v) }, func(v float32) uint64 { return uint64(v) }})
	})
	shmemtest.RunWith(t, 2, shmem.Options{NodeSize: 1}, func(t testing.TB, w *shmem.World) { astray(t, w, foreign(lib, w.MyPE())) })
}

// astray has kernels go wrong in every way there is. Each virtual node has one PE.
func astray(t testing.TB, w *shmem.World, run launch) {
	c := world{t, w, newProvider(t, w), run}
	x, m := allocate[uint32](c, 8)
	after, _ := allocate[uint32](c, 64)
	a, err := gpu.Alloc[uint32](c.p.Device(), 64)
	c.ok(err)
	c.ok(errors.Join(a.Fill(9), x.Fill(1), after.Fill(2)))
	me := w.MyPE()
	for _, wrong := range []struct {
		kernel  string
		b       arg
		peer, n int
		says    string
	}{
		{"store_u32", x, 1 - me, 1, "a rank that kernels cannot reach: 4 bytes"},
		{"atomic_add_u32", x, 2, 1, "a rank that there is not: 4 bytes"},
		{"load_u32", x, -1, 1, "a rank that there is not"},
		{"store_u32", x, me, 9, "memory outside the allocation: 4 bytes"},
		{"put_block_u32", x, me, 9, "memory outside the allocation: 36 bytes"},
		{"put_u32", after, me, 1, "memory outside the allocation"}, // another allocation
		{"atomic_xchg_u32", a, me, 1, "memory outside the allocation"},
	} {
		table, err := m.Checked(c.p.Device())
		c.ok(err)
		c.ok(run(wrong.kernel, a, wrong.b, table, wrong.peer, wrong.peer, wrong.n, wrong.n))
		c.wants(table.Report(), provider.ErrWild, wrong.says)
		c.ok(table.Close())
	}
	got := make([]uint32, 64)
	c.ok(after.CopyTo(got, nil))
	for i, v := range got {
		if v != 2 {
			t.Errorf("element %d of another allocation became %d", i, v)
		}
	}
	c.wants(m.Report(), provider.ErrArgument, "use AddressMap.Checked")
	late, err := m.Checked(c.p.Device())
	c.ok(err)
	c.ok(provider.Free(t.Context(), c.p, x))
	c.wants(late.KernelArgument().Err, provider.ErrFreed, "was freed")
	c.ok(late.Close())
	_, err = m.Checked(c.p.Device())
	c.wants(err, provider.ErrFreed, "no allocation")
}
