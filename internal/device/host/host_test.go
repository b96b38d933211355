package host

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// start opens a driver of n devices for a test, at the end of which all its streams
// have to be done and all its memory given back.
func start(t testing.TB, n int) *Driver {
	t.Helper()
	d, err := Open(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range d.memory.queues.ends() {
			_ = p.s.finish(p.number) // a fault was the test's to look at
		}
		ok(t, d.Close())
	})
	return d
}

// must passes a result on.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ok wants no error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want wants an error of a kind, one line long, whose text has all the words.
func want(t testing.TB, err, kind error, words ...string) {
	t.Helper()
	var typed *device.Error
	if !errors.Is(err, kind) || !errors.As(err, &typed) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v, want a *device.Error of the kind %q in one line", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %q, want %q in it", err, w)
		}
	}
}

// memoryOf gives a test n bytes on a device.
func memoryOf(t testing.TB, d *Driver, dev int, n uintptr) device.Ptr {
	t.Helper()
	p := must[device.Ptr](t)(d.Alloc(dev, n))
	t.Cleanup(func() { ok(t, d.Free(dev, p)) })
	return p
}

// streamOf gives a test a stream.
func streamOf(t testing.TB, d *Driver, dev int) device.Handle {
	t.Helper()
	return must[device.Handle](t)(d.NewStream(dev, 0))
}

// put and get move words.
func put(t testing.TB, d *Driver, dev int, p device.Ptr, s device.Handle, words ...uint64) {
	t.Helper()
	ok(t, d.CopyIn(dev, p, unsafe.Pointer(&words[0]), uintptr(8*len(words)), s))
}

func get(t testing.TB, d *Driver, dev int, p device.Ptr, s device.Handle, n int) []uint64 {
	t.Helper()
	words := make([]uint64, n)
	ok(t, d.CopyOut(dev, unsafe.Pointer(&words[0]), p, uintptr(8*n), s))
	return words
}

// word is the word at an address.
func word(p uintptr) *uint64 { return &mem.At[uint64](p, 1)[0] }

func TestEndToEnd(t *testing.T) {
	d := start(t, 2)
	a, b := memoryOf(t, d, 0, 800), memoryOf(t, d, 1, 800)
	m := must[device.Handle](t)(d.AddModule(0, map[string]Kernel{"scale": {
		Params: []uintptr{8, 4},
		Run: func(b Block) {
			p := Arg[uintptr](b, 0) + 8*uintptr(b.Index[0])
			*word(p) *= uint64(Arg[uint32](b, 1))
		},
	}}))
	f := must[device.Handle](t)(d.Function(0, m, "scale"))
	s, e := streamOf(t, d, 0), must[device.Handle](t)(d.NewEvent(0, true))
	words := make([]uint64, 100)
	for i := range words {
		words[i] = uint64(i)
	}
	put(t, d, 0, a, s, words...)
	p, factor := uintptr(a), uint32(3)
	ok(t, d.Launch(0, f, &device.Launch{Grid: [3]uint32{100, 1, 1}, Block: [3]uint32{1, 1, 1}, Args: []unsafe.Pointer{unsafe.Pointer(&p), unsafe.Pointer(&factor)}}, s))
	p, factor = 0, 0
	ok(t, d.Record(0, e, s))
	ok(t, d.StreamWait(1, 0, e))
	ok(t, d.Copy(1, b, a, 800, 0))
	for i, w := range get(t, d, 1, b, 0, 100) {
		if w != 3*uint64(i) {
			t.Fatalf("word %d is %d", i, w)
		}
	}
}
