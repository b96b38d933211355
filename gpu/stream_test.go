package gpu_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// streamOrder queues copies that depend on each other.
func streamOrder(t *testing.T, d *gpu.Device) {
	for _, s := range []*gpu.Stream{nil, d.DefaultStream(), stream(t, d)} {
		x, y := alloc[int64](t, d, some), alloc[int64](t, d, some)
		for i := range 50 {
			must(t, x.FillAsync(int64(i), s))
			must(t, y.CopyAsync(x, s))
			must(t, x.CopyAsync(y, s))
		}
		must(t, get(y.Slice(0, 1))(t).FillAsync(-1, s))
		want := make([]int64, some)
		for i := range want {
			want[i] = 49
		}
		holds(t, x, want, s)
		want[0] = -1
		holds(t, y, want, s)
	}
}

// streams: one that stands still holds no other up, and an event orders two.
func streams(t *testing.T, d *gpu.Device) {
	a := stream(t, d)
	b := get(d.NewStream(gpu.StreamOptions{Priority: -100}))(t)
	flag, x := gate(t, d), alloc[int32](t, d, some)
	must(t, x.Fill(0))
	must(t, a.WaitValue(flag, 0, gpu.CompareGE, 1))
	must(t, x.FillAsync(1, a))
	e := get(a.Record())(t)
	closing(t, e)
	must(t, b.Wait(e))
	must(t, x.FillAsync(2, b))
	if done := get(b.Query())(t); done {
		t.Error("the second stream went ahead of the event")
	}
	holds(t, x, make([]int32, some), stream(t, d))
	must(t, stream(t, d).WriteValue(flag, 0, 1))
	synchronize(t, b)
	if got := get(x.At(some - 1))(t); got != 2 {
		t.Errorf("the last of two fills left %d", got)
	}
	if done := get(e.Query())(t); !done {
		t.Error("the event has not happened")
	}
	must(t, b.Close())
	must(t, b.Close())
}

// gate is a word that streams wait for; it is open at the end, so that none stays.
func gate(t *testing.T, d *gpu.Device) gpu.Slice[uint64] {
	flag := pinned[uint64](t, d, 2)
	must(t, flag.Set(0, 0))
	must(t, flag.Set(1, 0))
	return flag
}

func closedStream(t *testing.T, d *gpu.Device) {
	s := get(d.NewStream())(t)
	x := alloc[int32](t, d, 8)
	must(t, s.Close())
	must(t, s.Close())
	wants(t, x.FillAsync(1, s), gpu.ErrClosed, "the stream is closed")
	wants(t, s.Synchronize(t.Context()), gpu.ErrClosed, "the stream is closed")
	_, err := s.Query()
	wants(t, err, gpu.ErrClosed, "the stream is closed")
	wants(t, s.BeginCapture(), gpu.ErrClosed, "the stream is closed")
	wants(t, d.DefaultStream().Close(), gpu.ErrArgument, "cannot be closed")
	_, err = d.NewStream(gpu.StreamOptions{}, gpu.StreamOptions{})
	wants(t, err, gpu.ErrArgument, "at most one")
	var none *gpu.Stream
	wants(t, none.Synchronize(t.Context()), gpu.ErrArgument, "use Device.DefaultStream")
	must(t, none.Close())
	if none.Handle() != 0 || none.Device() != nil || s.Device() != d {
		t.Error("the nil stream is one of a device")
	}
}

func foreignStream(t *testing.T, d *gpu.Device) {
	s := stream(t, d)
	f := d.StreamFromHandle(s.Handle())
	x := alloc[int32](t, d, some)
	must(t, x.CopyFrom(values[int32](some), f))
	holds(t, x, values[int32](some), f)
	must(t, f.Close())
	wants(t, f.Synchronize(t.Context()), gpu.ErrClosed, "closed")
	synchronize(t, s)
	if d.StreamFromHandle(0) != d.DefaultStream() {
		t.Error("handle 0 is not the default stream")
	}
}

