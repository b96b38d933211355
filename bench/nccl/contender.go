package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/goshmem/goshmem/bench"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch/launcher"
)

// contender is who is measured, and how it is started.
type contender struct {
	name  string
	start func(ctx context.Context, visit int) ([]byte, error)
	gone  bool
}

// The names of contenders.
const (
	ours    = "goshmem"
	inC     = "C"
	pyTorch = "PyTorch"
)

// modes are the kinds of communicators.
func modes() []string { return []string{"blocking", "nonblocking"} }

// contenders are all that can be had.
func (o options) contenders(ctx context.Context, dir string, warn io.Writer) ([]*contender, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	largest, calls, rounds := strconv.FormatInt(o.largest, 10), strconv.Itoa(o.calls), strconv.Itoa(o.rounds)
	list := []*contender{o.job(ours, warn, func(int) []string {
		return append([]string{self, rankName, largest, calls, rounds}, modes()...)
	})}
	if os.Getenv(env.NCCL) == "host" {
		return list, nil
	}
	program, err := bench.NCCL(ctx, dir)
	switch {
	case errors.Is(err, bench.ErrMissing):
		fmt.Fprintln(warn, "without the program in C:", err)
		return list, nil
	case err != nil:
		return nil, err
	}
	list = append(list, o.job(inC, warn, func(visit int) []string {
		id := filepath.Join(dir, fmt.Sprint("id-", visit))
		return append(append(program, id, calls, rounds), modes()...)
	}))
	if o.python == "" {
		return list, nil
	}
	script, err := bench.TorchNCCL(dir)
	return append(list, o.job(pyTorch, warn, func(int) []string {
		return []string{o.python, script, largest, calls, rounds}
	})), err
}

// job is a contender that is a job under our launcher, whose rank 0 writes figures.
func (o options) job(name string, warn io.Writer, argv func(visit int) []string) *contender {
	return &contender{name: name, start: func(ctx context.Context, visit int) ([]byte, error) {
		var first bytes.Buffer
		limit, _ := ctx.Deadline()
		result, err := launcher.Run(ctx, launcher.Spec{
			N: o.ranks, Argv: argv(visit), Timeout: time.Until(limit), Grace: time.Second,
			Output: func(rank int) (io.Writer, io.Writer) {
				if rank == 0 {
					return &first, warn
				}
				return nil, warn
			},
		})
		if err == nil && result.Err != nil {
			err = fmt.Errorf("%s", result.Report())
		}
		return first.Bytes(), err
	}}
}
