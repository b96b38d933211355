package gpu_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/skip"
)

// child names what this process does as the child of a test.
const child = "GPU_TEST_CHILD"

func TestMain(m *testing.M) {
	os.Setenv(env.HostDevices, cmp.Or(os.Getenv(env.HostDevices), "2"))
	what := os.Getenv(child)
	os.Exit(witnessed(what == "", func() int {
		switch what {
		case "":
			return m.Run()
		case "import":
			return outcome(importing())
		case "fault":
			return outcome(faulting())
		case "stand-in":
			return outcome(standIn())
		case "stand-in for Triton":
			return outcome(standInForTriton())
		}
		return outcome(fmt.Errorf("no child is called %q", what))
	}))
}

func outcome(err error) int {
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// check is a promise that every device keeps.
type check struct {
	name string
	run  func(t *testing.T, d *gpu.Device)
}

// number names the number of the device of each platform that the checks run on; unset:
// the first.
const number = "GPU_TEST_NUMBER"

// TestDevices runs all checks on a device of every platform that there is. The same
// binary does so on machines with GPUs.
func TestDevices(t *testing.T) {
	everywhere(t, func(t *testing.T, platform string) {
		for _, c := range table() {
			t.Run(c.name, func(t *testing.T) { run(t, platform, c.run) })
		}
	})
}

// everywhere runs a test for each platform that there is, and says why others are not.
func everywhere(t *testing.T, test func(t *testing.T, platform string)) {
	for _, p := range gpu.Platforms() {
		t.Log(p)
		if p.Err == nil {
			t.Run(p.Name, func(t *testing.T) { test(t, p.Name) })
		}
	}
}

// run gives a check a device, and looks whether it has left memory behind.
func run(t *testing.T, platform string, check func(t *testing.T, d *gpu.Device)) {
	d := open(t, platform+":"+cmp.Or(os.Getenv(number), "0"))
	before, bytes := d.Allocated()
	t.Cleanup(func() { // before those of the check have run, there is memory
		if blocks, n := d.Allocated(); blocks != before || n != bytes {
			t.Errorf("left behind: %d allocations, %d bytes; before there were %d, %d", blocks, n, before, bytes)
		}
	})
	check(t, d)
}

func open(t testing.TB, name string) *gpu.Device {
	t.Helper()
	d, err := gpu.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// other is another device of the platform, or d itself if there is one only.
func other(t testing.TB, d *gpu.Device) *gpu.Device {
	t.Helper()
	all, err := gpu.Devices(d.Platform())
	if err != nil {
		t.Fatal(err)
	}
	return all[(d.Index()+1)%len(all)]
}

// closing closes something at the end of the test.
func closing(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get is must for calls with a result.
func get[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func alloc[T any](t testing.TB, d *gpu.Device, n int) gpu.Slice[T] {
	t.Helper()
	x := get(gpu.Alloc[T](d, n))(t)
	closing(t, x)
	return x
}

func pinned[T any](t testing.TB, d *gpu.Device, n int) gpu.Slice[T] {
	t.Helper()
	x := get(gpu.AllocPinned[T](d, n))(t)
	closing(t, x)
	return x
}

// stream is closed without work in it.
func stream(t testing.TB, d *gpu.Device) *gpu.Stream {
	t.Helper()
	s := get(d.NewStream())(t)
	t.Cleanup(func() {
		synchronize(t, s)
		must(t, s.Close())
	})
	return s
}

func synchronize(t testing.TB, s *gpu.Stream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // cleanups run after t.Context() has ended
	defer cancel()
	must(t, s.Synchronize(ctx))
}

// compile builds the kernels of the tests, or skips where a GPU has no compiler.
func compile(t testing.TB, d *gpu.Device) *gpu.Module {
	t.Helper()
	m, err := d.Compile(kernels())
	if noCompiler(err) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	must(t, err)
	closing(t, m)
	return m
}

func function(t testing.TB, m *gpu.Module, name string) *gpu.Function {
	t.Helper()
	return get(m.Function(name))(t)
}

// values are n numbers that tell where they are.
func values[T int32 | int64 | uint64 | float32](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i + 1)
	}
	return list
}

// holds compares device memory with what it should hold.
func holds[T comparable](t testing.TB, x gpu.Slice[T], want []T, s *gpu.Stream) {
	t.Helper()
	got := make([]T, x.Len())
	must(t, x.CopyTo(got, s))
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("element %d of %v is %v, want %v", i, x, got[i], want[i])
		}
	}
}
