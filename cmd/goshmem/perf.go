package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/bench/page"
	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/launch/launcher"
)

// perfOptions are the flags of a measurement.
type perfOptions struct {
	measure perf.Options
	asJSON  bool
	save    string
	check   bool
}

// perfCommand is `goshmem perf`.
func perfCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "perf",
		Short: "Measure speed, each figure next to a peer in the same run",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(perfShmemCommand(), perfReduceCommand(), perfModesCommand(), perfGPUCommand(), perfProviderCommand(), perfNCCLCommand(), perfWorkerCommand())
	return c
}

func perfShmemCommand() *cobra.Command {
	return measurement(perf.Shmem, 7, &cobra.Command{
		Use:   "shmem",
		Short: "Measure package shmem between processes of this machine",
		Long: `Measure package shmem between processes of this machine: one-sided operations
against an atomic add, barriers against a ping-pong in C (needs cc), starting a job
against starting programs that only say hello (needs go), and the memory of a PE.
The exit status is 0 whatever the figures are, unless --check is given.`,
	})
}

func perfReduceCommand() *cobra.Command {
	return measurement(perf.Reduce, 9, &cobra.Command{
		Use:   "reduce",
		Short: "Measure how fast vectors are combined",
		Long: `Measure how fast vectors are combined: of float32 against a loop in C (needs cc),
of BFloat16 against a loop in Go, and by two processes that share the work.
The exit status is 0 whatever the figures are, unless --check is given.`,
	})
}

func perfModesCommand() *cobra.Command {
	return measurement(perf.Modes, 9, &cobra.Command{
		Use:   "modes",
		Short: "Measure what the modes that find mistakes cost",
		Long: `Measure what the modes that find mistakes cost: checked mode, weak mode, faults that
wait for their operation, the race detector and race mode, each against a world without
it. Inside the module, with go and a C compiler, it builds what it runs; otherwise the rows
of the race detector have no ratio. --save NAME writes NAME.json and a page NAME.md.`,
	})
}

// measurement makes a command that measures.
func measurement(measure func(context.Context, perf.Options) (perf.Record, error), rounds int, c *cobra.Command) *cobra.Command {
	var o perfOptions
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return o.run(c, measure) }
	f := c.Flags()
	f.IntVar(&o.measure.Rounds, "rounds", rounds, "number of samples of each row")
	f.DurationVar(&o.measure.Batch, "batch", 0, "least time of each side of a sample (0: 2ms)")
	f.BoolVar(&o.asJSON, "json", false, "print JSON with all samples (the field \"schema\" has its version)")
	f.StringVar(&o.save, "save", "", "file that also gets the JSON, whatever is printed")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a wanted ratio is missed or cannot be measured")
	return c
}

func (o *perfOptions) run(c *cobra.Command, measure func(context.Context, perf.Options) (perf.Record, error)) error {
	if o.measure.Rounds < 1 {
		return usage(c, fmt.Errorf("%d rounds: at least 1 is needed", o.measure.Rounds))
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o.measure.Worker = []string{self, "perf", workerName}
	var r perf.Record
	err = launcher.Until(orBackground(c.Context()), launcher.StopSignals(), func(ctx context.Context) (err error) {
		r, err = measure(ctx, o.measure)
		return err
	})
	if err != nil {
		return err
	}
	return o.report(c, r)
}

func (o *perfOptions) report(c *cobra.Command, r perf.Record) error {
	if r.Rank != 0 {
		return nil
	}
	if err := o.print(c, r); err != nil {
		return err
	}
	if missed := r.Missed(); o.check && len(missed) > 0 {
		return fmt.Errorf("missed or not measured: %s", strings.Join(missed, "; "))
	}
	return nil
}

// print writes the record where the flags say.
func (o *perfOptions) print(c *cobra.Command, r perf.Record) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	switch {
	case o.save == "":
	case r.Name == "gpu", r.Name == "modes", r.Name == "provider": // what is saved is a page, too
		err = page.Save(r, o.save, commandLine(c))
	default:
		err = os.WriteFile(o.save, text, 0o666)
	}
	if err != nil {
		return fmt.Errorf("save the samples: %w", err)
	}
	if !o.asJSON {
		return r.WriteTable(c.OutOrStdout())
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}

const workerName = "worker"

// perfWorkerCommand is this program as a process of a measurement.
func perfWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:                workerName,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			return perf.Work(orBackground(c.Context()), args, c.OutOrStdout())
		},
	}
}

// orBackground: cobra has no context when a command is executed without one.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
