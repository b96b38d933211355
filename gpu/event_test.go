package gpu_test

import (
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

func events(t *testing.T, d *gpu.Device) {
	e := get(d.NewEvent())(t)
	if done := get(e.Query())(t); !done {
		t.Error("an event that was never recorded has not happened")
	}
	s, flag := stream(t, d), gate(t, d)
	must(t, s.WaitValue(flag, 0, gpu.CompareGE, 1))
	must(t, e.Record(s))
	if done := get(e.Query())(t); done {
		t.Error("the event happened before its stream came there")
	}
	must(t, flag.Set(0, 1))
	must(t, e.Synchronize(t.Context()))
	if done := get(e.Query())(t); !done {
		t.Error("the event that was waited for has not happened")
	}
	if e.Device() != d || e.Handle() == 0 {
		t.Errorf("event %#x of %v", e.Handle(), e.Device())
	}
	must(t, e.Close())
	must(t, e.Close())
	wants(t, e.Record(s), gpu.ErrClosed, "the event is closed")
	wants(t, e.Synchronize(t.Context()), gpu.ErrClosed, "the event is closed")
	wants(t, s.Wait(e), gpu.ErrClosed, "the event is closed")
}

func eventErrors(t *testing.T, d *gpu.Device) {
	s := stream(t, d)
	wants(t, s.Wait(nil), gpu.ErrArgument, "no event")
	_, err := d.NewEvent(gpu.EventOptions{}, gpu.EventOptions{})
	wants(t, err, gpu.ErrArgument, "at most one")
	plain, timed := get(s.Record())(t), get(s.Record(gpu.EventOptions{Timing: true}))(t)
	closing(t, plain)
	closing(t, timed)
	must(t, timed.Synchronize(t.Context()))
	_, err = timed.Since(plain)
	wants(t, err, gpu.ErrArgument, "an event without timing")
	_, err = timed.Since(nil)
	wants(t, err, gpu.ErrArgument, "no event")
	if o := other(t, d); o != d {
		wants(t, plain.Record(stream(t, o)), gpu.ErrArgument, "needs a stream of "+d.String())
		must(t, stream(t, o).Wait(plain)) // devices wait for each other
		foreign := get(stream(t, o).Record(gpu.EventOptions{Timing: true}))(t)
		closing(t, foreign)
		_, err = foreign.Since(timed)
		wants(t, err, gpu.ErrArgument, "their clocks differ")
	}
}

func elapsed(t *testing.T, d *gpu.Device) {
	s, x := stream(t, d), alloc[int32](t, d, 1<<20)
	from := get(s.Record(gpu.EventOptions{Timing: true}))(t)
	closing(t, from)
	for range 20 {
		must(t, x.FillAsync(1, s))
	}
	to := get(s.Record(gpu.EventOptions{Timing: true}))(t)
	closing(t, to)
	must(t, to.Synchronize(t.Context()))
	if passed := get(to.Since(from))(t); passed <= 0 {
		t.Errorf("20 fills took %v", passed)
	}
}
