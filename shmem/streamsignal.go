package shmem

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/engine"
)

// SetOnStream stores v in pe's signal, atomically, when earlier work of the stream is
// done. Order it after data with QuietOnStream. It returns at once. Not collective. rocSHMEM:
// rocshmem_signal_set_on_stream; NVSHMEM: nvshmemx_signal_op_on_stream.
func (s Signal) SetOnStream(stream *gpu.Stream, v uint64, pe int) error {
	return s.applyOn(stream, SignalSet, v, pe)
}

// AddOnStream adds v to pe's signal, as SetOnStream sets it. Not collective. rocSHMEM:
// rocshmem_signal_add_on_stream; NVSHMEM: nvshmemx_signal_op_on_stream.
func (s Signal) AddOnStream(stream *gpu.Stream, v uint64, pe int) error {
	return s.applyOn(stream, SignalAdd, v, pe)
}

func (s Signal) applyOn(stream *gpu.Stream, op SignalOp, v uint64, pe int) error {
	amo, err := op.amo(v)
	if err == nil {
		err = s.a.reach(0, pe)
	}
	if err != nil {
		return fail(s.a.World(), opSignal, pe, err)
	}
	w, to := s.a.b.w, s.a.b.lane.world(pe)
	q, h, err := w.on(stream)
	if err == nil {
		err = q.SignalOn(h, to, s.a.off, amo)
	}
	if err != nil {
		return fail(w, opSignal, pe, err)
	}
	w.recordOn(engine.Record{Deed: engine.DeedSignal, Peer: to, At: s.a.off, Bytes: 8})
	return nil
}

// WaitUntilOnStream has later work of the stream wait until this PE's own signal compares
// with v as cmp says, both taken as signed numbers. It returns at once: a wait that takes
// too long, or that can no longer end well, is an error of the stream's Synchronize. Not
// collective. rocSHMEM: rocshmem_signal_wait_until_on_stream; NVSHMEM:
// nvshmemx_signal_wait_until_on_stream.
func (s Signal) WaitUntilOnStream(stream *gpu.Stream, cmp Cmp, v uint64) error {
	err := s.a.usable()
	if err == nil {
		err = cmp.check()
	}
	if err != nil {
		return fail(s.a.World(), opWait, noPeer, err)
	}
	w := s.a.b.w
	q, h, err := w.on(stream)
	if err == nil {
		err = q.WaitOn(h, s.a.off, engine.Compare(cmp), v)
	}
	return fail(w, opWait, noPeer, err)
}

// with returns what a put of w does to its signal, or why it cannot.
func (s Signal) with(w *World, op SignalOp, value uint64) (engine.AMO, error) {
	amo, err := op.amo(value)
	if err == nil {
		err = s.a.usable()
	}
	if err == nil && s.a.b.w != w {
		err = problem(ErrForeign, "the signal belongs to another world")
	}
	return amo, err
}
