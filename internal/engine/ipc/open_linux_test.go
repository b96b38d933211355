//go:build !race

package ipc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
)

// The race detector does not see memory that is not Go's, which processes share.

// exchange joins goroutines that play the processes of a job.
type exchange struct {
	rank  int
	inbox []chan []byte
}

func (e exchange) Broadcast(ctx context.Context, buf []byte, root int) error {
	if e.rank == root {
		for rank, in := range e.inbox {
			if rank != root {
				in <- append([]byte(nil), buf...)
			}
		}
		return nil
	}
	select {
	case got := <-e.inbox[e.rank]:
		copy(buf, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e exchange) Barrier(ctx context.Context) error {
	for root := range e.inbox {
		if err := e.Broadcast(ctx, make([]byte, 1), root); err != nil {
			return err
		}
	}
	return nil
}

// opened has goroutines open a world as processes do, each with a driver of its own or
// the lack of one.
func opened(t *testing.T, c engine.Config, drivers []device.Driver) ([]engine.Heap, []error) {
	n := len(drivers)
	heaps, errs, inbox := make([]engine.Heap, n), make([]error, n), make([]chan []byte, n)
	for i := range inbox {
		inbox[i] = make(chan []byte, 16)
	}
	var all sync.WaitGroup
	for i, d := range drivers {
		all.Go(func() {
			var lack error
			if d == nil {
				lack = fmt.Errorf("no library: %w", device.ErrUnsupported)
			}
			job := engine.Job{Config: c, Rank: i, Size: n, LocalRank: i, Exchange: exchange{i, inbox}}
			heaps[i], errs[i] = Engine{Control: host.Engine{}}.join(t.Context(), job, d, lack)
		})
	}
	all.Wait()
	return heaps, errs
}

// TestOpen: PEs that import each other's memory, and give all back.
func TestOpen(t *testing.T) {
	drivers := []device.Driver{hostDriver(t, 1), hostDriver(t, 2), blind{hostDriver(t, 1)}}
	heaps, errs := opened(t, smallConfig(), drivers)
	if err := first(errs); err != nil {
		t.Fatal(err)
	}
	var pes []*pe
	for _, h := range heaps {
		p := &pe{T: t, plane: h.(*heap).plane, heap: h}
		var err error
		p.stream, err = p.driver.NewStream(p.dev, 0)
		p.must(err)
		pes = append(pes, p)
	}
	for _, kind := range moves() {
		c := &scene{Collective: engine.Collective{Kind: kind, Src: 64, Dst: 1 << 20, Bytes: 3000}, size: len(pes)}
		c.fill(3)
		c.play(t, worlds(pes), pes)
	}
	each(pes, func(p *pe) {
		p.must(p.world.BarrierOn(p.stream))
		p.must(p.finish())
		p.must(p.driver.DestroyStream(p.dev, p.stream))
		p.must(p.heap.Close())
	})
	for i, d := range drivers {
		if b, ok := d.(blind); ok {
			d = b.Driver
		}
		if err := d.(*devicehost.Driver).Close(); err != nil {
			t.Errorf("driver %d has something left: %v", i, err)
		}
	}
}

// Drivers with something amiss.
type (
	poor   struct{ *devicehost.Driver } // has no memory
	lonely struct{ *devicehost.Driver } // cannot map that of others
	other  struct{ *devicehost.Driver } // is called something else
	lying  struct{ *devicehost.Driver } // maps something else
	mute   struct{ *devicehost.Driver } // has no compiler
)

func (poor) Alloc(int, uintptr) (device.Ptr, error) {
	return 0, fmt.Errorf("9 bytes are free: %w", device.ErrMemory)
}

func (lonely) Import(int, device.IPCHandle) (device.Ptr, error) {
	return 0, fmt.Errorf("no link: %w", device.ErrUnsupported)
}

func (lonely) CloseImport(int, device.Ptr) error { return errors.New("nothing was imported") }

func (other) Name() string { return "other" }

func (l lying) Import(dev int, h device.IPCHandle) (device.Ptr, error) {
	p, err := l.Driver.Import(dev, h)
	return p + 256, err
}

func (l lying) CloseImport(dev int, p device.Ptr) error { return l.Driver.CloseImport(dev, p-256) }

func (mute) AddModule(int, map[string]devicehost.Kernel) (device.Handle, error) {
	return 0, fmt.Errorf("no compiler: %w", device.ErrUnsupported)
}

// TestOpenFails: what is wrong on one PE is an error on all, which says where and what.
func TestOpenFails(t *testing.T) {
	for _, c := range []struct {
		amiss func(d *devicehost.Driver) device.Driver
		want  error
		text  []string
	}{
		{func(*devicehost.Driver) device.Driver { return nil }, device.ErrUnsupported, []string{"PE 1", "no library"}},
		{func(d *devicehost.Driver) device.Driver { return poor{d} }, device.ErrMemory, []string{"PE 1", "9 bytes are free", "GOSHMEM_HEAP_SIZE"}},
		{func(d *devicehost.Driver) device.Driver { return lonely{d} }, device.ErrUnsupported, []string{"PE 1 (", "cannot reach the memory of PE 0 (", "no link"}},
		{func(d *devicehost.Driver) device.Driver { return other{d} }, engine.ErrMismatch, []string{"driver host", "PE 1 the driver other"}},
		{func(d *devicehost.Driver) device.Driver { return lying{d} }, engine.ErrFailed, []string{"cannot reach the memory of PE 0", "something else"}},
	} {
		_, errs := opened(t, smallConfig(), []device.Driver{hostDriver(t, 1), c.amiss(hostDriver(t, 1)), hostDriver(t, 1)})
		for pe, err := range errs {
			if pe != 1 && !errors.Is(err, c.want) {
				t.Errorf("PE %d: %v, want %v", pe, err, c.want)
			}
			for _, text := range c.text {
				if err == nil || pe != 1 && !strings.Contains(err.Error(), text) {
					t.Errorf("PE %d: %v, want %q in it", pe, err, text)
				}
			}
		}
	}
}

// TestSizes: heaps of two sizes are an error on all.
func TestSizes(t *testing.T) {
	a, b := smallConfig(), smallConfig()
	b.HeapSize *= 2
	cards := []card{{size: uint64(a.HeapSize)}, {size: uint64(b.HeapSize)}}
	if err := judge(cards); !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 1 one of 8388608") {
		t.Errorf("%v", err)
	}
}

// TestNoKernels: where one PE has no compiler all go without: barriers of streams are
// there, and what needs kernels says who lacks them.
func TestNoKernels(t *testing.T) {
	heaps, errs := opened(t, smallConfig(), []device.Driver{hostDriver(t, 1), mute{hostDriver(t, 1)}, hostDriver(t, 1)})
	if err := first(errs); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, h := range heaps {
		all.Go(func() {
			p := &pe{T: t, plane: h.(*heap).plane, heap: h}
			p.must(p.world.BarrierOn(0))
			p.must(p.finish())
			for _, err := range []error{
				p.world.CollectiveOn(0, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 8}),
				p.SignalOn(0, 0, 64, engine.AMO{Kind: engine.AMOAdd, Width: 8}),
				p.WaitOn(0, 64, engine.CompareLT, 1),
			} {
				if !errors.Is(err, device.ErrUnsupported) || !strings.Contains(err.Error(), "PE ") || !strings.Contains(err.Error(), "no compiler") {
					t.Errorf("PE %d: %v", p.rank, err)
				}
			}
			p.must(h.Close())
		})
	}
	all.Wait()
}

// TestRefusedWorlds: what the engine is not for.
func TestRefusedWorlds(t *testing.T) {
	e := Engine{Control: host.Engine{}, Driver: "host"}
	if v := e.Probe(); !v.OK || !strings.Contains(v.Reason, "platform host") {
		t.Errorf("%+v", v)
	}
	if v := (Engine{Control: host.Engine{}, Driver: "none"}).Probe(); v.OK {
		t.Errorf("%+v", v)
	}
	c := smallConfig()
	c.NodeSize = 1
	if _, err := e.OpenLocal(2, c); err == nil || !strings.Contains(err.Error(), "one node") {
		t.Errorf("%v", err)
	}
	if _, err := e.Open(t.Context(), engine.Job{Config: smallConfig(), Size: maxPEs + 1}); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%v", err)
	}
}
