package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/reduce"
	"github.com/goshmem/goshmem/launch"
)

// plan says how much is measured. Zero values are for devices.
type plan struct {
	half    uintptr // bytes of the memory that are put from, and that are put to
	largest uintptr // bytes of a put
	repeats int     // of small ones
}

const (
	usual = 128 << 20 // half of what a PE's memory has
	warm  = 20
)

// heap is how many bytes the memory of a PE must have: both halves, and words.
func (p plan) heap() uintptr { return 2*cmp.Or(p.half, usual) + 4096 }

// sizes are those of puts and collectives.
func sizes() []uintptr { return []uintptr{8, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20} }

// pe is a process of a job: it joins a world and measures it.
func pe(ctx context.Context, out io.Writer, p plan) error {
	who, err := launch.Detect(os.Environ())
	if err != nil {
		return err
	}
	store, err := launch.Join(ctx, who)
	if err != nil {
		return err
	}
	job := engine.Job{Config: engine.Config{HeapSize: p.heap(), Timeout: time.Minute}, Rank: who.Rank, Size: who.Size, Exchange: store}
	choice, err := engines.Choose(ctx, os.Getenv(env.Engine), engines.All(), job)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	job.LocalRank = choice.LocalRank
	heap, err := choice.Engine.Open(ctx, job)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	d, ok := heap.(engine.Devised)
	if !ok {
		return errors.Join(fmt.Errorf("engine %s has no memory of devices", choice.Engine.Name()), heap.Close())
	}
	b, err := newMeter(ctx, heap, d.Device(), out, p)
	if err == nil {
		err = errors.Join(b.all(), b.close())
	}
	return errors.Join(err, d.Device().Close(), heap.Close())
}

// meter measures on a stream of one PE.
type meter struct {
	engine.Device
	plan
	ctx         context.Context
	heap        engine.Heap
	driver      device.Driver
	dev         int
	stream      device.Handle
	first, last device.Handle
	out         io.Writer
}

func newMeter(ctx context.Context, heap engine.Heap, d engine.Device, out io.Writer, p plan) (*meter, error) {
	m := &meter{Device: d, plan: p, ctx: ctx, heap: heap, out: out}
	m.half, m.largest, m.repeats = cmp.Or(p.half, usual), cmp.Or(p.largest, 64<<20), cmp.Or(p.repeats, 300)
	m.driver, m.dev = d.Driver()
	var errs [3]error
	m.stream, errs[0] = m.driver.NewStream(m.dev, 0)
	m.first, errs[1] = m.driver.NewEvent(m.dev, true)
	m.last, errs[2] = m.driver.NewEvent(m.dev, true)
	return m, errors.Join(errs[:]...)
}

func (m *meter) close() error {
	return errors.Join(m.driver.DestroyEvent(m.dev, m.first), m.driver.DestroyEvent(m.dev, m.last), m.driver.DestroyStream(m.dev, m.stream))
}

func (m *meter) finish() error {
	return m.Finish(m.ctx, engine.Call{Kind: engine.KindQuiet}, m.stream)
}

// many is how often something of a size is done.
func (m *meter) many(size uintptr) int {
	switch {
	case size <= 64<<10:
		return m.repeats
	case size <= 1<<20:
		return m.repeats * 2 / 3
	}
	return max(m.repeats/8, 1)
}

// report has this PE, or all, do something n times, and writes how long it took.
func (m *meter) report(name string, size uintptr, all bool, f func() error) error {
	n := m.many(size)
	if size > 0 {
		name = fmt.Sprintf("%s %d B", name, size)
	}
	repeat := func(n int) error {
		for i := 0; (all || m.heap.Rank() == 0) && i < n; i++ {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(repeat(min(warm, n)), m.World().BarrierOn(m.stream), m.finish(), m.driver.Record(m.dev, m.first, m.stream)); err != nil {
		return err
	}
	start := time.Now()
	err := repeat(n)
	queued := time.Since(start)
	if err := errors.Join(err, m.driver.Record(m.dev, m.last, m.stream), m.finish()); err != nil || m.heap.Rank() != 0 {
		return err
	}
	took, err := m.driver.Elapsed(m.dev, m.first, m.last)
	if err == nil {
		_, err = fmt.Fprintf(m.out, "%s\t%d\t%d\n", name, took.Nanoseconds()/int64(n), queued.Nanoseconds()/int64(n))
	}
	return err
}

// all is every row.
func (m *meter) all() error {
	other, own := (m.heap.Rank()+1)%m.heap.NPEs(), m.Address(m.heap.Rank())
	var errs []error
	for _, size := range sizes() {
		if size > m.largest {
			break
		}
		errs = append(errs,
			m.report("put", size, false, func() error { return m.PutOn(m.stream, other, m.half, own, size) }),
			m.report("get", size, false, func() error { return m.GetOn(m.stream, other, own+device.Ptr(m.half), 0, size) }))
	}
	set := engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 1}
	errs = append(errs,
		m.report("put with signal", 8, false, func() error { return m.PutSignalOn(m.stream, other, m.half, own, 8, 2*m.half+8, set) }),
		m.report("barrier", 0, true, func() error { return m.World().BarrierOn(m.stream) }))
	for _, kind := range []engine.Kind{engine.KindBroadcast, engine.KindAllToAll, engine.KindFCollect, engine.KindAllReduce, engine.KindReduceScatter} {
		for _, size := range sizes() {
			if size*uintptr(m.heap.NPEs()) > min(m.largest, m.half) {
				break
			}
			c := &engine.Collective{Kind: kind, Dst: m.half, Bytes: size, Elem: reduce.Float32, Op: reduce.Sum}
			errs = append(errs, m.report(kind.String(), size, true, func() error { return m.World().CollectiveOn(m.stream, c) }))
		}
	}
	return errors.Join(append(errs, m.graph(other, own))...)
}

// graph replays ten puts and a barrier, where streams can be captured.
func (m *meter) graph(other int, own device.Ptr) error {
	err := m.driver.BeginCapture(m.dev, m.stream)
	for i := range uintptr(10) {
		err = errors.Join(err, m.PutOn(m.stream, other, m.half+8*i, own+device.Ptr(8*i), 8))
	}
	err = errors.Join(err, m.World().BarrierOn(m.stream))
	g, failed := m.driver.EndCapture(m.dev, m.stream)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	return errors.Join(
		m.report("graph of 10 puts and a barrier", 0, true, func() error { return m.driver.LaunchGraph(m.dev, g, m.stream) }),
		m.driver.DestroyGraph(m.dev, g))
}
