package ipc

import (
	"fmt"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/reduce"
)

// benchWorld opens a world for a benchmark.
func benchWorld(b *testing.B, n int, size uintptr) []*pe {
	b.Helper()
	driver, err := devices.Open(testDriver())
	if err != nil {
		b.Fatal(err)
	}
	heaps, err := Engine{Control: host.Engine{}}.local(n, engine.Config{HeapSize: size, Timeout: time.Minute}, driver)
	if err != nil {
		b.Fatal(err)
	}
	var pes []*pe
	for _, h := range heaps {
		p := &pe{plane: h.(*heap).plane, heap: h}
		if p.stream, err = driver.NewStream(p.dev, 0); err != nil {
			b.Fatal(err)
		}
		pes = append(pes, p)
		b.Cleanup(func() {
			for _, err := range []error{driver.DestroyStream(p.dev, p.stream), h.Close()} {
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	return pes
}

// batch is less than what a stream has room for.
const batch = 250

// timed queues something so often, in batches, and reports how long one takes by the clock
// of the device, and how long the host needs to queue it.
func (p *pe) timed(b *testing.B, n int, report bool, f func() error) {
	begin, err := p.driver.NewEvent(p.dev, true)
	end, failed := p.driver.NewEvent(p.dev, true)
	if err != nil || failed != nil {
		b.Error(err, failed)
		return
	}
	var queued, took time.Duration
	for done := 0; done < n; done += batch {
		errs := []error{p.driver.Record(p.dev, begin, p.stream)}
		start := time.Now()
		for range min(batch, n-done) {
			if err := f(); err != nil {
				errs = append(errs, err)
			}
		}
		queued += time.Since(start)
		errs = append(errs, p.driver.Record(p.dev, end, p.stream), p.finish())
		one, err := p.driver.Elapsed(p.dev, begin, end)
		took += one
		if err := first(append(errs, err)); err != nil {
			b.Error(err)
			return
		}
	}
	if err := first([]error{p.driver.DestroyEvent(p.dev, begin), p.driver.DestroyEvent(p.dev, end)}); err != nil {
		b.Error(err)
	}
	if report {
		b.ReportMetric(float64(took.Nanoseconds())/float64(n), "device-ns/op")
		b.ReportMetric(float64(queued.Nanoseconds())/float64(n), "queue-ns/op")
	}
}

// BenchmarkPut: by a copy of the device and by a kernel, which decides on kernelPut.
func BenchmarkPut(b *testing.B) {
	for _, size := range []uintptr{8, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20} {
		pes := benchWorld(b, 2, 64<<20)
		p := pes[0]
		b.Run(fmt.Sprintf("copy/%d", size), func(b *testing.B) {
			p.timed(b, b.N, true, func() error { return p.driver.Copy(p.dev, p.at(1, 32<<20), p.at(0, 0), size, p.stream) })
		})
		b.Run(fmt.Sprintf("kernel/%d", size), func(b *testing.B) {
			p.timed(b, b.N, true, func() error { return p.putByKernel(p.stream, p.at(1, 32<<20), p.at(0, 0), size) })
		})
	}
}

// meetings has all PEs queue the same.
func meetings(b *testing.B, pes []*pe, f func(p *pe) error) {
	n := b.N
	each(pes, func(p *pe) { p.timed(b, n, p.rank == 0, func() error { return f(p) }) })
}

// BenchmarkBarrier: by values that streams write and wait for, by the kernel that meets at
// the same words, and by the one that meets as collectives do, which decides on valuesUpTo.
func BenchmarkBarrier(b *testing.B) {
	for _, n := range []int{2, 4} {
		for name, f := range map[string]func(p *pe) error{
			"values": func(p *pe) error { return p.world.meetByValues(p.stream) },
			"words":  func(p *pe) error { return p.world.launch(p.code.barrier, 1, threadsFor(0), p.stream) },
			"kernel": func(p *pe) error { return p.world.meetInKernel(p.stream) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { meetings(b, benchWorld(b, n, 1<<20), f) })
		}
	}
}

// BenchmarkCollective: through stages and beside them, which decides on stagedUpTo.
func BenchmarkCollective(b *testing.B) {
	for _, size := range []uintptr{8, 1 << 10, 8 << 10, 64 << 10, 1 << 20} {
		for _, kind := range []engine.Kind{engine.KindBroadcast, engine.KindAllToAll, engine.KindAllReduce} {
			b.Run(fmt.Sprintf("%v/%d", kind, size), func(b *testing.B) {
				c := &engine.Collective{Kind: kind, Dst: 16 << 20, Bytes: size, Elem: reduce.Float32}
				meetings(b, benchWorld(b, 2, 32<<20), func(p *pe) error { return p.world.CollectiveOn(p.stream, c) })
			})
		}
	}
}

// TestAllocations: to queue something allocates nothing but what the driver does.
func TestAllocations(t *testing.T) {
	p := world(t, 2, smallConfig(), hostDriver(t, 1))[0]
	one := engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 1}
	p.must(p.SignalOn(0, 0, 0, one))
	launch := testing.AllocsPerRun(100, func() { p.must(p.driver.Launch(p.dev, p.code.atomic, &p.signal.launch, 0)) })
	for _, c := range []struct {
		name string
		most float64
		f    func() error
	}{
		{"put", 0, func() error { return p.PutOn(0, 1, 0, p.at(0, 8), 8) }},
		{"set", 0, func() error { return p.SignalOn(0, 1, 0, engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 1}) }},
		{"add", launch, func() error { return p.SignalOn(0, 1, 0, one) }},
	} {
		if n := testing.AllocsPerRun(100, func() { p.must(c.f()) }); n > c.most {
			t.Errorf("a %s allocates %v times, want at most %v", c.name, n, c.most)
		}
	}
	p.must(p.finish())
}
