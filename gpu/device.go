package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/device"
)

// Device is a GPU, or one of platform host. There is one value for each, so that they
// can be compared with ==.
type Device struct {
	p      *platform
	index  int
	name   string
	normal Stream        // the default stream
	peers  []atomic.Bool // whose memory this device may reach
	info   cache         // the properties, once they are known
	live   sync.Map      // its streams that are not closed

	blocks atomic.Int64
	bytes  atomic.Int64
}

func newDevice(p *platform, index int) *Device {
	d := &Device{p: p, index: index, name: fmt.Sprintf("%s:%d", p.name, index)}
	d.peers = make([]atomic.Bool, p.driver.Count())
	d.peers[index].Store(true)
	d.normal.d = d
	return d
}

// String is the name under which Open finds the device, such as "cuda:0".
func (d *Device) String() string { return d.name }

// Platform is the name of the device's platform: cuda, hip or host.
func (d *Device) Platform() string { return d.p.name }

// Index is the number of the device on its platform.
func (d *Device) Index() int { return d.index }

// driver is what drives the device.
func (d *Device) driver() device.Driver { return d.p.driver }

// Properties describe a device. The fields: Name; Arch (what compilers call it: sm_90,
// gfx942, host); UUID and PCI (as the vendor's tools print them, "" if there is none);
// Memory (bytes); Processors (multiprocessors, compute units, cores); WarpSize;
// MaxThreads (of a block) and MaxGrid (blocks along x, y, z); MaxShared (bytes of shared
// memory that code can declare for a block) and MaxDynamic (with what a launch adds);
// WaitValues (whether streams write and wait for values); Integrated (whether memory is
// shared with the host); ClockKHz; ComputeMajor and ComputeMinor.
type Properties = device.Properties

// Properties returns what the device is; it asks once and does not wait for work. CUDA: cuDeviceGetAttribute; HIP:
// hipGetDeviceProperties.
func (d *Device) Properties() (Properties, error) {
	const op = "properties"
	if d == nil {
		return Properties{}, noDevice(op)
	}
	p, err := d.limits()
	if err != nil {
		return Properties{}, fail(d, op, err)
	}
	return *p, nil
}

// MemoryInfo returns how many bytes of the device's memory are free, and how many there
// are. CUDA: cuMemGetInfo; HIP: hipMemGetInfo.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	const op = "memory info"
	if d == nil {
		return 0, 0, noDevice(op)
	}
	free, total, err = d.driver().MemoryInfo(d.index)
	return free, total, fail(d, op, err)
}

// PeerAccess is what a device can do with another's memory. The fields: Access (load and
// store it, after EnablePeer) and Atomics (atomics of both on it hold against each other).
type PeerAccess = device.PeerAccess

// Peer says what the device can do with the memory of other, after EnablePeer. Devices
// of different platforms can do nothing. CUDA: cuDeviceGetP2PAttribute; HIP:
// hipDeviceGetP2PAttribute.
func (d *Device) Peer(other *Device) (PeerAccess, error) {
	const op = "peer"
	if d == nil {
		return PeerAccess{}, noDevice(op)
	}
	if other == nil || other.p != d.p {
		return PeerAccess{}, nil
	}
	a, err := d.driver().Peer(d.index, other.index)
	return a, fail(d, op, err)
}

// EnablePeer lets kernels of the device load and store memory of other. More than once
// does no harm. Copies do not need it. Errors: ErrUnsupported if the device cannot. CUDA:
// cuCtxEnablePeerAccess; HIP: hipDeviceEnablePeerAccess.
func (d *Device) EnablePeer(other *Device) error {
	const op = "enable peer"
	if d == nil {
		return noDevice(op)
	}
	if other == nil || other.p != d.p {
		return fail(d, op, problem(ErrUnsupported, "%v is not a device of platform %s", other, d.p.name))
	}
	if d.peers[other.index].Load() {
		return nil
	}
	if err := d.driver().EnablePeer(d.index, other.index); err != nil {
		return fail(d, op, err)
	}
	d.peers[other.index].Store(true)
	return nil
}

// Synchronize waits until work that was queued before it is done: of the streams of
// NewStream, of the default stream, and of whatever streams of this process the default
// stream waits for, whoever made them. Those are all but the ones that another library
// has made non-blocking, as PyTorch does: wait for these by [Device.StreamFromHandle]. It
// ends early as [Stream.Synchronize] does, which the functions of the vendors' libraries
// cannot. A stream that is being captured has no work. CUDA: cuEventRecord in the default
// stream, for cuCtxSynchronize; HIP: hipEventRecord, for hipDeviceSynchronize.
func (d *Device) Synchronize(ctx context.Context) error {
	const op = "synchronize"
	if d == nil {
		return noDevice(op)
	}
	err := fail(d, op, d.settle(ctx))
	d.live.Range(func(key, _ any) bool {
		if s := key.(*Stream); err == nil && !s.capturing.Load() {
			err = s.Synchronize(ctx)
		}
		if errors.Is(err, ErrClosed) { // meanwhile
			err = nil
		}
		return err == nil
	})
	return err
}

// settle waits for an event in the default stream. To record one there is work of that
// stream, for which it waits for others; to query the stream is not.
func (d *Device) settle(ctx context.Context) error {
	drv := d.driver()
	e, err := drv.NewEvent(d.index, false)
	if err != nil {
		return err
	}
	err = drv.Record(d.index, e, 0)
	if err == nil {
		err = await(ctx, func() (bool, error) { return drv.EventDone(d.index, e) })
	}
	if closed := drv.DestroyEvent(d.index, e); err == nil {
		err = closed
	}
	return err
}

// DefaultStream returns the stream that nil stands for. It cannot be closed or captured.
func (d *Device) DefaultStream() *Stream { return &d.normal }

// Allocated returns how many allocations and imports of the device are not closed, and
// their bytes, pinned memory included.
func (d *Device) Allocated() (blocks int, bytes uint64) {
	return int(d.blocks.Load()), uint64(d.bytes.Load())
}
