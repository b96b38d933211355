package ipc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
)

// smallConfig makes a hang a quick failure.
func smallConfig() engine.Config {
	return engine.Config{HeapSize: 4 << 20, Timeout: 10 * time.Second}
}

// pe is a PE of a test's world, with a stream of its own.
type pe struct {
	*testing.T
	*plane
	heap   engine.Heap
	stream device.Handle
}

// world makes one of n PEs over a driver.
func world(t *testing.T, n int, c engine.Config, driver device.Driver) []*pe {
	t.Helper()
	heaps, err := Engine{Control: host.Engine{}}.local(n, c, driver)
	if err != nil {
		t.Fatal(err)
	}
	pes := make([]*pe, n)
	for i, h := range heaps {
		p := &pe{T: t, plane: h.(*heap).plane, heap: h}
		p.stream, err = driver.NewStream(p.dev, 0)
		p.must(err)
		p.must(p.Commit(0, p.size))
		pes[i] = p
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Errorf("close PE %d: %v", p.rank, err)
			}
			_ = driver.DestroyStream(p.dev, p.stream) // after a fault that is asked for it has one
		})
	}
	return pes
}

// hostDriver has as many devices.
func hostDriver(t *testing.T, devices int) *devicehost.Driver {
	t.Helper()
	d, err := devicehost.Open(devices)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// vendorDriver opens that of a vendor, whose devices the PEs take in turn: with one device
// all are on it.
func vendorDriver(t *testing.T, name string) device.Driver {
	t.Helper()
	d, err := devices.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// blind is a driver whose memory Go does not reach, as that of a GPU.
type blind struct{ *devicehost.Driver }

func (blind) HostReach() bool { return false }

func (p *pe) must(err error) {
	p.Helper()
	if err != nil {
		p.Errorf("%v", err)
	}
}

// finish waits for the PE's stream.
func (p *pe) finish() error {
	return p.Finish(context.Background(), engine.Call{Kind: engine.KindQuiet}, p.stream)
}

// each runs f on all PEs at once.
func each(pes []*pe, f func(p *pe)) {
	var wg sync.WaitGroup
	for _, p := range pes {
		wg.Go(func() { f(p) })
	}
	wg.Wait()
}

// on runs a test over the drivers that there are, with PEs on one device and on several.
func on(t *testing.T, sizes []int, test func(t *testing.T, pes []*pe)) {
	t.Helper()
	for _, n := range sizes {
		t.Run(fmt.Sprintf("host/%d", n), func(t *testing.T) { test(t, world(t, n, smallConfig(), hostDriver(t, 2))) })
		t.Run(fmt.Sprintf("blind/%d", n), func(t *testing.T) { test(t, world(t, n, smallConfig(), blind{hostDriver(t, 1)})) })
		if d := os.Getenv(driverVar); d != "" {
			t.Run(fmt.Sprintf("%s/%d", d, n), func(t *testing.T) { test(t, world(t, n, smallConfig(), vendorDriver(t, d))) })
		}
	}
}

// TestPutGet brings bytes to the next PE and back.
func TestPutGet(t *testing.T) {
	on(t, []int{1, 3}, func(t *testing.T, pes []*pe) {
		each(pes, func(p *pe) {
			next := (p.rank + 1) % p.n
			out, back := []byte(fmt.Sprintf("from PE %d", p.rank)), make([]byte, 9)
			p.must(p.Put(next, 64, unsafe.Pointer(&out[0]), 9))
			p.must(p.Get(next, unsafe.Pointer(&back[0]), 64, 9))
			if string(back) != string(out) {
				t.Errorf("PE %d put %q and got %q", p.rank, out, back)
			}
			p.must(p.world.BarrierOn(p.stream))
			p.must(p.finish())
			v, err := p.Load(64+8, 1)
			p.must(err)
			if want := byte('0' + (p.rank+p.n-1)%p.n); byte(v) != want {
				t.Errorf("PE %d has %q, want %q", p.rank, byte(v), want)
			}
		})
	})
}

// TestBarriers: nobody's stream is through a barrier before all have come.
func TestBarriers(t *testing.T) {
	on(t, []int{2, 3, 8}, func(t *testing.T, pes []*pe) {
		const rounds = 20
		each(pes, func(p *pe) {
			for i := range rounds {
				src := p.at(p.rank, 8)
				p.must(p.driver.WriteValue(p.dev, p.stream, src, uint64(i+1)))
				for other := range p.n {
					p.must(p.PutOn(p.stream, other, 4096+uintptr(i*p.n+p.rank)*8, src, 8))
				}
				p.must(p.world.BarrierOn(p.stream))
				p.must(p.GetOn(p.stream, p.rank, p.at(p.rank, 65536+uintptr(i*p.n)*8), 4096+uintptr(i*p.n)*8, uintptr(p.n)*8))
			}
			p.must(p.finish())
			for i := range rounds * p.n {
				if v, err := p.Load(65536+uintptr(i)*8, 8); err != nil || v != uint64(i/p.n+1) {
					t.Errorf("PE %d finds %d, %v in place %d of round %d", p.rank, v, err, i%p.n, i/p.n)
				}
			}
		})
	})
}

// driverVar names the driver that the tests run over besides that of the host.
const driverVar = "IPC_TEST_DRIVER"

// testDriver is the driver of processes.
func testDriver() string { return cmp.Or(os.Getenv(driverVar), "host") }
