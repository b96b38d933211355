package ncclperf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// Run measures, as one rank of the job that a launcher has started, or with Options.GPUs
// ranks in this process. Rank 0 writes the report as it goes; other ranks write nothing.
// step, which may be nil, is told of rows that are done, and how many there are.
func Run(ctx context.Context, o Options, w io.Writer, step func(done, all int)) (Report, error) {
	if err := o.Valid(); err != nil {
		return Report{}, err
	}
	comms, err := o.communicators(ctx)
	if err != nil {
		return Report{}, err
	}
	reports, errs := make([]Report, len(comms)), make([]error, len(comms))
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() { reports[i], errs[i] = o.rank(ctx, c, w, step) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return Report{}, err
	}
	return reports[0], nil
}

// communicators are those of this process.
func (o Options) communicators(ctx context.Context) ([]*nccl.Comm, error) {
	options := nccl.Options{Timeout: o.Timeout, Config: nccl.Config{Blocking: &o.Blocks}}
	if o.GPUs == 1 {
		c, err := nccl.Init(ctx, options)
		return []*nccl.Comm{c}, err
	}
	d, err := gpu.Best()
	if err != nil {
		return nil, err
	}
	list, err := gpu.Devices(d.Platform())
	if err != nil {
		return nil, err
	}
	for d.Platform() == "host" && len(list) < o.GPUs { // which can be shared
		list = append(list, list[0])
	}
	if len(list) < o.GPUs {
		return nil, fmt.Errorf("-g %d: there are %d devices", o.GPUs, len(list))
	}
	return nccl.InitAll(ctx, list[:o.GPUs], options)
}

// rank measures all rows on one rank, and closes its communicator.
func (o Options) rank(ctx context.Context, c *nccl.Comm, w io.Writer, step func(done, all int)) (report Report, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("rank %d: %w", c.Rank(), err), c.Abort())
			return
		}
		err = c.Close()
	}()
	report = Report{Rank: c.Rank(), Options: o, Start: time.Now()}
	r, err := newRank(ctx, o, c)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if c.Rank() != 0 {
		w, step = io.Discard, nil
	}
	if report.Header, err = r.header(ctx); err != nil {
		return report, err
	}
	if err := report.Header.write(w, o); err != nil {
		return report, err
	}
	if report.Rows, err = r.rows(ctx, w, step); err != nil {
		return report, err
	}
	report.Summary, report.End = summarise(report.Rows), time.Now()
	return report, report.Write(w)
}

// header asks all ranks where they are.
func (r *rank) header(ctx context.Context) (Header, error) {
	d, lib := r.comm.Device(), r.comm.Library()
	about, err := d.Properties()
	if err != nil {
		return Header{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		return Header{}, err
	}
	mine, err := json.Marshal(Place{Rank: r.comm.Rank(), Pid: os.Getpid(), Host: host, Device: d.String(), Bus: about.PCI, Called: about.Name})
	if err != nil {
		return Header{}, err
	}
	all, err := r.gather(ctx, string(mine))
	h := Header{Library: lib.String(), Version: lib.Code}
	for _, text := range all {
		var p Place
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return h, err
		}
		h.Ranks = append(h.Ranks, p)
	}
	return h, err
}

// rows measures every type, operation, root and size.
func (r *rank) rows(ctx context.Context, w io.Writer, step func(done, all int)) (rows []Row, err error) {
	jobs, err := r.jobs()
	if err != nil {
		return nil, err
	}
	for i, j := range jobs {
		if err := r.mulsum(j); err != nil {
			return nil, err
		}
		row, err := r.row(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("%s of %d %s: %w", r.o.Test, j.count, j.e.name, err)
		}
		if err := row.write(w); err != nil {
			return nil, err
		}
		rows = append(rows, row)
		if step != nil {
			step(i+1, len(jobs))
		}
	}
	return rows, r.unmake()
}

// jobs are the rows to measure.
func (r *rank) jobs() (list []job, err error) {
	t := all()[r.o.Test]
	ops, roots := []string{"none"}, []int{0}
	if t.reduces {
		if ops, err = pick(r.o.Op, opNames()); err != nil {
			return nil, err
		}
	}
	if t.rooted {
		if roots, err = r.o.roots(r.comm.Size()); err != nil {
			return nil, err
		}
	}
	types, err := pick(r.o.Type, typeNames())
	if err != nil {
		return nil, err
	}
	for _, e := range elements() {
		for _, name := range types {
			if name != e.name {
				continue
			}
			for _, op := range ops {
				for _, root := range roots {
					list = append(list, r.sizes(job{test: t, e: e, op: op, root: root})...)
				}
			}
		}
	}
	return list, nil
}

func (r *rank) sizes(j job) (list []job) {
	for _, n := range r.o.sizes() {
		j.count = j.test.count(n, j.e.size, r.comm.Size())
		j.inPlace = false
		list = append(list, j)
	}
	return list
}

// mulsum makes the operation of the user's that a job needs, and unmake ends it.
func (r *rank) mulsum(j job) error {
	if err := r.unmake(); err != nil || j.op != "mulsum" {
		return err
	}
	factor := make([]byte, 8)
	j.e.put(factor, scalar(r.comm.Rank()))
	var err error
	r.odd, err = makers()[slices.Index(typeNames(), j.e.name)](r.comm, factor)
	return err
}

func (r *rank) unmake() error {
	if r.odd == nil {
		return nil
	}
	odd := r.odd
	r.odd = nil
	return odd.Close()
}
