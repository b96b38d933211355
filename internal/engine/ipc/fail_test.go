package ipc

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// wait is a way in which a stream of PE 0 waits for PE 1, which does not come.
type wait struct {
	name   string
	pes    int
	absent bool // the error says who
	queue  func(p *pe) error
}

func waits() []wait {
	barrier := func(p *pe) error { return p.world.BarrierOn(p.stream) }
	return []wait{
		{"barrier of two", 2, true, barrier},
		{"barrier of three", 3, true, barrier},
		{"small collective", 2, true, func(p *pe) error {
			return p.world.CollectiveOn(p.stream, &engine.Collective{Kind: engine.KindFCollect, Dst: 4096, Bytes: 64})
		}},
		{"large collective", 2, true, func(p *pe) error {
			return p.world.CollectiveOn(p.stream, &engine.Collective{Kind: engine.KindAllReduce, Dst: 1 << 20, Bytes: 1 << 18, Elem: reduce.Int32})
		}},
		{"word", 2, false, func(p *pe) error { return p.WaitOn(p.stream, 64, engine.CompareGE, 1) }},
		{"word by kernel", 2, false, func(p *pe) error { return p.WaitOn(p.stream, 64, engine.CompareNE, 0) }},
		{"graph", 2, false, func(p *pe) error {
			err := errors.Join(p.driver.BeginCapture(p.dev, p.stream), barrier(p), p.WaitOn(p.stream, 64, engine.CompareEQ, 1))
			g, e := p.driver.EndCapture(p.dev, p.stream)
			return errors.Join(err, e, p.driver.LaunchGraph(p.dev, g, p.stream), p.driver.DestroyGraph(p.dev, g))
		}},
	}
}

// anyDriver is one after the other of those of the host, or that of a vendor if it is named.
func anyDriver(t *testing.T, i int) device.Driver {
	t.Helper()
	if d := os.Getenv(driverVar); d != "" {
		return vendorDriver(t, d)
	}
	if i%2 == 0 {
		return blind{hostDriver(t, 1)}
	}
	return hostDriver(t, 1)
}

// ended waits until a stream has nothing more to do, whatever its PE is told.
func (p *pe) ended() {
	p.Helper()
	for begun := time.Now(); ; {
		done, err := p.driver.StreamDone(p.dev, p.stream)
		switch {
		case err != nil:
			p.Errorf("the stream has a fault: %v", err)
			return
		case done:
			return
		case time.Since(begun) > 10*time.Second:
			p.Fatal("the stream was not released")
		}
		time.Sleep(time.Millisecond)
	}
}

// refusals: after the end of a world nothing can be queued any more.
func (p *pe) refusals(want error) {
	p.Helper()
	_, load := p.Load(64, 8)
	_, atomic := p.Atomic(0, 64, engine.AMO{Width: 8})
	for i, err := range []error{
		p.world.BarrierOn(p.stream), p.world.SyncOn(p.stream), p.PutOn(p.stream, 0, 0, p.at(p.rank, 8), 8), p.GetOn(p.stream, 0, p.at(p.rank, 8), 0, 8),
		p.SignalOn(p.stream, 0, 64, engine.AMO{Kind: engine.AMOSet, Width: 8}), p.WaitOn(p.stream, 64, engine.CompareEQ, 0), p.QuietOn(p.stream),
		p.world.CollectiveOn(p.stream, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 8}), load, atomic, p.Quiet(context.Background()), p.finish(), p.heap.Broken(),
	} {
		if !errors.Is(err, want) {
			p.Errorf("call %d after the end: %v, want %v", i, err, want)
		}
	}
}

// TestTimeout: a stream that waits too long is released, and its PE is told who is absent.
func TestTimeout(t *testing.T) {
	for i, w := range waits() {
		t.Run(w.name, func(t *testing.T) {
			c := smallConfig()
			c.Timeout = 100 * time.Millisecond
			pes := world(t, w.pes, c, anyDriver(t, i))
			p := pes[0]
			p.must(w.queue(p))
			err := p.finish()
			if !errors.Is(err, engine.ErrTimeout) || w.absent && !strings.Contains(err.Error(), "PE 1 is absent") && !strings.Contains(err.Error(), "PEs 1, 2 are absent") {
				t.Errorf("%v", err)
			}
			p.ended()
			p.refusals(engine.ErrTimeout)
			if err := pes[1].heap.Broken(); !errors.Is(err, engine.ErrFailed) || !strings.Contains(err.Error(), "PE 0") {
				t.Errorf("PE 1 is told %v", err)
			}
		})
	}
}

// TestRelease: streams are released when another PE fails.
func TestRelease(t *testing.T) {
	for i, w := range waits() {
		t.Run(w.name, func(t *testing.T) {
			pes := world(t, w.pes, smallConfig(), anyDriver(t, i+1))
			pes[0].must(w.queue(pes[0]))
			pes[1].heap.Fail("it had enough", engine.Stays)
			if err := pes[0].finish(); !errors.Is(err, engine.ErrFailed) || !strings.Contains(err.Error(), "it had enough") {
				t.Errorf("%v", err)
			}
			pes[0].ended()
			pes[0].refusals(engine.ErrFailed)
		})
	}
}

// TestCancel: a context ends the wait for a stream, and nothing else.
func TestCancel(t *testing.T) {
	pes := world(t, 2, smallConfig(), anyDriver(t, 1))
	p := pes[0]
	p.must(p.world.BarrierOn(p.stream))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Finish(ctx, engine.Call{Kind: engine.KindQuiet}, p.stream); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	pes[1].must(pes[1].world.BarrierOn(pes[1].stream))
	p.must(p.finish())
}

// TestFault: a fault of a stream is told by whoever waits for it, and the world goes on.
func TestFault(t *testing.T) {
	p := world(t, 1, smallConfig(), hostDriver(t, 1))[0]
	p.must(p.PutOn(p.stream, 0, 0, 16, 8))
	if err := p.finish(); !errors.Is(err, device.ErrFault) {
		t.Errorf("%v", err)
	}
	if _, err := p.Load(64, 8); err != nil {
		t.Errorf("%v", err)
	}
}
