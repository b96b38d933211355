package host

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// kernel makes a function of a device.
func kernel(t testing.TB, d *Driver, dev int, run func(Block), params ...uintptr) device.Handle {
	t.Helper()
	m := must[device.Handle](t)(d.AddModule(dev, map[string]Kernel{"test": {Params: params, Run: run}}))
	return must[device.Handle](t)(d.Function(dev, m, "test"))
}

// one is a launch of one block with arguments.
func one(args ...unsafe.Pointer) *device.Launch {
	return &device.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Args: args}
}

func TestEveryBlockRunsOnce(t *testing.T) {
	d := start(t, 1)
	var calls [2 * 3 * 5]atomic.Int32
	var wrong atomic.Int32
	f := kernel(t, d, 0, func(b Block) {
		if b.Grid != [3]uint32{2, 3, 5} || b.Threads != [3]uint32{8, 4, 2} {
			wrong.Add(1)
		}
		calls[b.Index[0]+2*(b.Index[1]+3*b.Index[2])].Add(1)
	})
	ok(t, d.Launch(0, f, &device.Launch{Grid: [3]uint32{2, 3, 5}, Block: [3]uint32{8, 4, 2}}, 0))
	settle(t, d, 0, 0)
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Errorf("block %d ran %d times", i, n)
		}
	}
	if wrong.Load() > 0 {
		t.Error("a block has the wrong shape")
	}
}

// TestBlocksRunTogether has blocks wait for each other, as many as there are cores.
func TestBlocksRunTogether(t *testing.T) {
	d := start(t, 1)
	n := int32(runtime.GOMAXPROCS(0))
	var here atomic.Int32
	f := kernel(t, d, 0, func(Block) {
		for here.Add(1); here.Load() < n; {
			runtime.Gosched()
		}
	})
	ok(t, d.Launch(0, f, &device.Launch{Grid: [3]uint32{uint32(n), 1, 1}, Block: [3]uint32{1, 1, 1}}, 0))
	settle(t, d, 0, 0)
}

func TestArguments(t *testing.T) {
	type big struct{ A, B, C uint64 }
	d := start(t, 1)
	s := streamOf(t, d, 0)
	type seen struct {
		a uint8
		b big
		c float32
	}
	got := make(chan seen, 1)
	f := kernel(t, d, 0, func(b Block) {
		got <- seen{Arg[uint8](b, 0), Arg[big](b, 1), Arg[float32](b, 4)}
	}, 1, 24, 4)
	open := gate(t, d, 0, s)
	a, b, c := uint8(200), big{1, 2, 3}, float32(0.5)
	ok(t, d.Launch(0, f, one(unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c)), s))
	a, b, c = 0, big{}, 0
	open()
	if g := <-got; g != (seen{200, big{1, 2, 3}, 0.5}) {
		t.Errorf("the kernel got %+v", g)
	}
	info := must[device.FunctionInfo](t)(d.FunctionInfo(0, f))
	if len(info.Params) != 3 || info.Params[1] != 24 || info.MaxThreads != 1024 {
		t.Errorf("%+v", info)
	}
}

// TestOpenParameters: a kernel that does not say what it takes gets a word each.
func TestOpenParameters(t *testing.T) {
	d := start(t, 1)
	open := must[device.Handle](t)(d.AddModule(0, map[string]Kernel{"open": {Run: func(b Block) {
		*word(Arg[uintptr](b, 0)) = uint64(len(b.Args)) + Arg[uint64](b, 1)
	}}, "none": {Run: func(Block) {}, Params: []uintptr{}}}))
	f, none := must[device.Handle](t)(d.Function(0, open, "open")), must[device.Handle](t)(d.Function(0, open, "none"))
	p := memoryOf(t, d, 0, 8)
	at, n := uintptr(p), uint64(40)
	ok(t, d.Launch(0, f, one(unsafe.Pointer(&at), unsafe.Pointer(&n)), 0))
	if got := get(t, d, 0, p, 0, 1); got[0] != 42 {
		t.Errorf("the kernel made %d", got[0])
	}
	if info := must[device.FunctionInfo](t)(d.FunctionInfo(0, f)); info.Params != nil {
		t.Errorf("open parameters are %v", info.Params)
	}
	if info := must[device.FunctionInfo](t)(d.FunctionInfo(0, none)); info.Params == nil {
		t.Error("no parameters look like unknown ones")
	}
	want(t, d.Launch(0, none, one(unsafe.Pointer(&n)), 0), device.ErrArgument, "1 arguments for 0")
}

