package transport

import (
	"context"
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/perf"
)

// Options say how to compare.
type Options struct {
	Rounds int
	Worker []string // what starts one of our processes; see Work
	Quick  bool     // a tenth of the operations
	Only   string   // rows whose name contains it
}

// Compare measures both sides in turns, each sample in two new processes. Blocking.
func Compare(ctx context.Context, o Options) (perf.Record, error) {
	version, err := find(ctx)
	if err != nil {
		return perf.Record{}, err
	}
	r := perf.Begin("ucx", o.Rounds)
	r.Peer = "ucx_perftest: " + version
	list := cases()
	for _, c := range list {
		r.Rows = append(r.Rows, perf.Row{Case: perf.Case{Op: c.Op, Size: c.Size, PEs: 2}, Name: c.name(), Unit: "ns", Peer: "ucx_perftest"})
	}
	for round := range o.Rounds {
		for i, c := range list {
			if !strings.Contains(c.name(), o.Only) {
				continue
			}
			s, err := o.sample(ctx, c, round%2 == 0)
			if err != nil {
				return perf.Record{}, fmt.Errorf("%s: %w", c.name(), err)
			}
			r.Rows[i].Samples = append(r.Rows[i].Samples, s)
		}
	}
	r.Rows = measured(r.Rows)
	r.End()
	for i, row := range r.Rows {
		r.Rows[i].Wanted = limit(list, row)
	}
	r.End() // once more, with the limits
	return r, nil
}

// measured leaves out the rows that were not asked for.
func measured(rows []perf.Row) []perf.Row {
	var list []perf.Row
	for _, row := range rows {
		if len(row.Samples) > 0 {
			list = append(list, row)
		}
	}
	return list
}

// limit is the ratio that is wanted of a row.
func limit(list []Case, row perf.Row) float64 {
	for _, c := range list {
		if c.name() == row.Name {
			return c.wanted(row.Theirs.Median)
		}
	}
	return 0
}

// sample is one turn of both, in either order.
func (o Options) sample(ctx context.Context, c Case, oursFirst bool) (s perf.Sample, err error) {
	if o.Quick {
		c.N = max(c.N/10, 10)
	}
	s.N = c.N
	sides := []func() error{
		func() (err error) { s.Ours, err = ours(ctx, o.Worker, c); return err },
		func() (err error) { s.Theirs, err = theirs(ctx, c); return err },
	}
	if !oursFirst {
		sides[0], sides[1] = sides[1], sides[0]
	}
	for _, run := range sides {
		if err := run(); err != nil {
			return s, err
		}
	}
	return s, nil
}
