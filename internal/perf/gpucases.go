package perf

import (
	"slices"
	"strings"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// What can be ordered of devices. Size is 8 where nothing is copied.
const (
	OpLaunch4  = "launch4"  // the host's part of a launch, with 4 arguments; Every is how many go before the device is waited for
	OpLaunch11 = "launch11" // with 11
	OpFinish   = "finish"   // a launch and the wait for its end
	OpHostTo   = "h2d"      // a copy from pinned memory to the device
	OpToHost   = "d2h"      // and back
	OpOnDevice = "d2d"      // between two places of one device
	OpPeer     = "p2p"      // to another device
	OpCopyFrom = "copyfrom" // a copy from Go memory, and its end
	OpCopyTo   = "copyto"   // a copy to Go memory, and its end
	OpValue    = "value"    // two streams write a word each, and wait for the other's
)

// launchBatch is less than what a driver queues before it makes the host wait.
const launchBatch = 1000

// gpuCase is a row of a measurement of devices.
type gpuCase struct {
	Case
	order  Order
	name   string
	wanted float64
	side   side
}

// cases are the rows that these devices can have and whose names contain only.
func (g *board) cases(only string) []gpuCase {
	var list []gpuCase
	if g.eleven != nil {
		list = append(list,
			step(OpLaunch4, "launch, 4 arguments", launchBatch, enqueueWanted, g.launches(launchBatch, g.launchFour)),
			step(OpLaunch11, "launch, 11 arguments", launchBatch, enqueueWanted, g.launches(launchBatch, g.launchEleven)),
			step(OpFinish, "launch to completion", 1, 0, loop(g.finish)))
	}
	if g.waits {
		list = append(list, step(OpValue, "write and wait, round of two streams", 1, 0, g.volley))
	}
	list = append(list, g.copyCases()...)
	return slices.DeleteFunc(list, func(c gpuCase) bool { return !strings.Contains(c.name, only) })
}

// step is a row of something without a size.
func step(op, name string, every int, wanted float64, s side) gpuCase {
	return gpuCase{Case{Op: op}, Order{Op: op, Size: wordBytes, Area: wordBytes, Every: every}, name, wanted, s}
}

// copyCases are the rows of copies.
func (g *board) copyCases() []gpuCase {
	var list []gpuCase
	add := func(op, name string, size int, wanted float64, s side) {
		list = append(list, gpuCase{Case{Op: op, Size: size}, Order{Op: op, Size: size, Area: size, Every: 1}, name + " " + bytesOf(size), wanted, s})
	}
	for size := 4 << 10; size <= g.largest; size *= 16 {
		add(OpHostTo, "host to device", size, copyWanted, g.copies(g.to, g.pinned, size))
		add(OpToHost, "device to host", size, copyWanted, g.copies(g.pinned, g.from, size))
		add(OpOnDevice, "on the device", size, copyWanted, g.copies(g.to, g.from, size))
		if len(g.devices) > 1 {
			add(OpPeer, "device to device", size, copyWanted, g.copies(g.far, g.from, size))
		}
		add(OpCopyFrom, "CopyFrom", size, copyWanted, g.blocking(g.to, true, size))
		add(OpCopyTo, "CopyTo", size, copyWanted, g.blocking(g.from, false, size))
	}
	return list
}

// launches times what the host does, in batches with an idle device before each.
func (g *board) launches(every int, some func(n int) error) side {
	return func(n int) (spent time.Duration, err error) {
		for ; n > 0 && err == nil; n -= every {
			start := time.Now()
			err = some(min(n, every))
			spent += time.Since(start)
			if err == nil {
				err = g.stream.Synchronize(g.ctx)
			}
		}
		return spent, err
	}
}

// launchFour launches the kernel with 4 arguments.
func (g *board) launchFour(n int) error {
	c, d := float32(2), int32(1)
	for range n {
		if err := g.four.Launch(g.stream, one(), g.from, g.to, c, d); err != nil {
			return err
		}
	}
	return nil
}

// launchEleven launches the kernel with 11 arguments.
func (g *board) launchEleven(n int) error {
	e, f, h := uint64(5), float32(2), int32(1)
	for range n {
		if err := g.eleven.Launch(g.stream, one(), g.from, g.to, g.from, g.to, e, f, f, h, h, h, h); err != nil {
			return err
		}
	}
	return nil
}

// one is the shape of a launch of one small block.
func one() gpu.Dims { return gpu.Grid(1, 32) }

// finish launches and waits.
func (g *board) finish(n int) error {
	for range n {
		if err := g.launchFour(1); err != nil {
			return err
		}
		if err := g.stream.Synchronize(g.ctx); err != nil {
			return err
		}
	}
	return nil
}
