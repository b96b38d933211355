package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/goshmem/goshmem/gpu"
)

// board is one device, or two, with all that is needed to measure.
type board struct {
	ctx           context.Context
	devices       []*gpu.Device // memory far is on the second
	about         []string      // what they are
	largest       int           // bytes of each buffer
	waits         bool          // streams can write and wait for words
	stream, other *gpu.Stream
	first, last   *gpu.Event
	four, eleven  *gpu.Function
	from, to, far gpu.Buffer
	pinned        gpu.Buffer
	plain         []byte
	words         gpu.Slice[uint64]
	rounds        uint64
	closers       []io.Closer
}

// newBoard prepares the devices of a platform, "" for the best one. largest is the
// largest copy, 0 for what suits the platform.
func newBoard(ctx context.Context, platform string, largest int) (*board, error) {
	g := &board{ctx: ctx, largest: largest}
	err := g.open(platform)
	for _, prepare := range []func() error{g.queues, g.kernels, g.memory} {
		if err == nil {
			err = prepare()
		}
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// close gives back what was opened, the last first.
func (g *board) close() error {
	var err error
	for _, c := range slices.Backward(g.closers) {
		err = errors.Join(err, c.Close())
	}
	return err
}

// opened has close take care of something that was opened without an error.
func opened[T io.Closer](g *board, to *T, c T, err error) error {
	if err == nil {
		*to = c
		g.closers = append(g.closers, c)
	}
	return err
}

// open finds the devices.
func (g *board) open(platform string) error {
	if platform == "" {
		best, err := gpu.Best()
		if err != nil {
			return err
		}
		platform = best.Platform()
	}
	all, err := gpu.Devices(platform)
	if err != nil {
		return err
	}
	g.devices = all[:min(len(all), 2)]
	for _, d := range g.devices {
		p, err := d.Properties()
		if err != nil {
			return err
		}
		g.waits = p.WaitValues && (g.waits || d == g.devices[0])
		g.about = append(g.about, fmt.Sprintf("%v: %s, %s, %d processors, %d MiB", d, p.Name, p.Arch, p.Processors, p.Memory>>20))
	}
	if len(g.devices) > 1 {
		a, b := g.devices[0], g.devices[1]
		if err := errors.Join(a.EnablePeer(b), b.EnablePeer(a)); err != nil {
			g.about = append(g.about, "the devices do not reach each other's memory: "+oneLine(err))
		}
	}
	if g.largest == 0 {
		g.largest = map[bool]int{true: hostLargest, false: gpuLargest}[platform == "host"]
	}
	return nil
}

// queues makes streams and events.
func (g *board) queues() error {
	d := g.devices[0]
	for _, to := range []**gpu.Stream{&g.stream, &g.other} {
		s, err := d.NewStream()
		if err := opened(g, to, s, err); err != nil {
			return err
		}
	}
	for _, to := range []**gpu.Event{&g.first, &g.last} {
		e, err := d.NewEvent(gpu.EventOptions{Timing: true})
		if err := opened(g, to, e, err); err != nil {
			return err
		}
	}
	return nil
}

// emptySource are kernels that do nothing.
const emptySource = `
typedef unsigned long long u64;
extern "C" __global__ void four(char* a, char* b, float c, int d) {}
extern "C" __global__ void eleven(char* a, char* b, char* c, char* d, u64 e, float f, float g,
    int h, int i, int j, int k) {}
`

// kernels compiles them, where there is a compiler.
func (g *board) kernels() error {
	nothing := func(gpu.Block) {}
	var m *gpu.Module
	made, err := g.devices[0].Compile(gpu.Program{Name: "empty.cu", Device: emptySource, Host: map[string]gpu.HostKernel{"four": nothing, "eleven": nothing}})
	if errors.Is(err, gpu.ErrUnsupported) { // the rest can be measured without
		g.about = append(g.about, "there are no launches: "+oneLine(err))
		return nil
	}
	if err := opened(g, &m, made, err); err != nil {
		return err
	}
	if g.four, err = m.Function("four"); err == nil {
		g.eleven, err = m.Function("eleven")
	}
	return err
}

// memory allocates and fills.
func (g *board) memory() error {
	near := g.devices[0]
	g.plain = bytes.Repeat([]byte{mark}, g.largest)
	for _, b := range []struct {
		to   *gpu.Buffer
		make func(*gpu.Device, int) (gpu.Buffer, error)
		on   *gpu.Device
	}{
		{&g.from, gpu.Alloc[byte], near},
		{&g.to, gpu.Alloc[byte], near},
		{&g.pinned, gpu.AllocPinned[byte], near},
		{&g.far, gpu.Alloc[byte], g.devices[len(g.devices)-1]},
	} {
		m, err := b.make(b.on, g.largest)
		if err := opened(g, b.to, m, err); err != nil {
			return err
		}
		if err := m.Fill(mark); err != nil {
			return err
		}
	}
	w, err := gpu.Alloc[uint64](near, 2)
	if err := opened(g, &g.words, w, err); err != nil {
		return err
	}
	return w.Fill(0)
}
