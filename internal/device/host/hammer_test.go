package host

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// TestNoAllocations: what is done many times costs no garbage.
func TestNoAllocations(t *testing.T) {
	d := start(t, 1)
	p, s, e := memoryOf(t, d, 0, 64), streamOf(t, d, 0), eventOf(t, d, 0, true)
	f := kernel(t, d, 0, func(Block) {}, 8)
	word, local := uint64(1), new(uint64)
	l := one(unsafe.Pointer(&word))
	for name, call := range map[string]func() error{
		"Copy":       func() error { return d.Copy(0, p, p+32, 32, s) },
		"CopyIn":     func() error { return d.CopyIn(0, p, unsafe.Pointer(local), 8, s) },
		"CopyOut":    func() error { return d.CopyOut(0, unsafe.Pointer(local), p, 8, s) },
		"Fill":       func() error { return d.Fill(0, p, 0, 4, 16, s) },
		"Record":     func() error { return d.Record(0, e, s) },
		"StreamWait": func() error { return d.StreamWait(0, s, e) },
		"WriteValue": func() error { return d.WriteValue(0, s, p, 1) },
		"WaitValue":  func() error { return d.WaitValue(0, s, p, 0, device.CompareGE) },
		"Launch":     func() error { return d.Launch(0, f, l, s) },
		"StreamDone": func() error { _, err := d.StreamDone(0, s); return err },
		"EventDone":  func() error { _, err := d.EventDone(0, e); return err },
	} {
		t.Run(name, func(t *testing.T) {
			put(t, d, 0, p, s, 1)
			if n := testing.AllocsPerRun(2*mostRoom, func() { ok(t, call()) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
			settle(t, d, 0, s)
		})
	}
}

// TestManyGoroutines has 64 goroutines use two devices, a stream of each shared by all,
// and one of their own.
func TestManyGoroutines(t *testing.T) {
	const rounds = 50
	d := start(t, 2)
	total := [2]device.Ptr{memoryOf(t, d, 0, 8), memoryOf(t, d, 1, 8)}
	var add, shared [2]device.Handle
	for dev := range 2 {
		add[dev] = kernel(t, d, dev, func(b Block) { *word(Arg[uintptr](b, 0)) += Arg[uint64](b, 1) }, 8, 8)
		shared[dev] = streamOf(t, d, dev)
		put(t, d, dev, total[dev], shared[dev], 0)
	}
	var all sync.WaitGroup
	for i := range 64 {
		dev := i % 2
		all.Go(func() {
			for round := range rounds {
				if err := visit(d, dev, shared[dev], add[dev], total[dev], uint64(64*round+i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for dev := range 2 {
		if got := get(t, d, dev, total[dev], shared[dev], 1); got[0] != 32*rounds {
			t.Errorf("device %d has counted %d, want %d", dev, got[0], 32*rounds)
		}
	}
}

// visit brings a value through memory of its own, and adds one in the shared stream.
func visit(d *Driver, dev int, shared, add device.Handle, total device.Ptr, value uint64) (err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	p, e1 := d.Alloc(dev, 16)
	s, e2 := d.NewStream(dev, 0)
	e, e3 := d.NewEvent(dev, false)
	for _, e := range []error{e1, e2, e3} {
		keep(e)
	}
	keep(d.WriteValue(dev, s, p, value))
	keep(d.Record(dev, e, s))
	keep(d.StreamWait(dev, shared, e))
	keep(d.Copy(dev, p+8, p, 8, shared))
	at, one64 := uintptr(total), uint64(1)
	keep(d.Launch(dev, add, one(unsafe.Pointer(&at), unsafe.Pointer(&one64)), shared))
	got := new(uint64)
	keep(d.CopyOut(dev, unsafe.Pointer(got), p+8, 8, shared))
	if *got != value {
		keep(fmt.Errorf("device %d: %d came back as %d", dev, value, *got))
	}
	keep(d.DestroyEvent(dev, e))
	keep(d.DestroyStream(dev, s))
	keep(d.Free(dev, p))
	return err
}
