package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/testjob"
	"github.com/goshmem/goshmem/launch/launcher"
)

// testOptions are the flags of `goshmem test`.
type testOptions struct {
	job   testjob.Options
	run   string
	short bool
	weak  string
}

func testCommand() *cobra.Command {
	var o testOptions
	c := &cobra.Command{
		Use:   "test [-n N,N,...] [flags] [packages] [-- flags of the test binary]",
		Short: "Run Go tests with every rank a process",
		Long: `Run Go tests with every rank a process. The tests of each package are built once
and run as a job of N processes for each N, in the package's folder. A test passes
if it passes on all ranks; it fails if it fails on one, or if one does not report
it. Tests use package shmemtest, which joins the job. Running no test at all is a
failure. Once a rank has died the others get 5s to end; tests that nobody came to
by then count as failed.

Other flags of the test binary go after --, such as -- -test.count=2. Flags of the
build go into GOFLAGS: GOFLAGS=-race builds with the race detector.`,
		Example: "  goshmem test -n 1,2,4 ./...\n  goshmem test -n 3 -v -run Barrier ./shmem -- -test.count=5\n  goshmem test -n 4 --weak 1-50 ./...",
		RunE: func(c *cobra.Command, args []string) error {
			return o.test(c, args)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(c, fmt.Errorf("%w: flags of the test binary go after --, such as -- -test.count=2; GOFLAGS=-race builds with the race detector", err))
	})
	f := c.Flags()
	f.IntSliceVarP(&o.job.Sizes, "np", "n", []int{1, 2, 4}, "numbers of processes")
	f.StringVar(&o.run, "run", "", "run only tests that match this regular expression")
	f.BoolVarP(&o.job.Verbose, "verbose", "v", false, "show the output of tests that pass too")
	f.DurationVar(&o.job.Timeout, "timeout", 10*time.Minute, "time limit for each package and number of processes")
	f.StringVar(&o.weak, "weak", "", "seed of weak mode, or the first and the last of several, such as 1-50; ends with one that fails")
	f.BoolVar(&o.short, "short", false, "tell long tests to be short")
	return c
}

func (o *testOptions) test(c *cobra.Command, args []string) error {
	if err := launcher.Supported(); err != nil {
		return err
	}
	if o.job.Timeout <= 0 {
		return usage(c, fmt.Errorf("time limit %v: must be positive", o.job.Timeout))
	}
	seeds, err := seedsIn(o.weak)
	if err != nil {
		return usage(c, err)
	}
	job := o.job
	job.Seeds = seeds
	job.Packages, job.Args = args, o.binaryArgs()
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		job.Packages, job.Args = args[:dash], append(job.Args, args[dash:]...)
	}
	if len(job.Packages) == 0 {
		job.Packages = []string{"."}
	}
	if err := checkValues(c, nil); err != nil {
		return err
	}
	job.Signals, job.Out = launcher.StopSignals(), c.OutOrStdout()
	return testjob.Run(c.Context(), job)
}

// seedsIn reads the flag --weak.
func seedsIn(text string) (all []uint64, err error) {
	if text == "" {
		return nil, nil
	}
	low, high, several := strings.Cut(text, "-")
	first, err := strconv.ParseUint(low, 10, 64)
	last := first
	if several && err == nil {
		last, err = strconv.ParseUint(high, 10, 64)
	}
	const most = 100000
	if err != nil || first == 0 || last < first || last-first >= most {
		return nil, fmt.Errorf("--weak %s: give a seed from 1 on, or the first and the last of at most %d, such as 1-50", text, most)
	}
	for i := range last - first + 1 {
		all = append(all, first+i)
	}
	return all, nil
}

// binaryArgs returns the flags as a test binary knows them.
func (o *testOptions) binaryArgs() []string {
	args := []string{"-test.timeout=" + o.job.Timeout.String()}
	if o.run != "" {
		args = append(args, "-test.run="+o.run)
	}
	if o.short {
		args = append(args, "-test.short")
	}
	return args
}
