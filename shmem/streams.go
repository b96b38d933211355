package shmem

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/engine"
)

// streaming is what a world has for operations on streams, once the first was asked for.
type streaming struct {
	ready   atomic.Pointer[streams]
	opening sync.Mutex
	unquiet unquiet
}

// streams is where operations on streams of a world go.
type streams struct {
	engine.Streams
	device *gpu.Device
	normal *gpu.Stream  // what nil stands for
	ours   bool         // normal was made for this PE
	host   *hostStreams // the same as Streams where this process does the work, else nil
}

// DefaultStream returns what a nil *gpu.Stream stands for in operations of this world: the
// default stream of [World.Device]. Goroutine PEs share a device, and what one queues in
// its default stream would wait for what another one has queued there: so each has a
// stream of its own instead. nil if the device cannot be opened, or if the world has
// ended. Local.
func (w *World) DefaultStream() *gpu.Stream {
	if w == nil {
		return nil
	}
	q, err := w.streams()
	if err != nil {
		return nil
	}
	return q.normal
}

// streams returns where operations on streams go.
func (w *World) streams() (*streams, error) {
	if q := w.streaming.ready.Load(); q != nil {
		return q, nil
	}
	w.streaming.opening.Lock()
	defer w.streaming.opening.Unlock()
	if q := w.streaming.ready.Load(); q != nil {
		return q, nil
	}
	if w.state.Load() != live {
		return nil, w.gone()
	}
	q, err := w.openStreams()
	if err == nil {
		w.streaming.ready.Store(q)
	}
	return q, err
}

func (w *World) openStreams() (*streams, error) {
	d := w.Device()
	if d == nil {
		return nil, problem(ErrArgument, "the device of this PE cannot be opened: gpu.Platforms says why")
	}
	q := &streams{device: d, normal: d.DefaultStream()}
	var err error
	if w.device != nil {
		q.Streams = w.device
	} else if q.host, err = w.openHostStreams(d); err != nil {
		return nil, err
	} else {
		q.Streams = q.host
	}
	if w.info.Launcher == "local" {
		q.ours = true
		q.normal, err = d.NewStream()
	}
	return q, err
}

// openHostStreams is for arrays in memory of the host: the driver of the host's devices
// has streams that call functions.
func (w *World) openHostStreams(d *gpu.Device) (*hostStreams, error) {
	drv, err := devices.Open(d.Platform())
	if err != nil {
		return nil, err
	}
	doer, ok := drv.(device.Doer)
	if !ok {
		return nil, problem(ErrArgument, "streams of %v do not work on memory of the host", d)
	}
	return &hostStreams{w: w, lane: w.heap.NewLane(), doer: doer, dev: d.Index(), whole: w.newBlock(0, w.heap.Size())}, nil
}

// on returns the handle of the stream that s stands for.
func (q *streams) on(s *gpu.Stream) (device.Handle, error) { return q.stream(s).On(q.device) }

func (q *streams) stream(s *gpu.Stream) *gpu.Stream {
	if s == nil {
		return q.normal
	}
	return s
}

// named is the stream that s stands for, once there are streams.
func (w *World) named(s *gpu.Stream) *gpu.Stream { return w.streaming.ready.Load().stream(s) }

// on returns where an operation on a stream goes, or the error that every such operation
// gets now: the stream is no good, or the world has ended.
func (w *World) on(s *gpu.Stream) (*streams, device.Handle, error) {
	if w.state.Load() != live {
		return nil, 0, w.gone()
	}
	if err := w.heap.Broken(); err != nil {
		return nil, 0, err
	}
	q, err := w.streams()
	if err != nil {
		return nil, 0, err
	}
	h, err := q.on(s)
	return q, h, err
}

// finishStreams returns when what this PE has queued is done, where this process does it;
// destroyed teams see to theirs. Elsewhere the device ends it, or waits for it.
func (w *World) finishStreams(ctx context.Context) error {
	q := w.streaming.ready.Load()
	if q == nil || q.host == nil {
		return nil
	}
	for _, t := range []*Team{w.world, w.shared} {
		if err := t.finishMeetings(ctx); err != nil {
			return err
		}
	}
	return q.host.finish(ctx, &q.host.open)
}

// quietStreams completes what streams have put, as far as they have come.
func (w *World) quietStreams(ctx context.Context) error {
	q := w.streaming.ready.Load()
	if q == nil || q.host == nil {
		return nil
	}
	return q.host.lane.Quiet(ctx)
}

// endStreams gives up the stream that was made for this PE. What is queued in it ends
// with the world.
func (w *World) endStreams() {
	if q := w.streaming.ready.Load(); q != nil && q.ours {
		_ = q.normal.Close() // a fault of it is known to who asked
	}
}

// QuietOnStream has later work of the stream wait until what this PE has put on it is
// there. It returns at once. Not collective. rocSHMEM: rocshmem_quiet_on_stream; NVSHMEM:
// nvshmemx_quiet_on_stream.
func (w *World) QuietOnStream(s *gpu.Stream) error {
	const op = "quiet on stream"
	if w == nil {
		return noWorld(op)
	}
	q, h, err := w.on(s)
	if err == nil {
		err = q.QuietOn(h)
	}
	if err == nil {
		w.quieted(h)
	}
	return fail(w, op, noPeer, err)
}
