package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch/launcher"
)

// runOptions are the flags of `goshmem run`.
type runOptions struct {
	spec     launcher.Spec
	nodes    nodeOptions
	noPrefix bool
	dryRun   bool
	weak     uint64
}

func runCommand() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run -n N [flags] PROGRAM [arguments]",
		Short: "Run N processes of a program",
		Long: `Run N processes of a program. PROGRAM is an executable, or a Go package that is
built first: a folder (./examples/ring), a .go file or an import path. Flags after
PROGRAM are the program's own. The launcher itself sets what makes a process a rank
(--dry-run shows it), whatever GOSHMEM_RANK, GOSHMEM_SIZE, GOSHMEM_RDZV,
GOSHMEM_TOKEN, RANK, WORLD_SIZE and the like are in its own environment.

Each line of output gets the host and rank in front. Rank 0 gets the input unless
that is a terminal. The exit status is 0 if all ranks exit with 0, otherwise that
of the rank that failed first (128 + number of the signal if one killed it); 124
at the time limit; 1 if a package does not build or is no program; 126 if an executable
cannot be run, 127 if there is none.

With --nnodes the job runs on several machines, on each of which this command is given
once, with the same --nnodes and --rdzv. Ranks are numbered node by node. All nodes end
with the same status, and when one fails, is stopped or is gone, all are stopped.
GOSHMEM_TOKEN, the same on all, keeps strangers out; GOSHMEM_TIMEOUT limits the wait
for the other nodes.`,
		Example: "  goshmem run -n 4 ./examples/ring\n  goshmem run -n 2 --timeout 30s --env GOSHMEM_HEAP_SIZE=4GiB ./solver -steps 100\n  goshmem run --nnodes 2 --node-rank 0 --rdzv node0:29400 -n 8 ./solver",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(c, errors.New("no program given"))
			}
			return o.run(c, args)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	f.IntVarP(&o.spec.N, "np", "n", 1, "number of processes on this machine")
	o.nodes.flags(c)
	f.DurationVar(&o.spec.Timeout, "timeout", 0, "time limit for the whole job, such as 90s (0: none)")
	f.DurationVar(&o.spec.Grace, "grace", 5*time.Second, "time between SIGTERM and SIGKILL when the job is stopped")
	f.StringArrayVar(&o.spec.Env, "env", nil, "NAME=value for the environment of all ranks (may be repeated)")
	f.StringVar(&o.spec.OutputDir, "output-dir", "", "folder that also gets the output of every rank, a file per stream")
	f.StringVar(&o.spec.Bind, "bind", launcher.BindNone, "cores: rank r runs on the r-th available core only; none: no binding")
	f.Uint64Var(&o.weak, "weak", 0, "seed of weak mode, where data arrives as late as is allowed (as GOSHMEM_WEAK; 0: off)")
	f.BoolVar(&o.noPrefix, "no-prefix", false, "leave out host and rank in front of the lines")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be run, with the environment, and start nothing")
	return c
}

func (o *runOptions) run(c *cobra.Command, args []string) error {
	s := o.spec
	s.Argv = args
	var err error
	if s.Nodes, err = o.nodes.nodes(c, os.Environ()); err != nil {
		return err
	}
	if o.weak != 0 {
		s.Env = append(s.Env, fmt.Sprintf("%s=%d", env.Weak, o.weak))
	}
	if o.noPrefix {
		s.Prefix = func(int) string { return "" }
	}
	switch {
	case s.Grace < 0:
		return usage(c, fmt.Errorf("--grace %v is negative: 0 is none", s.Grace))
	case s.Grace == 0:
		s.Grace = -1 // given by hand it means none; in a Spec it means the default
	}
	if err := s.Check(); err != nil {
		return err
	}
	if err := checkValues(c, s.Env); err != nil {
		return err
	}
	if o.dryRun {
		return dryRun(c, s)
	}
	if err := launcher.Supported(); err != nil {
		return err
	}
	err = start(c.Context(), s)
	if err != nil && o.weak != 0 && s.Nodes == nil {
		fmt.Fprintf(os.Stderr, "goshmem: weak mode, seed %d: to see this again run goshmem run -n %d --weak %d %s\n", o.weak, s.N, o.weak, strings.Join(args, " "))
	}
	return err
}

// checkValues refuses variables that every rank would refuse.
func checkValues(c *cobra.Command, extra []string) error {
	var names []string
	for _, e := range engines.All() {
		names = append(names, e.Name())
	}
	if err := env.CheckValues(append(os.Environ(), extra...), names); err != nil {
		return usage(c, err)
	}
	return nil
}

func dryRun(c *cobra.Command, s launcher.Spec) error {
	build, err := launcher.Plan(orBackground(c.Context()), s.Argv[0])
	if err != nil {
		return err
	}
	if build != nil {
		fmt.Fprintf(c.OutOrStdout(), "build %s\n", strings.Join(build, " "))
	}
	return launcher.DryRun(c.OutOrStdout(), s)
}

// start builds the program if that is needed and runs the job.
func start(ctx context.Context, s launcher.Spec) error {
	s.Signals = launcher.StopSignals()
	if !launcher.IsPackage(s.Argv[0]) {
		return job(ctx, s)
	}
	s.Env = append(s.Env, env.Program+"="+s.Argv[0])
	return launcher.InScratch(func(dir string) error {
		var program string
		err := launcher.Until(ctx, s.Signals, func(ctx context.Context) (err error) {
			program, err = launcher.Build(ctx, dir, s.Argv[0])
			return err
		})
		if err != nil {
			return launcher.Absent(ctx, s, err)
		}
		s.Argv = append([]string{program}, s.Argv[1:]...)
		return job(ctx, s)
	})
}

// job runs a job on this command's own streams.
func job(ctx context.Context, s launcher.Spec) error {
	s.Stdin, s.Stdout, s.Stderr = input(), os.Stdout, os.Stderr
	if err := reportCores(s); err != nil {
		return err
	}
	res, err := launcher.Run(ctx, s)
	if known := new(launcher.Error); errors.As(err, &known) {
		return &launcher.Error{Code: known.Code, Err: errors.New(res.Report())}
	}
	return err
}

// reportCores says where the ranks are going to run, if they are bound. In a job over
// several machines they have no other numbers yet than those that they have here.
func reportCores(s launcher.Spec) error {
	noun := "rank"
	if s.Nodes != nil {
		noun = "local rank"
	}
	cores, err := s.Cores()
	for rank, core := range cores {
		if core >= 0 {
			fmt.Fprintf(s.Stderr, "goshmem: %s %d runs on core %d\n", noun, rank, core)
		}
	}
	return err
}

// input returns the standard input unless it is a terminal: ranks have process
// groups of their own and would be stopped for reading from one.
func input() *os.File {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	return os.Stdin
}
