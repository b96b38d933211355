package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/perf/loops"
	"github.com/goshmem/goshmem/launch/launcher"
)

// Options say how to measure. Worker is needed, the rest is right when zero.
type Options struct {
	// Rounds is how many samples each row gets. 0: 7.
	Rounds int
	// Batch is how long each side of a sample lasts at least. 0: 2 ms.
	Batch time.Duration
	// Worker is program and arguments of a process that calls Work with the
	// arguments that follow: the measuring program itself, as a rule.
	Worker []string

	largest int      // bytes of the largest vectors; 0: largestVector
	loops   []string // of Modes; nil: all
}

const (
	defaultRounds = 7
	defaultBatch  = 2 * time.Millisecond
)

// measurement is a run of Shmem or Reduce.
type measurement struct {
	Options
	cores []int
}

// Shmem measures package shmem between processes: one-sided operations against an
// atomic add, barriers against a ping-pong in C, starting a job against starting
// programs that only say hello, and the memory of a PE.
func Shmem(ctx context.Context, o Options) (Record, error) {
	return record(ctx, "shmem", o, notes(), (*measurement).rows)
}

// record measures rows and says what they were measured on.
func record(ctx context.Context, name string, o Options, notes []string, rows func(m *measurement, ctx context.Context, dir string) ([]Row, error)) (Record, error) {
	if err := o.settle(); err != nil {
		return Record{}, err
	}
	r := Record{Schema: Schema, Name: name, When: time.Now().UTC().Truncate(time.Second), Rounds: o.Rounds, Batch: o.Batch.String(), Notes: notes}
	m := measurement{Options: o}
	err := launcher.InScratch(func(dir string) (err error) {
		if m.cores, err = twoCores(); err != nil {
			return err
		}
		r.Machine = describe()
		r.Rows, err = rows(&m, ctx, dir)
		r.Machine.LoadAfter = load()
		return err
	})
	return r, err
}

func (o *Options) settle() error {
	if o.Rounds < 0 || o.Batch < 0 || len(o.Worker) == 0 {
		return fmt.Errorf("measure with %d rounds, batches of %v and worker %q: numbers must not be negative, and a worker is needed", o.Rounds, o.Batch, o.Worker)
	}
	if o.Rounds == 0 {
		o.Rounds = defaultRounds
	}
	if o.Batch == 0 {
		o.Batch = defaultBatch
	}
	if o.largest == 0 {
		o.largest = largestVector
	}
	if o.loops == nil {
		o.loops = loops.Ops()
	}
	return launcher.Supported()
}

// notes are what a reader of the figures must know.
func notes() []string {
	return []string{
		"one-sided operations go to the memory of a second process that sleeps meanwhile: they show what a call costs, not the way to another core",
		"each of two PEs is bound to a core, as the two processes in C are; four and eight PEs, and those that are launched, are not bound",
		"ratio is the median of the ratios of the samples; both sides of a sample ran next to each other, and in another order every round",
		"near, far, busy: how long a cache line took between two cores just before and after (under 170 ns, under 450 ns, more); compare rows of one state only",
	}
}

// rows measures everything.
func (m *measurement) rows(ctx context.Context, dir string) ([]Row, error) {
	t := task{Rounds: m.Rounds, Batch: m.Batch, Cores: m.cores}
	var err error
	if t.PingPong, t.Missing, err = buildPingPong(ctx, dir, m.cores); err != nil {
		return nil, err
	}
	p, err := buildPrograms(ctx, dir, m.Worker)
	if err != nil {
		return nil, err
	}
	var all []Row
	for _, part := range []func() ([]Row, error){
		func() ([]Row, error) { return m.work(ctx, 2, workPair, t) },
		func() ([]Row, error) { return m.work(ctx, 4, workMany, t) },
		func() ([]Row, error) { return m.work(ctx, 8, workMany, t) },
		func() ([]Row, error) { return m.launches(ctx, p) },
		func() ([]Row, error) { return m.resident(ctx, p) },
	} {
		rows, err := part()
		if err != nil {
			return all, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// work runs a job of n workers and returns what PE 0 measured.
func (m *measurement) work(ctx context.Context, n int, kind string, t task) ([]Row, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	spec := launcher.Spec{N: n, Argv: slices.Concat(m.Worker, []string{kind, string(text)})}
	if kind == workPair || kind == workShare {
		spec.Bind = launcher.BindCores // as the ping-pong in C
	}
	outputs, err := m.job(ctx, spec)
	if err != nil {
		return nil, err
	}
	var rows []Row
	if err := json.Unmarshal([]byte(outputs[0]), &rows); err != nil {
		return nil, fmt.Errorf("figures of %d workers: %w", n, err)
	}
	return rows, nil
}

// job runs processes to their end and returns what each wrote.
func (m *measurement) job(ctx context.Context, s launcher.Spec) ([]string, error) {
	buffers := make([]bytes.Buffer, s.N)
	s.Output = func(rank int) (stdout, stderr io.Writer) { return &buffers[rank], nil }
	res, err := launcher.Run(ctx, s)
	if err != nil {
		_, words, _ := strings.Cut(res.Report(), "\n") // its first line is err
		return nil, fmt.Errorf("%w\n%s", err, words)
	}
	outputs := make([]string, s.N)
	for rank := range buffers {
		outputs[rank] = buffers[rank].String()
	}
	return outputs, nil
}
