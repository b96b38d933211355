// Command compare measures package shmem beside other libraries of its kind on this
// machine, sample by sample in turns: one-sided operations and barriers beside Open
// MPI's OSHMEM, collectives beside that and the MPI of Open MPI and MPICH, those of
// package nccl on its host library beside MPI, and the transport between nodes beside
// UCX's own ucx_perftest:
//
//	go run ./bench/compare -save docs/results/2026-11-compare-oshmem
//	go run ./bench/compare -collectives -save docs/results/2026-11-compare-collectives
//	go run ./bench/compare -nccl -save docs/results/2026-11-compare-nccl
//	go run ./bench/compare -ucx -save docs/results/2026-11-compare-ucx
//
// It prints a table, or with -json the record with every sample; -save NAME writes
// the record to NAME.json and a page for people to NAME.md. The exit status is 0
// whatever the figures are, 1 on a failure, 2 on a mistake in the flags, and 3 if
// another library is not installed (go run says so and has status 1).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goshmem/goshmem/bench"
	"github.com/goshmem/goshmem/bench/page"
	"github.com/goshmem/goshmem/bench/transport"
	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/launch/launcher"
)

// Exit statuses.
const (
	failed  = 1
	usage   = 2
	missing = 3
)

// The first arguments of this program as a process of ours.
const (
	workerName    = "worker"
	transportName = "transport"
)

func main() {
	ctx := context.Background()
	if len(os.Args) > 1 && os.Args[1] == workerName {
		os.Exit(status(perf.Work(ctx, os.Args[2:], os.Stdout), os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == transportName {
		os.Exit(status(transport.Work(ctx, os.Args[2:], os.Stdin, os.Stdout), os.Stderr))
	}
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = launcher.Until(ctx, launcher.StopSignals(), func(ctx context.Context) error { return o.run(ctx, os.Stdout) })
	}
	os.Exit(status(err, os.Stderr))
}

// errUsage marks what the flag package has explained already.
var errUsage = errors.New("usage")

// status prints an error and says with which status to exit.
func status(err error, out io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return usage
	}
	fmt.Fprintln(out, "compare:", err)
	if errors.Is(err, bench.ErrMissing) {
		return missing
	}
	return failed
}

// options are the flags.
type options struct {
	perf.CompareOptions
	ucx    bool
	asJSON bool
	save   string
	args   []string
}

func parse(args []string, out io.Writer) (*options, error) {
	o := &options{args: args}
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(out)
	f.IntVar(&o.Rounds, "rounds", 0, "`number` of samples of each row (0: 15, with -collectives 9, with -quick 3)")
	f.DurationVar(&o.Batch, "batch", 0, "least `time` of each side of a sample (0: 4ms)")
	f.BoolVar(&o.Collectives, "collectives", false, "measure collectives, with MPI as well")
	f.BoolVar(&o.Nodes, "nodes", false, "measure collectives over two virtual nodes of 2 PEs, over tcp, beside Open MPI over tcp")
	f.BoolVar(&o.NCCL, "nccl", false, "measure collectives of package nccl on its host library, with MPI")
	f.BoolVar(&o.ucx, "ucx", false, "measure the transport between nodes, with ucx_perftest")
	f.BoolVar(&o.Quick, "quick", false, "few sizes and samples")
	f.StringVar(&o.Only, "only", "", "measure rows whose name contains `TEXT`")
	f.BoolVar(&o.asJSON, "json", false, "print JSON with all samples")
	f.StringVar(&o.save, "save", "", "write `NAME`.json and NAME.md")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, errUsage
	case f.NArg() > 0 || o.Rounds < 0 || o.Batch < 0:
		fmt.Fprintln(out, "compare: there are no arguments besides flags, and no number is negative")
		return nil, errUsage
	}
	o.Collectives = o.Collectives || o.Nodes
	switch {
	case o.Rounds > 0:
	case o.Quick:
		o.Rounds = 3
	case o.Collectives, o.NCCL, o.ucx:
		o.Rounds = 9
	default:
		o.Rounds = 15
	}
	return o, nil
}

func (o *options) run(ctx context.Context, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o.Worker = []string{self, workerName}
	var r perf.Record
	if o.ucx {
		r, err = transport.Compare(ctx, transport.Options{Rounds: o.Rounds, Worker: []string{self, transportName}, Quick: o.Quick, Only: o.Only})
	} else {
		r, err = o.compare(ctx)
	}
	if err != nil {
		return err
	}
	if r.Machine.Commit == "" { // go run leaves it out
		r.Machine.Commit = revision(ctx)
	}
	return o.report(r, out)
}

// compare measures what takes orders.
func (o *options) compare(ctx context.Context) (r perf.Record, err error) {
	err = launcher.InScratch(func(dir string) error {
		if o.Peers, err = o.peers(ctx, dir); err != nil {
			return err
		}
		r, err = perf.Compare(ctx, o.CompareOptions)
		return err
	})
	return r, err
}

// peers builds whom we are compared with.
func (o *options) peers(ctx context.Context, dir string) ([]perf.Peer, error) {
	switch {
	case o.NCCL:
		return bench.MPI(ctx, dir)
	case o.Nodes:
		return bench.OverNodes(ctx, dir)
	case o.Collectives:
		return bench.Collectives(ctx, dir)
	}
	p, err := bench.OSHMEM(ctx, dir)
	return []perf.Peer{p}, err
}

// report prints and saves a record.
func (o *options) report(r perf.Record, out io.Writer) error {
	if o.save != "" {
		command := strings.Join(append([]string{"go run ./bench/compare"}, o.args...), " ")
		if err := page.Save(r, o.save, command); err != nil {
			return err
		}
	}
	if o.asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", " ")
		return e.Encode(r)
	}
	return r.WriteTable(out)
}
