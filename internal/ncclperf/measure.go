package ncclperf

import (
	"context"
	"errors"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// row measures a job in both forms.
func (r *rank) row(ctx context.Context, j job) (Row, error) {
	row := Row{Size: j.bytes(j.count, j.e.size, r.comm.Size()), Count: j.count, Type: j.e.name, Op: "none", Root: -1}
	if j.reduces {
		row.Op = j.op
	}
	if j.rooted {
		row.Root = j.root
	}
	var err error
	if row.OutOfPlace, err = r.form(ctx, j); err != nil || !j.test.inPlace {
		return row, err
	}
	j.inPlace = true
	in, err := r.form(ctx, j)
	row.InPlace = &in
	return row, err
}

// form measures one of the two forms: the time of all ranks together, and what is wrong
// on any of them.
func (r *rank) form(ctx context.Context, j job) (Side, error) {
	l := j.place(r.comm.Rank(), r.comm.Size(), half(r.o))
	took, err := r.time(ctx, j, l)
	if err != nil {
		return Side{}, err
	}
	if took, err = r.average(ctx, took); err != nil {
		return Side{}, err
	}
	s := Side{Micros: took * 1e6}
	if took > 0 {
		s.AlgBW = float64(j.bytes(j.count, j.e.size, r.comm.Size())) / took / 1e9
		s.BusBW = s.AlgBW * j.factor(float64(r.comm.Size()))
	}
	for range r.o.Check {
		wrong, err := r.check(ctx, r.o.Test, j, l)
		if err != nil {
			return s, err
		}
		all, err := r.agree(ctx, float64(wrong), nccl.Sum)
		if err != nil {
			return s, err
		}
		total := int64(all)
		if s.Wrong = &total; total > 0 {
			break
		}
	}
	return s, nil
}

// time is the seconds of one call on this rank.
func (r *rank) time(ctx context.Context, j job, l layout) (float64, error) {
	for range max(1, r.o.Warmup) {
		if err := r.call(r.o.Test, j, l); err != nil {
			return 0, err
		}
	}
	if err := r.wait(ctx); err != nil {
		return 0, err
	}
	var g *gpu.Graph
	if r.o.Graph > 0 {
		var err error
		if g, err = r.captured(ctx, j, l); err != nil {
			return 0, err
		}
		defer g.Close() //nolint:errcheck // it is used no more
	}
	if err := r.barrier(ctx); err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := r.issue(ctx, g, j, l); err != nil {
		return 0, err
	}
	issued := time.Since(begun)
	if err := r.wait(ctx); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	if r.o.CPUTime {
		took = issued
	}
	return took.Seconds() / float64(r.o.Iters*r.o.Aggregate*max(1, r.o.Graph)), nil
}

// captured is all iterations as a graph.
func (r *rank) captured(ctx context.Context, j job, l layout) (*gpu.Graph, error) {
	if err := r.stream.BeginCapture(); err != nil {
		return nil, err
	}
	called := r.calls(ctx, j, l)
	g, err := r.stream.EndCapture()
	return g, errors.Join(called, err)
}

// issue enqueues everything that is timed.
func (r *rank) issue(ctx context.Context, g *gpu.Graph, j job, l layout) error {
	if g == nil {
		return r.calls(ctx, j, l)
	}
	for range r.o.Graph {
		if err := g.Launch(r.stream); err != nil {
			return err
		}
	}
	return nil
}

// calls are all iterations.
func (r *rank) calls(ctx context.Context, j job, l layout) error {
	for range r.o.Iters {
		if err := r.iteration(j, l); err != nil {
			return err
		}
		if r.o.Blocking {
			if err := r.wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rank) iteration(j job, l layout) error {
	if r.o.Aggregate == 1 {
		return r.call(r.o.Test, j, l)
	}
	return nccl.Group(func() error {
		for range r.o.Aggregate {
			if err := r.call(r.o.Test, j, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// average is the time of all ranks, as -a says.
func (r *rank) average(ctx context.Context, took float64) (float64, error) {
	switch r.o.Average {
	case 0:
		if r.comm.Rank() != 0 {
			took = 0
		}
		return r.agree(ctx, took, nccl.Sum)
	case 2:
		return r.agree(ctx, took, nccl.Min)
	case 3:
		return r.agree(ctx, took, nccl.Max)
	}
	sum, err := r.agree(ctx, took, nccl.Sum)
	return sum / float64(r.comm.Size()), err
}
