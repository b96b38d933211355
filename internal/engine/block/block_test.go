package block

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/mem"
)

// made is a block of 64 bytes of the host's device, in a world of one.
func made(t *testing.T) *Memory {
	t.Helper()
	d, err := devicehost.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := enginehost.Engine{}.OpenLocal(1, engine.Config{HeapSize: 4096, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Alloc(0, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.Free(0, p), worlds[0].Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	return &Memory{Engine: "test", Control: worlds[0], GPU: d, Bytes: 64, Base: uintptr(p), Peers: []device.Ptr{p}}
}

// TestMemory reads words of each width, zeroes a part, and waits for that.
func TestMemory(t *testing.T) {
	m := made(t)
	all := mem.At[byte](m.Base, 64)
	for i := range all {
		all[i] = byte(i + 1)
	}
	for width, want := range map[int]uint64{1: 9, 2: 0x0a09, 4: 0x0c0b0a09, 8: 0x100f0e0d0c0b0a09} {
		if got, err := m.Load(8, width); got != want || err != nil {
			t.Errorf("a word of %d bytes is %#x, want %#x (%v)", width, got, want, err)
		}
	}
	fault, gaveUp := error(nil), m.Zero(8, 8)
	if gaveUp == nil {
		fault, gaveUp = m.Await(t.Context(), engine.Call{Kind: engine.KindAlloc}, m.Stream)
	}
	if err := errors.Join(fault, gaveUp); err != nil || all[7] != 8 || all[8] != 0 || all[15] != 0 || all[16] != 17 {
		t.Errorf("zeroed to %v, error %v", all, err)
	}
	if d, dev := m.Driver(); m.Size() != 64 || m.Address(0) != device.Ptr(m.Base) || d != m.GPU || dev != 0 {
		t.Error("it says something else than it was told")
	}
}

// TestAwaitEnds: a wait for a stream ends with its context.
func TestAwaitEnds(t *testing.T) {
	m := made(t)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	wait := func(device.Turn) error { <-release; return nil }
	if _, err := m.GPU.(*devicehost.Driver).Do(0, 0, wait); err != nil {
		t.Fatal(err)
	}
	cancel()
	if fault, gaveUp := m.Await(ctx, engine.Call{Kind: engine.KindQuiet}, 0); fault != nil || !errors.Is(gaveUp, context.Canceled) {
		t.Errorf("fault %v, gave up %v", fault, gaveUp)
	}
	close(release)
	if fault, gaveUp := m.Await(t.Context(), engine.Call{Kind: engine.KindQuiet}, 0); fault != nil || gaveUp != nil {
		t.Errorf("released: fault %v, gave up %v", fault, gaveUp)
	}
}

// TestRefused: what the library would end the process for.
func TestRefused(t *testing.T) {
	m := made(t)
	for says, err := range map[string]error{
		"there is no PE 1 of 1":                         second(m.At(1, 0, 0)),
		"there is no PE -1 of 1":                        second(m.At(-1, 0, 0)),
		"2 bytes at 63 are not in the heap of 64 bytes": m.Zero(63, 2),
		"65 bytes at 0 are not":                         m.Release(0, 65),
		"8 bytes at 57 are not":                         second(m.Load(57, 8)),
		"a word of 4 bytes at 2":                        second(m.Word(0, 2, 4)),
	} {
		if !errors.Is(err, device.ErrArgument) || !strings.HasPrefix(err.Error(), "test: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if p, err := m.Word(0, 60, 4); p != m.Base+60 || err != nil {
		t.Errorf("the last word is at %#x, error %v", p, err)
	}
}

func second[T any](_ T, err error) error { return err }
