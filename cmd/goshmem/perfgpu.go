package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/goshmem/goshmem/bench"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/launch/launcher"
)

// gpuOptions are the flags of a measurement of devices, besides those of all.
type gpuOptions struct {
	platform, only string
	compare        bool
}

// perfGPUCommand is `goshmem perf gpu`.
func perfGPUCommand() *cobra.Command {
	var o gpuOptions
	c := measurement(o.measure, 7, &cobra.Command{
		Use:   "gpu",
		Short: "Measure package gpu on the devices of a platform",
		Long: `Measure package gpu on the first device of a platform, and between the first two:
launches, copies of all kinds, streams that wait for each other. With --compare a
program in C over CUDA's driver (needs cc) does the same in turns with us.
--save NAME writes NAME.json with all samples and NAME.md, a page for people.
The exit status is 0 whatever the figures are, unless --check is given.`,
	})
	f := c.Flags()
	f.StringVar(&o.platform, "platform", "", "cuda, hip or host (unset: the best)")
	f.StringVar(&o.only, "only", "", "measure rows whose name contains this")
	f.BoolVar(&o.compare, "compare", false, "measure a program in C beside it, on platform cuda")
	f.Lookup("save").Usage = "`NAME` of two files that also get the figures, NAME.json and NAME.md"
	return c
}

func (o *gpuOptions) measure(ctx context.Context, base perf.Options) (r perf.Record, err error) {
	g := perf.GPUOptions{Options: base, Platform: o.platform, Only: o.only}
	err = launcher.InScratch(func(dir string) error {
		if err := o.peer(ctx, dir, &g); err != nil {
			return err
		}
		r, err = perf.GPU(ctx, g)
		return err
	})
	return r, err
}

// peer builds whom we are compared with, or has the record say why it cannot be had.
func (o *gpuOptions) peer(ctx context.Context, dir string, g *perf.GPUOptions) error {
	if !o.compare {
		return nil
	}
	if g.Platform == "" {
		best, err := gpu.Best()
		if err != nil {
			return err
		}
		g.Platform = best.Platform()
	}
	if g.Platform != "cuda" {
		g.Missing = fmt.Sprintf("the program in C is for platform cuda, not %s", g.Platform)
		return nil
	}
	p, err := bench.CUDA(ctx, dir)
	if errors.Is(err, bench.ErrMissing) {
		g.Missing = err.Error()
		return nil
	}
	g.Peer = &p
	return err
}

// commandLine is the command with its flags. Folders are those of one machine: they are
// left out.
func commandLine(c *cobra.Command) string {
	line := c.CommandPath()
	c.Flags().Visit(func(f *pflag.Flag) {
		line += " --" + f.Name
		if f.Value.Type() != "bool" {
			line += " " + filepath.Base(f.Value.String())
		}
	})
	return line
}
