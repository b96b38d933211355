package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/examples/progress"
	"github.com/goshmem/goshmem/internal/ncclperf"
	"github.com/goshmem/goshmem/launch/launcher"
)

// ncclOptions are the flags of `goshmem perf nccl`.
type ncclOptions struct {
	measure        ncclperf.Options
	min, max, step string
	timeout        float64
	json, curves   string
	blocking       int
}

// perfNCCLCommand measures collectives as nccl-tests do.
func perfNCCLCommand() *cobra.Command {
	o := &ncclOptions{measure: ncclperf.Defaults()}
	c := &cobra.Command{
		Use:   "nccl [TEST]",
		Short: "Measure collectives as nccl-tests do, with or without GPUs",
		Long: `Measure a collective of NCCL, RCCL or the host library, with the columns, factors,
checks and options of nccl-tests. TEST is one of
` + strings.Join(ncclperf.Tests(), ", ") + `.

The ranks are threads of this process (-g 8), or processes under any launcher:
goshmem run -n 8 goshmem perf nccl all_reduce -b 8 -e 128M -f 2
The exit status is 1 if an element was wrong.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.flags(c)
	return c
}

func (o *ncclOptions) flags(c *cobra.Command) {
	f, m := c.Flags(), &o.measure
	f.IntVarP(&m.GPUs, "ngpus", "g", m.GPUs, "ranks in this process, each with a device")
	f.StringVarP(&o.min, "minbytes", "b", "32M", "smallest size")
	f.StringVarP(&o.max, "maxbytes", "e", "32M", "largest size")
	f.StringVarP(&o.step, "stepbytes", "i", "1M", "step between sizes, without -f")
	f.Int64VarP(&m.Factor, "stepfactor", "f", 0, "factor between sizes")
	f.IntVarP(&m.Iters, "iters", "n", m.Iters, "iterations")
	f.IntVarP(&m.Aggregate, "agg_iters", "m", m.Aggregate, "calls in one group")
	f.IntVarP(&m.Warmup, "warmup_iters", "w", m.Warmup, "iterations before")
	f.IntVarP(&m.Check, "check", "c", m.Check, "rounds of checking results (0: none)")
	f.StringVarP(&m.Op, "op", "o", m.Op, "sum, prod, min, max, avg, mulsum or all")
	f.StringVarP(&m.Type, "datatype", "d", m.Type, "type of the elements, as float or bfloat16, or all")
	f.StringVarP(&m.Root, "root", "r", m.Root, "root, or all")
	f.IntVarP(&o.blocking, "blocking", "z", 0, "1: wait after every call")
	f.BoolVar(&m.Blocks, "comm-blocking", false, "communicators that block")
	f.Float64VarP(&o.timeout, "timeout", "T", 0, "seconds of each wait (0: GOSHMEM_TIMEOUT)")
	f.IntVarP(&m.Graph, "cudagraph", "G", 0, "launches of a graph of all iterations (0: no graph)")
	f.BoolVarP(&m.CPUTime, "report_cputime", "C", false, "what the host needs to enqueue a call")
	f.IntVarP(&m.Average, "average", "a", m.Average, "time of 0 rank 0, 1 all on average, 2 the fastest, 3 the slowest")
	f.IntVarP(&m.Register, "local_register", "R", 0, "1: register the buffers, 2: as symmetric windows")
	f.StringVarP(&o.json, "output_file", "J", "", "file that gets JSON with nccl-tests' fields (.json)")
	f.StringVar(&o.curves, "curves", "", "file that gets a picture of the bandwidths (.png, .svg)")
}

// run measures, and saves what was asked for on rank 0.
func (o *ncclOptions) run(c *cobra.Command, args []string) error {
	if err := o.read(args); err != nil {
		return usage(c, err)
	}
	line := progress.New(os.Stderr, 0)
	var r ncclperf.Report
	err := launcher.Until(orBackground(c.Context()), launcher.StopSignals(), func(ctx context.Context) (err error) {
		r, err = ncclperf.Run(ctx, o.measure, clearing{c.OutOrStdout(), line}, line.Show)
		return err
	})
	line.Done()
	if err != nil {
		return err
	}
	if err := o.save(c, r); err != nil {
		return err
	}
	if r.Summary.Wrong > 0 {
		return fmt.Errorf("%d elements were wrong", r.Summary.Wrong)
	}
	return nil
}

// read finishes the options.
func (o *ncclOptions) read(args []string) error {
	m := &o.measure
	if len(args) > 0 {
		m.Test = strings.TrimSuffix(args[0], "_perf")
	}
	for _, size := range []struct {
		text string
		to   *int64
	}{{o.min, &m.MinBytes}, {o.max, &m.MaxBytes}, {o.step, &m.StepBytes}} {
		var err error
		if *size.to, err = ncclperf.ParseBytes(size.text); err != nil {
			return err
		}
	}
	if m.Blocking = o.blocking != 0; o.timeout < 0 {
		return fmt.Errorf("-T %v: seconds are not negative", o.timeout)
	}
	m.Timeout = time.Duration(o.timeout * float64(time.Second))
	return m.Valid()
}

func (o *ncclOptions) save(c *cobra.Command, r ncclperf.Report) error {
	if r.Rank != 0 {
		return nil
	}
	if o.json != "" {
		name, err := r.SaveJSON(o.json)
		if err != nil {
			return err
		}
		c.PrintErrln("saved", name)
	}
	if o.curves != "" {
		return r.SaveCurves(o.curves)
	}
	return nil
}

// clearing removes the line about progress before something is written.
type clearing struct {
	w    io.Writer
	line *progress.Line
}

func (w clearing) Write(text []byte) (int, error) {
	w.line.Done()
	return w.w.Write(text)
}
