// Package testjob runs Go tests with every rank a process and merges what the
// ranks report: a test passes if it passes on all of them. A test binary needs
// nothing for this but package shmemtest, which joins the job that it finds in
// the environment.
package testjob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch/launcher"
)

// Options says what to test and how.
type Options struct {
	Packages []string         // patterns as the go command knows them
	Sizes    []int            // numbers of processes; each package runs once with each
	Args     []string         // for the test binary, such as -test.run=Ring
	Seeds    []uint64         // of weak mode: everything runs once with each, up to one that fails; none: as the environment says
	Timeout  time.Duration    // limit for one package and size
	Verbose  bool             // show the output of tests that pass too
	Signals  <-chan os.Signal // as in launcher.Spec
	Out      io.Writer        // gets the report
}

// ErrNoTests is returned when everything ran and no test was among it, which is
// more often a wrong pattern than what was meant.
var ErrNoTests = errors.New("no tests were run: check the packages and the pattern of -run")

// Run builds and runs the tests, writes a line for each package and size, the
// output of ranks on which a test failed, and a summary. It returns an error
// unless tests were run and all passed.
func Run(ctx context.Context, o Options) error {
	for _, n := range o.Sizes {
		if err := (launcher.Spec{N: n, Argv: []string{"test"}}).Check(); err != nil {
			return err
		}
	}
	if err := refused(o.Args); err != nil {
		return err
	}
	var packages []pkg
	err := launcher.Until(ctx, o.Signals, func(ctx context.Context) (err error) {
		packages, err = list(ctx, o.Packages)
		return err
	})
	if err != nil {
		return err
	}
	r := run{Options: o}
	if err := launcher.InScratch(func(dir string) error { return r.all(ctx, dir, packages) }); err != nil {
		return err
	}
	return r.summary()
}

// refused is the error for flags of a test binary with which no rank would report what
// it does.
func refused(args []string) error {
	for name, why := range map[string]string{
		"test.v":    "--verbose shows the output of tests that pass",
		"test.list": "it runs no test",
	} {
		if given(args, name) {
			return &launcher.Error{Code: launcher.StatusUsage, Err: fmt.Errorf("flag -%s goes to no rank: %s", name, why)}
		}
	}
	return nil
}

// pkg is a package that has tests.
type pkg struct{ path, dir string }

// list returns the packages with test files among those that match the patterns.
func list(ctx context.Context, patterns []string) ([]pkg, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	args := append([]string{"list", "-f", format, "--"}, patterns...)
	var text strings.Builder
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		return nil, &launcher.Error{Code: 1, Err: fmt.Errorf("list packages: %w\n%s", err, text.String())}
	}
	var found []pkg
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found = append(found, pkg{path, dir})
		}
	}
	return found, nil
}

// lateness is how much later than the test binaries the job reaches its time
// limit: the binaries say where each goroutine is.
const lateness = 15 * time.Second

// run is a run over all packages and sizes.
type run struct {
	Options
	tally
}

// all tests the packages one by one. It ends early only if it was stopped.
func (r *run) all(ctx context.Context, scratch string, packages []pkg) error {
	for _, p := range packages {
		var binary string
		err := launcher.Until(ctx, r.Signals, func(ctx context.Context) (err error) {
			binary, err = launcher.BuildTest(ctx, scratch, p.path)
			return err
		})
		switch {
		case errors.Is(err, launcher.ErrStopped), ctx.Err() != nil:
			return err
		case err != nil:
			r.broken(p, err)
			continue
		}
		if err := r.sizes(ctx, p, binary); err != nil {
			return err
		}
		if err := os.Remove(binary); err != nil { // they are large
			return err
		}
	}
	return nil
}

func (r *run) sizes(ctx context.Context, p pkg, binary string) error {
	seeds := r.Seeds
	if len(seeds) == 0 {
		seeds = []uint64{0}
	}
	for _, n := range r.Sizes {
		for _, seed := range seeds {
			passed, err := r.one(ctx, p, binary, setting{n, seed})
			if err != nil {
				return err
			}
			if !passed {
				break // the other seeds fail, too
			}
		}
	}
	return nil
}

// setting is how a job is run.
type setting struct {
	n    int
	seed uint64 // of weak mode; 0: as the environment says
}

// String is what the report says of it.
func (s setting) String() string {
	if s.seed == 0 {
		return fmt.Sprintf("n=%d", s.n)
	}
	return fmt.Sprintf("n=%d, seed=%d", s.n, s.seed)
}

// one runs one job and reports it.
func (r *run) one(ctx context.Context, p pkg, binary string, s setting) (passed bool, err error) {
	begin := time.Now()
	ranks, res := r.job(ctx, p, binary, s)
	if died := new(deathError); len(res.Ranks) == 0 || errors.Is(res.Err, launcher.ErrStopped) && !errors.As(res.Err, died) {
		return false, res.Err
	}
	all := append(merge(ranks, res), r.notRun(ctx, p, binary, ranks, res)...)
	return r.report(p, s, all, ranks, time.Since(begin)), nil
}

// job runs one test binary as a job. A rank on which a test failed exits before
// the others do, which must not end their tests: only the time limit does, or the
// death of a rank amid its tests.
func (r *run) job(ctx context.Context, p pkg, binary string, s setting) ([]*transcript, launcher.Result) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ranks := make([]*transcript, s.n)
	var extra []string
	if s.seed != 0 {
		extra = []string{fmt.Sprintf("%s=%d", env.Weak, s.seed)}
	}
	res, _ := launcher.Run(ctx, launcher.Spec{ // the result has the error
		N:       s.n,
		Env:     extra,
		Argv:    append([]string{binary, "-test.v=test2json", "-test.paniconexit0"}, r.Args...),
		Dir:     p.dir,
		Timeout: r.Timeout + lateness,
		Settle:  r.Timeout + lateness,
		Signals: r.Signals,
		Ended:   watchDeaths(stop, ranks),
		Merge:   true,
		Output: func(rank int) (stdout, stderr io.Writer) {
			ranks[rank] = newTranscript()
			return ranks[rank], nil
		},
	})
	for _, t := range ranks[:len(res.Ranks)] {
		t.finish()
	}
	return ranks[:len(res.Ranks)], res
}
