package gpu_test

import (
	"errors"
	"math"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

func saxpyOnDevice(t *testing.T, d *gpu.Device) {
	f, s := function(t, compile(t, d), "saxpy"), stream(t, d)
	x, y := alloc[float32](t, d, some), alloc[float32](t, d, some)
	must(t, x.CopyFrom(values[float32](some), s))
	must(t, y.FillAsync(1, s))
	must(t, f.Launch(s, gpu.Grid(some, 256), y, x, float32(2), int32(some)))
	want := make([]float32, some)
	for i := range want {
		want[i] = 2*float32(i+1) + 1
	}
	holds(t, y, want, s)
	if f.Name() != "saxpy" || f.Device() != d || f.Info().MaxThreads < 256 {
		t.Errorf("%s on %v: %+v", f.Name(), f.Device(), f.Info())
	}
}

// grid has three dimensions, none of the size of another.
func grid(t *testing.T, d *gpu.Device) {
	const w, h, depth = 8, 6, 4
	f, out := function(t, compile(t, d), "place"), alloc[int32](t, d, w*h*depth)
	must(t, f.Launch(nil, gpu.Dims{Grid: [3]int{4, 2, 1}, Block: [3]int{2, 3, 4}}, out, int32(w), int32(h)))
	want := make([]int32, 0, w*h*depth)
	for z := range int32(depth) {
		for y := range int32(h) {
			for x := range int32(w) {
				want = append(want, x+100*y+10000*z+2000000)
			}
		}
	}
	holds(t, out, want, nil)
}

// sharedMemory has one block use all that there is, more than code can declare.
func sharedMemory(t *testing.T, d *gpu.Device) {
	p := get(d.Properties())(t)
	bytes := max(p.MaxDynamic, 4096) // platform host has no limit
	f, out := function(t, compile(t, d), "sum_shared"), alloc[uint64](t, d, 1)
	n := int32(bytes / 4)
	for range 2 {
		must(t, out.Fill(0))
		must(t, f.Launch(nil, gpu.Grid(256, 256).WithShared(bytes), out, n))
		holds(t, out, []uint64{uint64(n) * uint64(n-1) / 2}, nil)
	}
	if d.Platform() != "host" {
		wants(t, f.Launch(nil, gpu.Grid(1, 1).WithShared(bytes+1), out, n), gpu.ErrArgument, "of this kernel can have 0 to")
	}
}

func argumentTypes(t *testing.T, d *gpu.Device) {
	f, out := function(t, compile(t, d), "types"), alloc[float64](t, d, 11)
	must(t, f.Launch(nil, gpu.Grid(1, 1), out, int8(-1), uint8(200), int16(-300), uint16(60000), int32(math.MinInt32), uint32(math.MaxUint32),
		int64(-1<<40), uint64(1<<41), float32(0.5), 0.25, true))
	holds(t, out, []float64{-1, 200, -300, 60000, math.MinInt32, math.MaxUint32, -1 << 40, 1 << 41, 0.5, 0.25, 1}, nil)
}

// peersTable: a kernel stores into memory of several devices by a table of addresses.
func peersTable(t *testing.T, d *gpu.Device) {
	o := other(t, d)
	if can := get(d.Peer(o))(t); !can.Access {
		o = d
	}
	must(t, d.EnablePeer(o))
	mine, theirs, host := alloc[int32](t, d, 1), alloc[int32](t, o, 1), pinned[int32](t, d, 1)
	table := alloc[uint64](t, d, 3)
	must(t, table.CopyFrom([]uint64{uint64(mine.Address()), uint64(theirs.Address()), uint64(host.Address())}, nil))
	must(t, function(t, compile(t, d), "store_all").Launch(nil, gpu.Grid(3, 32), table, int32(3), int32(40)))
	must(t, d.Synchronize(t.Context()))
	for i, x := range []gpu.Slice[int32]{mine, theirs, host} {
		if got := get(x.At(0))(t); got != int32(40+i) {
			t.Errorf("%v holds %d, want %d", x, got, 40+i)
		}
	}
}

func launchErrors(t *testing.T, d *gpu.Device) {
	m := compile(t, d)
	f, x := function(t, m, "saxpy"), alloc[float32](t, d, 8)
	shape := gpu.Grid(8, 8)
	wants(t, f.Launch(nil, shape, x, x, 2, int32(8)), gpu.ErrArgument, "argument 2: int is neither")
	wants(t, f.Launch(nil, shape, x, x, "2", int32(8)), gpu.ErrArgument, "argument 2: string is neither")
	wants(t, f.Launch(nil, shape, x, gpu.Slice[float32]{}, float32(2), int32(8)), gpu.ErrArgument, "argument 1: the zero Slice")
	wants(t, f.Launch(nil, gpu.Dims{Block: [3]int{1 << 20}}, x, x, float32(2), int32(8)), gpu.ErrArgument, "a block of 1048576 threads")
	wants(t, f.Launch(nil, gpu.Dims{Grid: [3]int{-1}}, x, x, float32(2), int32(8)), gpu.ErrArgument, "-1 blocks of 0 threads along x: neither can be negative")
	wants(t, f.Launch(nil, gpu.Grid(math.MaxInt, 8), x, x, float32(2), int32(8)), gpu.ErrArgument, "a grid of 1152921504606846976 blocks")
	wants(t, f.Launch(nil, shape.WithShared(-1), x, x, float32(2), int32(8)), gpu.ErrArgument, "-1 bytes of shared memory")
	wants(t, f.Launch(nil, shape, make([]any, 65)...), gpu.ErrArgument, "65 arguments")
	if f.Info().Params != nil {
		wants(t, f.Launch(nil, shape, x, x, float32(2)), gpu.ErrArgument, "3 arguments: the kernel has 4 parameters")
		wants(t, f.Launch(nil, shape, x, x, float64(2), int32(8)), gpu.ErrArgument, "argument 2 has 8 bytes, its parameter 4")
	}
	if o := other(t, d); o != d {
		wants(t, f.Launch(stream(t, o), shape, x, x, float32(2), int32(8)), gpu.ErrArgument, "needs a stream of "+d.String())
	}
	gone := get(gpu.Alloc[float32](d, 8))(t)
	must(t, gone.Close())
	wants(t, f.Launch(nil, shape, x, gone, float32(2), int32(8)), gpu.ErrClosed, "argument 1: the memory is closed")
	must(t, m.Close())
	wants(t, f.Launch(nil, shape, x, x, float32(2), int32(8)), gpu.ErrClosed, "the module is closed")
}

// programErrors: the compiler's log is in the error, and code for nobody is refused.
func programErrors(t *testing.T, d *gpu.Device) {
	if d.Platform() == "host" {
		return // there is no compiler, and no code: TestHostKernelMissing
	}
	compile(t, d) // or a skip
	_, err := d.Compile(gpu.Program{Name: "bad.cu", Device: "this is no program"})
	var said *gpu.CompileError
	wants(t, err, gpu.ErrCompiler, "bad.cu")
	if !errors.As(err, &said) || said.Log == "" {
		t.Errorf("%v has no log", err)
	}
	m := get(d.Compile(gpu.Program{
		Device:  "#include \"value.h\"\nextern \"C\" __global__ void get(int* x) { *x = VALUE + ADD; }",
		Headers: map[string]string{"value.h": "#define VALUE 40\n"}, Options: []string{"-DADD=2"},
	}))(t)
	closing(t, m)
	x := alloc[int32](t, d, 1)
	must(t, function(t, m, "get").Launch(nil, gpu.Grid(1, 1), x))
	holds(t, x, []int32{42}, nil)
}

func modules(t *testing.T, d *gpu.Device) {
	m := compile(t, d)
	_, err := m.Function("nothing")
	wants(t, err, gpu.ErrNoFunction, "nothing")
	must(t, m.Close())
	must(t, m.Close())
	_, err = m.Function("saxpy")
	wants(t, err, gpu.ErrClosed, "the module is closed")
	_, err = d.LoadModule(nil)
	wants(t, err, gpu.ErrArgument, "the image is empty")
	_, err = d.LoadModule([]byte("no code"))
	wants(t, err, nil, "load module")
	if m.Device() != d {
		t.Errorf("the module is one of %v", m.Device())
	}
	_, err = d.Compile(gpu.Program{})
	wants(t, err, gpu.ErrUnsupported, "the program has no ")
}
