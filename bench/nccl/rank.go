package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// rankName is the first argument of this program as a rank of a job.
const rankName = "rank"

const warm = 5 // calls before those that are timed

// plan says how much is measured.
type plan struct {
	largest       int64 // bytes
	calls, rounds int
}

// rank is a process of a job: bytes of the largest size, calls and rounds, and the kinds of
// communicators that it measures one after the other.
func rank(ctx context.Context, args []string, w io.Writer) error {
	if len(args) < 4 {
		return fmt.Errorf("%w: %s LARGEST CALLS ROUNDS and kinds of communicators", errUsage, rankName)
	}
	var p plan
	var errs [3]error
	p.largest, errs[0] = strconv.ParseInt(args[0], 10, 64)
	p.calls, errs[1] = strconv.Atoi(args[1])
	p.rounds, errs[2] = strconv.Atoi(args[2])
	if err := errors.Join(errs[:]...); err != nil {
		return errors.Join(errUsage, err)
	}
	for i, mode := range args[3:] {
		if err := p.measure(ctx, mode, w, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// measure makes a communicator and measures all rows with it.
func (p plan) measure(ctx context.Context, mode string, w io.Writer, first bool) (err error) {
	c, err := nccl.Init(ctx, nccl.Options{Config: nccl.Config{Blocking: new(mode == modes()[0])}})
	if err != nil {
		return err
	}
	m := &meter{plan: p, ctx: ctx, comm: c, mode: mode, w: w}
	if c.Rank() != 0 {
		m.w = io.Discard
	}
	if first {
		err = m.say(map[string]any{"program": ours, "version": c.Library().Code, "ranks": c.Size()})
	}
	if err = errors.Join(err, m.open()); err == nil {
		err = m.all()
	}
	err = errors.Join(err, m.close())
	if err != nil {
		return errors.Join(err, c.Abort())
	}
	return c.Close()
}

// meter measures on one communicator.
type meter struct {
	plan
	ctx         context.Context
	comm        *nccl.Comm
	mode        string
	w           io.Writer
	stream      *gpu.Stream
	first, last *gpu.Event
	from, to    gpu.Buffer
	numbers     gpu.Slice[float64]
	took        []float64
}

func (m *meter) open() error {
	d, timed := m.comm.Device(), gpu.EventOptions{Timing: true}
	var errs [6]error
	m.stream, errs[0] = d.NewStream()
	m.first, errs[1] = d.NewEvent(timed)
	m.last, errs[2] = d.NewEvent(timed)
	size := int(max(m.largest, int64(4*m.comm.Size())))
	m.from, errs[3] = gpu.Alloc[byte](d, size)
	m.to, errs[4] = gpu.Alloc[byte](d, size)
	m.numbers, errs[5] = gpu.Alloc[float64](d, len(measures()))
	m.took = make([]float64, len(measures()))
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return m.from.FillAsync(0, m.stream)
}

func (m *meter) close() error {
	var errs []error
	if m.stream != nil {
		errs = append(errs, m.stream.Close())
	}
	for _, e := range []*gpu.Event{m.first, m.last} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	return errors.Join(append(errs, m.from.Close(), m.to.Close(), m.numbers.Close())...)
}

func (m *meter) say(what any) error { return json.NewEncoder(m.w).Encode(what) }

// measures are those of small calls; of large ones it is the last.
func measures() []string { return []string{measureCall, measureEnqueue, measureQueue} }

// all is every row.
func (m *meter) all() error {
	for _, o := range collectives() {
		for _, size := range []int64{8, 64, 512, 4 << 10, 32 << 10, smallMost, largeLeast, 64 << 20, 256 << 20, 1 << 30} {
			if size > m.largest || size <= smallMost && !o.small {
				continue
			}
			if err := m.report(o, size); err != nil {
				return fmt.Errorf("%s of %d bytes, %s: %w", o.name, size, m.mode, err)
			}
		}
	}
	return nil
}

// report measures one collective of a size.
func (m *meter) report(o collective, size int64) error {
	n, ranks := int(size/4), m.comm.Size()
	f, err := o.bind(m, max(n/ranks*ranks, ranks))
	if err != nil {
		return err
	}
	for range warm {
		if err := f(); err != nil {
			return err
		}
	}
	rounds := make([][]float64, len(m.took))
	for range m.rounds {
		if err := m.once(f, size <= smallMost); err != nil {
			return err
		}
		for i, t := range m.took {
			rounds[i] = append(rounds[i], t)
		}
	}
	for i, measure := range measures() {
		if size > smallMost && measure != measureQueue {
			continue
		}
		slices.Sort(rounds[i])
		if err := m.say(line{row: row{o.name, size, measure, m.mode}, Micros: rounds[i][m.rounds/2]}); err != nil {
			return err
		}
	}
	return nil
}

// once measures a round, in microseconds of the slowest rank.
func (m *meter) once(f func() error, small bool) error {
	clear(m.took)
	if err := m.slowest(); err != nil {
		return err
	}
	if small {
		if err := m.oneByOne(f); err != nil {
			return err
		}
	}
	if err := errors.Join(m.slowest(), m.first.Record(m.stream)); err != nil {
		return err
	}
	begun := time.Now()
	for range m.calls {
		if err := f(); err != nil {
			return err
		}
	}
	queued := time.Since(begun)
	if err := errors.Join(m.last.Record(m.stream), m.comm.Synchronize(m.ctx, m.stream)); err != nil {
		return err
	}
	took, err := m.last.Since(m.first)
	if err != nil {
		return err
	}
	m.took[1], m.took[2] = m.micros(queued), m.micros(took)
	return m.slowest()
}

// oneByOne waits after every call.
func (m *meter) oneByOne(f func() error) error {
	begun := time.Now()
	for range m.calls {
		if err := f(); err != nil {
			return err
		}
		if err := m.comm.Synchronize(m.ctx, m.stream); err != nil {
			return err
		}
	}
	m.took[0] = m.micros(time.Since(begun))
	return nil
}

func (m *meter) micros(d time.Duration) float64 {
	return float64(d.Nanoseconds()) / 1000 / float64(m.calls)
}

// slowest has all ranks know the longest times, and is a barrier.
func (m *meter) slowest() error {
	err := m.numbers.CopyFrom(m.took, m.stream)
	if err == nil {
		err = nccl.AllReduce(m.comm, m.numbers, m.numbers, nccl.Max, m.stream)
	}
	if err == nil {
		err = m.comm.Synchronize(m.ctx, m.stream)
	}
	if err == nil {
		err = m.numbers.CopyTo(m.took, m.stream)
	}
	return err
}
