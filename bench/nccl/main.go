// Command nccl measures collectives of package nccl, each rank a process on a GPU of its own,
// beside a program in C that calls NCCL (bench/peers/nccl.c) and PyTorch's process group
// (bench/peers/torch_nccl.py):
//
//	go build -o bin/ ./bench/nccl && bin/nccl -n 2 -visits 7 -within 4m -json figures.json
//
// A visit starts each contender once, the next visit in the opposite order; a figure is the
// median of the visits. Up to 64 KiB it measures communicators that block and those that do
// not, beside C's of the same kind; from 16 MiB the bandwidth, beside PyTorch's. A contender
// that cannot be had, or fails, is left out, and this is said. Without a GPU, or with
// GOSHMEM_NCCL=host, there is nobody to compare with.
//
// The exit status is 3 if a wanted ratio is missed or could not be measured, 1 on a failure
// and 2 on a mistake in the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/goshmem/goshmem/internal/ncclperf"
	"github.com/goshmem/goshmem/launch/launcher"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == rankName {
		err = rank(context.Background(), os.Args[2:], os.Stdout)
	} else {
		err = launcher.Until(context.Background(), launcher.StopSignals(), func(ctx context.Context) error {
			return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(status(err))
	}
}

var (
	errUsage  = errors.New("usage")
	errMissed = errors.New("not all wanted ratios are met")
)

func status(err error) int {
	switch {
	case errors.Is(err, errUsage):
		return 2
	case errors.Is(err, errMissed):
		return 3
	}
	return 1
}

// options are the flags.
type options struct {
	plan
	ranks, visits int
	within        time.Duration
	python, json  string
}

func (o *options) parse(args []string) error {
	f := flag.NewFlagSet("nccl", flag.ContinueOnError)
	f.IntVar(&o.ranks, "n", 2, "ranks, each with a GPU")
	f.IntVar(&o.visits, "visits", 7, "how often each contender is started")
	f.DurationVar(&o.within, "within", time.Hour, "begin no visit that would not end in this time, but the first")
	f.IntVar(&o.calls, "calls", 20, "calls of a round")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of a visit, whose median counts")
	f.StringVar(&o.python, "python", "python3", "the Python that has PyTorch; \"\": without PyTorch")
	f.StringVar(&o.json, "json", "", "file that gets all figures")
	largest := f.String("largest", "1G", "largest size")
	if err := f.Parse(args); err != nil {
		return errors.Join(errUsage, err)
	}
	var err error
	o.largest, err = ncclperf.ParseBytes(*largest)
	if err != nil || o.ranks < 1 || o.visits < 1 || o.calls < 1 || o.rounds < 1 {
		return errors.Join(errUsage, err)
	}
	return nil
}

func run(ctx context.Context, args []string, w, warn io.Writer) error {
	var o options
	if err := o.parse(args); err != nil {
		return err
	}
	warn = &shared{w: warn}
	return launcher.InScratch(func(dir string) error {
		list, err := o.contenders(ctx, dir, warn)
		if err != nil {
			return err
		}
		f := o.visit(ctx, list, warn)
		if err := f.write(w); err != nil {
			return err
		}
		if o.json != "" {
			if err := f.save(o.json); err != nil {
				return err
			}
		}
		return f.verdict()
	})
}

// shared is what all ranks write to.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// visit starts the contenders again and again, as long as there is time.
func (o options) visit(ctx context.Context, list []*contender, warn io.Writer) *figures {
	f := &figures{Wanted: o.visits, Begun: time.Now().UTC()}
	ctx, cancel := context.WithTimeout(ctx, o.within+spare)
	defer cancel()
	for i := range o.visits {
		begun := time.Now()
		for k := range list {
			if i%2 == 1 {
				k = len(list) - 1 - k
			}
			if c := list[k]; !c.gone {
				c.gone = !f.take(ctx, c, i, warn)
			}
		}
		f.Visits++
		spent := time.Since(f.Begun)
		fmt.Fprintf(warn, "visit %d of %d: %v\n", i+1, o.visits, time.Since(begun).Round(time.Second/10))
		if spent+time.Since(begun) > o.within || ctx.Err() != nil {
			break
		}
	}
	return f
}

// take starts a contender once and keeps what it says.
func (f *figures) take(ctx context.Context, c *contender, visit int, warn io.Writer) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := c.start(ctx, visit)
	if err == nil {
		err = f.add(c.name, out)
	}
	if err != nil {
		fmt.Fprintf(warn, "%s is left out from visit %d on: %v\n", c.name, visit+1, err)
		f.Failed = append(f.Failed, fmt.Sprintf("%s: %v", c.name, err))
	}
	return err == nil
}

// patience is how long one contender may need, and spare what the last visit may take longer
// than the one before.
const (
	patience = 100 * time.Second
	spare    = 30 * time.Second
)