// writeAndWait: streams hand a word to each other, in pinned and in device memory.
func writeAndWait(t *testing.T, d *gpu.Device) {
	a, b := stream(t, d), stream(t, d)
	for _, flag := range []gpu.Slice[uint64]{pinned[uint64](t, d, 2), alloc[uint64](t, d, 2)} {
		must(t, flag.Fill(0))
		for i := uint64(1); i <= 20; i++ {
			must(t, a.WaitValue(flag, 1, gpu.CompareGE, i))
			must(t, a.WriteValue(flag, 0, i))
			must(t, b.WriteValue(flag, 1, i))
			must(t, b.WaitValue(flag, 0, gpu.CompareEQ, i))
		}
		must(t, a.WaitValue(flag, 0, gpu.CompareAnd, 4))
		synchronize(t, a)
		synchronize(t, b)
		holds(t, flag, []uint64{20, 20}, nil)
		wants(t, a.WriteValue(flag, 2, 1), gpu.ErrArgument, "element 2 of 2")
	}
}

// timeOut: a wait ends with its context, the work goes on.
func timeOut(t *testing.T, d *gpu.Device) {
	s, flag, x := stream(t, d), gate(t, d), alloc[int32](t, d, 1)
	must(t, s.WaitValue(flag, 0, gpu.CompareGE, 1))
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	err := s.Synchronize(ctx)
	wants(t, err, gpu.ErrTimeout, "synchronize")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not a context's", err)
	}
	canceled, giveUp := context.WithCancelCause(t.Context())
	giveUp(errors.New("no longer of interest"))
	wants(t, s.Synchronize(canceled), nil, "no longer of interest")
	t.Setenv("GOSHMEM_TIMEOUT", "1ms")
	wants(t, s.Synchronize(context.Background()), gpu.ErrTimeout, "within 1ms (GOSHMEM_TIMEOUT")
	wants(t, x.CopyTo(make([]int32, 1), s), gpu.ErrTimeout, "copy to")
	t.Setenv("GOSHMEM_TIMEOUT", "soon")
	wants(t, s.Synchronize(context.Background()), gpu.ErrArgument, "not a positive duration")
	must(t, flag.Set(0, 1))
	synchronize(t, s)
}

func graph(t *testing.T, d *gpu.Device) {
	s := stream(t, d)
	x, y := alloc[int32](t, d, some), alloc[int32](t, d, some)
	must(t, x.Fill(1))
	must(t, y.Fill(0))
	must(t, s.BeginCapture())
	must(t, y.CopyAsync(x, s))
	must(t, x.FillAsync(3, s))
	g := get(s.EndCapture())(t)
	holds(t, y, make([]int32, some), nil)
	for _, want := range []int32{1, 3} {
		must(t, g.Launch(s))
		synchronize(t, s)
		if got := get(y.At(some - 1))(t); got != want {
			t.Errorf("the graph copied %d, want %d", got, want)
		}
	}
	must(t, g.Close())
	must(t, g.Close())
	wants(t, g.Launch(s), gpu.ErrClosed, "the graph is closed")
	wants(t, d.DefaultStream().BeginCapture(), gpu.ErrArgument, "use a stream of NewStream")
}

// synchronizeAll: a device waits for all its streams but those that record.
func synchronizeAll(t *testing.T, d *gpu.Device) {
	a, b := stream(t, d), stream(t, d)
	x := alloc[int32](t, d, 1<<20)
	must(t, b.BeginCapture())
	for range 8 {
		must(t, x.FillAsync(5, a))
	}
	must(t, d.Synchronize(t.Context()))
	if done := get(a.Query())(t); !done {
		t.Error("the device was synchronized, its stream was not")
	}
	must(t, get(b.EndCapture())(t).Close())
	for range 8 {
		must(t, x.FillAsync(6, b))
	}
	must(t, d.Synchronize(t.Context()))
	if done := get(b.Query())(t); !done {
		t.Error("the device did not wait for a stream that had recorded before")
	}
	stuck(t, d, a)
}

// stuck: a device that has work without an end in a stream is waited for as long as the
// context allows.
func stuck(t *testing.T, d *gpu.Device, s *gpu.Stream) {
	flag := gate(t, d)
	must(t, s.WaitValue(flag, 0, gpu.CompareGE, 1))
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	wants(t, d.Synchronize(ctx), gpu.ErrTimeout, "gpu: synchronize on "+d.String())
	must(t, flag.Set(0, 1))
	must(t, d.Synchronize(t.Context()))
	if done := get(s.Query())(t); !done {
		t.Error("the device was synchronized, a stream was not")
	}
}

// TestDefaultStreamIsWaitedFor on platform host: not every GPU's default stream can wait
// for a value.
func TestDefaultStreamIsWaitedFor(t *testing.T) {
	d := open(t, "host")
	stuck(t, d, d.DefaultStream())
}
