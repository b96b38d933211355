package host

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

func TestFreeOfWhatIsNoAllocation(t *testing.T) {
	d := start(t, 2)
	live, pinned := memoryOf(t, d, 0, 64), must[device.Ptr](t)(d.AllocPinned(1, 64))
	freed := must[device.Ptr](t)(d.Alloc(0, 64))
	ok(t, d.Free(0, freed))
	for name, c := range map[string]struct {
		err error
		say string
	}{
		"twice":                     {d.Free(0, freed), "freed already"},
		"inside of one":             {d.Free(0, live+8), "an allocation of device 0 that begins at"},
		"of another device":         {d.Free(1, live), "an allocation of device 0"},
		"pinned memory":             {d.Free(1, pinned), "pinned memory"},
		"not pinned":                {d.FreePinned(0, live), "an allocation"},
		"not an import":             {d.CloseImport(0, live), "an allocation"},
		"of no memory":              {d.Free(0, 0), "0x0"},
		"of what is not the driver": {d.Free(0, 4096), "never given"},
	} {
		t.Run(name, func(t *testing.T) { want(t, c.err, device.ErrArgument, c.say) })
	}
	ok(t, d.FreePinned(0, pinned))
	want(t, d.Free(2, live), device.ErrNoDevice, "host:2", "there are 2")
}

func TestAllocRefusals(t *testing.T) {
	d := start(t, 1)
	_, err := d.Alloc(0, 0)
	want(t, err, device.ErrArgument, "0 bytes")
	_, err = d.AllocPinned(0, ^uintptr(0)/4)
	want(t, err, device.ErrMemory, fmt.Sprintf("asked %d bytes, free ", ^uintptr(0)/4), " of ")
	_, err = d.Alloc(-1, 8)
	want(t, err, device.ErrNoDevice)
	_, err = Open(0)
	want(t, err, device.ErrArgument)
}

func TestMemoryInfo(t *testing.T) {
	d := start(t, 1)
	free, total, err := d.MemoryInfo(0)
	ok(t, err)
	if free == 0 || free > total {
		t.Errorf("%d free of %d", free, total)
	}
	p := must[device.Properties](t)(d.Properties(0))
	if p.Memory != total || p.Arch != "host" || len(p.UUID) != 36 || p.Processors < 1 {
		t.Errorf("properties %+v, total memory %d", p, total)
	}
}

func TestDevicesDiffer(t *testing.T) {
	d := start(t, 2)
	a, b := must[device.Properties](t)(d.Properties(0)), must[device.Properties](t)(d.Properties(1))
	if a.UUID == b.UUID {
		t.Error("two devices have one UUID")
	}
	if p := must[device.PeerAccess](t)(d.Peer(0, 1)); !p.Access || !p.Atomics {
		t.Errorf("%+v", p)
	}
	ok(t, d.EnablePeer(1, 0))
	want(t, d.EnablePeer(0, 2), device.ErrNoDevice)
}

func TestAttributes(t *testing.T) {
	d := start(t, 2)
	p := memoryOf(t, d, 1, 100)
	pinned := must[device.Ptr](t)(d.AllocPinned(1, 50))
	defer func() { ok(t, d.FreePinned(1, pinned)) }()
	for _, c := range []struct {
		at   device.Ptr
		want device.Attributes
	}{
		{p, device.Attributes{Known: true, Device: 1, Base: p, Size: 100}},
		{p + 99, device.Attributes{Known: true, Device: 1, Base: p, Size: 100}},
		{p + 100, device.Attributes{Device: -1}},
		{pinned + 1, device.Attributes{Known: true, Device: -1, Pinned: true, Base: pinned, Size: 50}},
		{8, device.Attributes{Device: -1}},
	} {
		if got := must[device.Attributes](t)(d.Attributes(c.at)); got != c.want {
			t.Errorf("%#x: %+v, want %+v", c.at, got, c.want)
		}
	}
}

// TestFreeLetsQueuedWorkFinish holds a stream that will write into memory which is
// freed meanwhile: nobody else may get it before.
func TestFreeLetsQueuedWorkFinish(t *testing.T) {
	d := start(t, 1)
	gate, s := memoryOf(t, d, 0, 8), streamOf(t, d, 0)
	*word(uintptr(gate)) = 0
	p := must[device.Ptr](t)(d.Alloc(0, 1<<16))
	ok(t, d.WaitValue(0, s, gate, 1, device.CompareEQ))
	ok(t, d.Fill(0, p, 0xff, 1, 1<<16, s))
	ok(t, d.Free(0, p))
	q := memoryOf(t, d, 0, 1<<16)
	ok(t, d.Fill(0, q, 0x11, 1, 1<<16, 0))
	ok(t, d.WriteValue(0, 0, gate, 1))
	settle(t, d, 0, 0)
	settle(t, d, 0, s)
	if got := mem.At[byte](uintptr(q), 1<<16); bytes.Count(got, []byte{0x11}) != len(got) {
		t.Error("freed memory was given away while a stream had work on it")
	}
	want(t, d.Fill(0, p, 0, 1, 8, s), device.ErrArgument, "freed")
}

func TestFill(t *testing.T) {
	d := start(t, 1)
	p := memoryOf(t, d, 0, 64)
	for _, c := range []struct {
		width int
		want  string
	}{
		{1, "\x44\x44\x44\x44\x44\x44\x44\xee"},
		{2, "\x44\x33\x44\x33\x44\x33\x44\x33\x44\x33\x44\x33\x44\x33\xee"},
		{4, "\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\xee"},
	} {
		ok(t, d.Fill(0, p, 0xee, 1, 64, 0))
		ok(t, d.Fill(0, p, 0x11223344, c.width, 7, 0))
		got := make([]byte, len(c.want))
		ok(t, d.CopyOut(0, unsafe.Pointer(&got[0]), p, uintptr(len(got)), 0))
		if string(got) != c.want {
			t.Errorf("width %d: % x", c.width, got)
		}
	}
	ok(t, d.Fill(0, p, 0, 4, 0, 0))
	want(t, d.Fill(0, p, 0, 3, 1, 0), device.ErrArgument, "3 bytes")
	want(t, d.Fill(0, p+1, 0, 2, 1, 0), device.ErrArgument)
	want(t, d.Fill(0, p, 0, 4, 17, 0), device.ErrArgument, "ends after 64")
}

func TestCopyRanges(t *testing.T) {
	d := start(t, 1)
	p, q := memoryOf(t, d, 0, 64), memoryOf(t, d, 0, 64)
	words := make([]uint64, 9)
	at := unsafe.Pointer(&words[0])
	want(t, d.Copy(0, p, q, 65, 0), device.ErrArgument, "65 bytes", "ends after 64")
	want(t, d.Copy(0, p+8, q, 64, 0), device.ErrArgument, "ends after 56")
	want(t, d.Copy(0, p, 0, 8, 0), device.ErrArgument, "the address is 0")
	want(t, d.Copy(0, p, q, ^uintptr(0), 0), device.ErrArgument)
	want(t, d.CopyIn(0, p, at, 72, 0), device.ErrArgument)
	want(t, d.CopyOut(0, at, p, 72, 0), device.ErrArgument)
	ok(t, d.CopyIn(0, p, nil, 0, 0))
	want(t, d.WriteValue(0, 0, p+4, 1), device.ErrArgument, "multiple of 8")
	want(t, d.WaitValue(0, 0, p, 1, 7), device.ErrArgument, "7")
}
