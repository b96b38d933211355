package gpu

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/device"
)

// Stream is a queue of work of a device, done in its order. A nil *Stream is the default
// stream of the device that a call is about; calls on a nil *Stream itself are refused,
// since nothing says which device is meant: use [Device.DefaultStream].
type Stream struct {
	d         *Device
	h         device.Handle // 0: the default stream
	foreign   bool
	capturing atomic.Bool
	life
}

// StreamOptions say what stream to make. The zero value is right for most.
type StreamOptions struct {
	// Priority: a stream with a lower number is served first; 0 is normal. It is clamped
	// to what the device has.
	Priority int
}

// NewStream makes a stream that does not wait for the default one. At most one options
// value may be given. CUDA: cuStreamCreateWithPriority; HIP:
// hipStreamCreateWithPriority.
func (d *Device) NewStream(options ...StreamOptions) (*Stream, error) {
	const op = "new stream"
	if d == nil {
		return nil, noDevice(op)
	}
	o, err := atMostOne(options)
	if err != nil {
		return nil, fail(d, op, err)
	}
	h, err := d.driver().NewStream(d.index, o.Priority)
	if err != nil {
		return nil, fail(d, op, err)
	}
	s := &Stream{d: d, h: h}
	d.live.Store(s, nil)
	return s, nil
}

// atMostOne is the options that were given, or their zero value.
func atMostOne[T any](given []T) (T, error) {
	var o T
	switch len(given) {
	case 0:
		return o, nil
	case 1:
		return given[0], nil
	}
	return o, problem(ErrArgument, "%d options values: at most one is read", len(given))
}

// Priorities returns the numbers between which a stream's priority makes a difference.
// CUDA: cuCtxGetStreamPriorityRange; HIP: hipDeviceGetStreamPriorityRange.
func (d *Device) Priorities() (least, greatest int, err error) {
	const op = "priorities"
	if d == nil {
		return 0, 0, noDevice(op)
	}
	least, greatest, err = d.driver().Priorities(d.index)
	return least, greatest, fail(d, op, err)
}

// StreamFromHandle returns a stream that another library made, by the number that it
// knows it by (cudaStream_t, hipStream_t); 0 is the default stream. Close does not
// destroy it. Platform host knows its own handles only.
func (d *Device) StreamFromHandle(h uintptr) *Stream {
	if h == 0 {
		return &d.normal
	}
	return &Stream{d: d, h: device.Handle(h), foreign: true}
}

// Handle is what vendors' libraries know the stream by (CUstream, hipStream_t); 0 for
// the default stream, and for nil.
func (s *Stream) Handle() uintptr {
	if s == nil {
		return 0
	}
	return uintptr(s.h)
}

// Device returns the device of the stream, nil for a nil *Stream.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.d
}

// alive says why the stream cannot be used.
func (s *Stream) alive() error {
	switch {
	case s == nil:
		return problem(ErrArgument, "a nil stream of no device: use Device.DefaultStream")
	case s.ended():
		return problem(ErrClosed, "the stream is closed")
	}
	return nil
}

// On returns the handle of the stream that s stands for in work of d, for packages of this
// module that queue such work. Errors: ErrClosed; ErrArgument for a stream of another device.
func (s *Stream) On(d *Device) (device.Handle, error) {
	if s == nil {
		return 0, nil
	}
	if err := s.alive(); err != nil {
		return 0, err
	}
	if s.d != d {
		return 0, problem(ErrArgument, "the stream is one of %v: work of %v needs a stream of %v", s.d, d, d)
	}
	return s.h, nil
}

// do runs a call on a stream that must be alive.
func (s *Stream) do(op string, call func(drv device.Driver, dev int) error) error {
	err := s.alive()
	if err == nil {
		err = call(s.d.driver(), s.d.index)
	}
	return fail(s.Device(), op, err)
}

// Query says whether all work that was queued is done. It does not wait. It returns a
// fault of that work.
// CUDA: cuStreamQuery; HIP: hipStreamQuery.
func (s *Stream) Query() (done bool, err error) {
	err = s.do("query", func(drv device.Driver, dev int) (err error) {
		done, err = drv.StreamDone(dev, s.h)
		return err
	})
	return done, err
}

// Synchronize waits until all work that was queued is done, and returns a fault of it.
// It ends with ErrTimeout when ctx does, or, if ctx has no deadline, after GOSHMEM_TIMEOUT
// (5 minutes); the work goes on. A nil ctx is context.Background(). CUDA: cuStreamSynchronize; HIP: hipStreamSynchronize.
func (s *Stream) Synchronize(ctx context.Context) error {
	return s.do("synchronize", func(drv device.Driver, dev int) error {
		if done, err := drv.StreamDone(dev, s.h); done || err != nil {
			return err
		}
		return s.finish(ctx, drv, dev)
	})
}

// finisher is a driver that can wait for a stream without looking at it again and again,
// and is told by the stream's own goroutine.
type finisher interface {
	Finish(ctx context.Context, dev int, stream device.Handle) error
}

// finish waits for work that is not done.
func (s *Stream) finish(ctx context.Context, drv device.Driver, dev int) error {
	f, ok := drv.(finisher)
	if !ok {
		return await(ctx, func() (bool, error) { return drv.StreamDone(dev, s.h) })
	}
	ctx, cancel, err := bounded(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err = f.Finish(ctx, dev, s.h); err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return late(ctx)
	}
	return err
}

// Wait has later work of the stream wait for an event, which may be one of another
// device. An event that was never recorded holds nothing up. It returns at once. CUDA: cuStreamWaitEvent;
// HIP: hipStreamWaitEvent.
func (s *Stream) Wait(e *Event) error {
	return s.do("wait", func(drv device.Driver, dev int) error {
		if err := e.alive(); err != nil {
			return err
		}
		if e.d.p != s.d.p {
			return problem(ErrArgument, "the event is one of %v, the stream of %v: synchronize with the event instead", e.d, s.d)
		}
		return drv.StreamWait(dev, s.h, e.h)
	})
}

// Close ends the use of the stream; what is queued will still be done. More than once
// does no harm. CUDA: cuStreamDestroy; HIP: hipStreamDestroy.
func (s *Stream) Close() error {
	if s == nil || s.ended() {
		return nil
	}
	if s.h == 0 {
		return fail(s.d, "close stream", problem(ErrArgument, "the default stream cannot be closed"))
	}
	if !s.end() || s.foreign {
		return nil
	}
	s.d.live.Delete(s)
	return fail(s.d, "close stream", s.d.driver().DestroyStream(s.d.index, s.h))
}