func TestLaunchRefusals(t *testing.T) {
	d := start(t, 2)
	f, word := kernel(t, d, 0, func(Block) {}, 8), uint64(1)
	arg := unsafe.Pointer(&word)
	shape := func(change func(*device.Launch)) *device.Launch {
		l := one(arg)
		change(l)
		return l
	}
	for name, c := range map[string]struct {
		l   *device.Launch
		say string
	}{
		"no shape":       {nil, "no shape"},
		"empty grid":     {shape(func(l *device.Launch) { l.Grid[1] = 0 }), "empty"},
		"empty block":    {shape(func(l *device.Launch) { l.Block[2] = 0 }), "empty"},
		"large block":    {shape(func(l *device.Launch) { l.Block = [3]uint32{32, 33, 1} }), "at most 1024"},
		"overflow":       {shape(func(l *device.Launch) { l.Block = [3]uint32{1 << 31, 1 << 31, 4} }), "at most 1024"},
		"large grid":     {shape(func(l *device.Launch) { l.Grid[2] = 1 << 16 }), "by 65535"},
		"shared memory":  {shape(func(l *device.Launch) { l.Shared = 1 }), "shared memory"},
		"few arguments":  {one(), "0 arguments for 1"},
		"many arguments": {one(arg, arg), "2 arguments for 1"},
		"nil argument":   {one(nil), "argument 0"},
	} {
		t.Run(name, func(t *testing.T) { want(t, d.Launch(0, f, c.l, 0), device.ErrArgument, "kernel test", c.say) })
	}
	want(t, d.Launch(0, 0, one(arg), 0), device.ErrArgument, "0 is no function")
	want(t, d.AllowShared(0, f, 1<<16), device.ErrUnsupported, "65536 bytes of shared memory")
	want(t, d.Launch(1, f, one(arg), 0), device.ErrArgument, "belongs to device 0")
}

func TestModules(t *testing.T) {
	d := start(t, 1)
	_, err := d.LoadModule(0, []byte("image"))
	want(t, err, device.ErrUnsupported, "Go functions")
	_, err = d.AddModule(0, map[string]Kernel{"empty": {}})
	want(t, err, device.ErrArgument, "empty")
	m := must[device.Handle](t)(d.AddModule(0, map[string]Kernel{"k": {Run: func(Block) {}}}))
	_, err = d.Function(0, m, "other")
	want(t, err, device.ErrNoFunction, `"other"`)
	f := must[device.Handle](t)(d.Function(0, m, "k"))
	if again := must[device.Handle](t)(d.Function(0, m, "k")); again != f {
		t.Error("a function has two handles")
	}
	ok(t, d.UnloadModule(0, m))
	want(t, d.UnloadModule(0, m), device.ErrClosed)
	want(t, d.Launch(0, f, one(), 0), device.ErrClosed, "function")
}

func TestKernelFaults(t *testing.T) {
	d := start(t, 1)
	for name, c := range map[string]struct {
		run func(Block)
		say string
	}{
		"panic":   {func(Block) { panic("no reason") }, "kernel test: no reason, at kernel_test.go:"},
		"nil":     {func(Block) { panic(nil) }, "panic called with nil"},
		"index":   {func(b Block) { b.Args[5] = 1 }, "index out of range"},
		"short":   {func(b Block) { Arg[[3]uint64](b, 0) }, "index out of range"},
		"address": {func(Block) { *word(4096) = 1 }, "nothing can be at the address 0x1000"},
		"goexit":  {func(Block) { runtime.Goexit() }, "ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			s := streamOf(t, d, 0)
			ok(t, d.Launch(0, kernel(t, d, 0, c.run), &device.Launch{Grid: [3]uint32{9, 1, 1}, Block: [3]uint32{1, 1, 1}}, s))
			var err error
			for err == nil {
				_, err = d.StreamDone(0, s)
			}
			want(t, err, device.ErrFault, "host:0: Launch", c.say)
			want(t, d.Launch(0, kernel(t, d, 0, c.run), one(), s), device.ErrFault, c.say)
		})
	}
}

// TestBlocksAfterAFaultAreSkipped: those that have not begun, which take minutes.
func TestBlocksAfterAFaultAreSkipped(t *testing.T) {
	const blocks = 1 << 30
	d := start(t, 1)
	s := streamOf(t, d, 0)
	var ran atomic.Int64
	f := kernel(t, d, 0, func(b Block) {
		ran.Add(1)
		if b.Index[0] == 3 {
			panic("enough")
		}
	})
	ok(t, d.Launch(0, f, &device.Launch{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{1, 1, 1}}, s))
	var err error
	for err == nil {
		_, err = d.StreamDone(0, s)
	}
	want(t, err, device.ErrFault, "enough")
	if n := ran.Load(); n < 4 || n >= blocks {
		t.Errorf("%d of %d blocks ran", n, blocks)
	}
}
