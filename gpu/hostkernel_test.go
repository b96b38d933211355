package gpu_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// TestHostKernelFaults: what a kernel in Go must not do says so, and costs a stream only.
func TestHostKernelFaults(t *testing.T) {
	d := open(t, "host")
	x := alloc[int32](t, d, 8)
	for says, kernel := range map[string]gpu.HostKernel{
		"argument 1 as int32: the launch gave 1":         func(b gpu.Block) { gpu.Arg[int32](b, 1) },
		"argument -1 as int32: the launch gave 1":        func(b gpu.Block) { gpu.Arg[int32](b, -1) },
		"argument 0 as float64: the launch gave memory":  func(b gpu.Block) { gpu.Arg[float64](b, 0) },
		"each of at most 8 bytes":                        func(b gpu.Block) { gpu.Arg[[2]uint64](b, 0) },
		"the memory ends before, at hostkernel_test.go:": func(b gpu.Block) { gpu.ArgSlice[int32](b, 0, 9) },
		"1 elements of int32 at 0x0":                     func(b gpu.Block) { gpu.PeerSlice[int32](b, 0, 1) },
		"this kernel gives up, at hostkernel_test.go:":   func(b gpu.Block) { panic("this kernel gives up") },
		"index out of range [8] with length 8":           func(b gpu.Block) { x := gpu.ArgSlice[int32](b, 0, 8); x[len(x)]++ },
		"2305843009213693952 elements of int32 at":       func(b gpu.Block) { gpu.ArgSlice[int32](b, 0, 1<<61) },
	} {
		m := get(d.Compile(gpu.Program{Host: map[string]gpu.HostKernel{"bad": kernel}}))(t)
		s := get(d.NewStream())(t)
		must(t, function(t, m, "bad").Launch(s, gpu.Grid(1, 1), x))
		wants(t, s.Synchronize(t.Context()), gpu.ErrFault, says)
		wants(t, x.CopyTo(make([]int32, 8), s), gpu.ErrFault, says) // it stays
		if err := s.Close(); err != nil {
			wants(t, err, gpu.ErrFault, says)
		}
		must(t, m.Close())
	}
	must(t, x.Fill(1))
}

// TestHostKernelTypes: a number is read as what it was given as, however many there are.
func TestHostKernelTypes(t *testing.T) {
	d := open(t, "host")
	args := []any{int32(-1), uint32(1), int64(-2), uint64(2), float32(1.5), 2.5, int8(-3), uint16(3), uint8(4), true}
	for len(args) < 64 {
		args = append(args, int32(len(args)))
	}
	var wrong [64]string
	m := get(d.Compile(gpu.Program{Host: map[string]gpu.HostKernel{"types": func(b gpu.Block) {
		for i := 10; i < 64; i++ {
			if gpu.Arg[int32](b, i) != int32(i) {
				wrong[i] = "another number"
			}
		}
		if gpu.Arg[float64](b, 5) != 2.5 || gpu.Arg[int8](b, 6) != -3 || gpu.Arg[uint16](b, 7) != 3 || !gpu.Arg[bool](b, 9) {
			wrong[0] = "another number"
		}
		for i := range 64 {
			wrong[i] += misread(b, i, i == 5)
		}
	}}}))(t)
	closing(t, m)
	s := get(d.NewStream())(t)
	closing(t, s)
	must(t, errors.Join(function(t, m, "types").Launch(s, gpu.Grid(1, 1), args...), s.Synchronize(t.Context())))
	for i, text := range wrong {
		if text != "" {
			t.Errorf("argument %d: %s", i, text)
		}
	}
}

// misread reads an argument as a float64.
func misread(b gpu.Block, i int, is bool) (wrong string) {
	defer func() {
		if said := recover(); (said == nil) != is {
			wrong = fmt.Sprint("as a float64: ", said)
		}
	}()
	gpu.Arg[float64](b, i)
	return ""
}

// TestHostKernelMissing: a program says what it lacks.
func TestHostKernelMissing(t *testing.T) {
	d := open(t, "host")
	_, err := d.Compile(gpu.Program{Device: source})
	wants(t, err, gpu.ErrUnsupported, "fill in Program.Host")
	_, err = d.Compile(gpu.Program{Host: map[string]gpu.HostKernel{"none": nil}})
	wants(t, err, gpu.ErrArgument, "the kernel none has no function")
	m := get(d.Compile(kernels()))(t)
	closing(t, m)
	_, err = m.Function("saxpi")
	wants(t, err, gpu.ErrNoFunction, "there are count, fault, place, saxpy, store_all, sum_shared, types")
	_, err = d.LoadModule([]byte{1})
	wants(t, err, gpu.ErrUnsupported, "Go functions")
}

// TestEach: each thread of a grid comes once, and none behind the end.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257} {
		var got []int
		for i := range gpu.Grid(n, 64).Grid[0] {
			for j := range (gpu.Block{Index: [3]int{i}, Threads: [3]int{64, 1, 1}}).Each(n) {
				got = append(got, j)
			}
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d threads: %v", n, got)
		}
	}
	first := 0
	for i := range (gpu.Block{Index: [3]int{3}, Threads: [3]int{8, 1, 1}}).Each(100) {
		first = i
		break
	}
	var places [][3]int
	for at := range (gpu.Block{Index: [3]int{1, 0, 2}, Threads: [3]int{2, 1, 2}}).Each3() {
		places = append(places, at)
		if len(places) == 4 {
			break
		}
	}
	if want := [][3]int{{2, 0, 4}, {3, 0, 4}, {2, 0, 5}, {3, 0, 5}}; first != 24 || !slices.Equal(places, want) {
		t.Errorf("the first of block 3 is %d; places %v, want %v", first, places, want)
	}
}
