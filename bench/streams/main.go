// Command streams measures what engines do on streams of devices, each PE a process, and
// beside it a program in C that makes the same copies and barriers with the driver's calls
// alone (bench/peers/streams.c):
//
//	go build -o streams ./bench/streams && ./streams -engines ipc,nvshmem -rounds 7
//
// Each round starts each contender once, in turns; a figure is the median of the rounds.
// Per is the device's time of one of many that are queued one after the other, enqueue the
// host's time to queue it. The exit status is 0 whatever the figures are, 1 on a failure
// and 2 on a mistake in the flags.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/bench"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch/launcher"
)

// peName is the first argument of this program as a process of a job.
const peName = "pe"

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == peName {
		err = pe(context.Background(), os.Stdout, plan{})
	} else {
		err = launcher.Until(context.Background(), launcher.StopSignals(), run)
	}
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage")

// contender is who is measured, and how it is started.
type contender struct {
	name  string
	start func(ctx context.Context) ([]byte, error)
}

// sample is a line of a contender: nanoseconds.
type sample struct{ per, enqueue float64 }

func run(ctx context.Context) error {
	f := flag.NewFlagSet("streams", flag.ContinueOnError)
	engines := f.String("engines", "ipc", "engines to measure, with commas between them")
	rounds := f.Int("rounds", 7, "how often each is started")
	pes := f.Int("n", 2, "PEs of the engines; the program in C has two")
	if err := f.Parse(os.Args[1:]); err != nil || *rounds < 1 {
		return errUsage
	}
	return launcher.InScratch(func(dir string) error {
		list, err := contenders(ctx, strings.Split(*engines, ","), *pes, dir)
		if err != nil {
			return err
		}
		found, rows := map[string]map[string][]sample{}, []string(nil)
		for range *rounds {
			for _, c := range list {
				out, err := c.start(ctx)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				if rows, err = collect(out, c.name, found, rows); err != nil {
					return err
				}
			}
		}
		return table(os.Stdout, list, rows, found)
	})
}

// contenders are the engines, and the program in C if it can be had.
func contenders(ctx context.Context, engines []string, pes int, dir string) (list []contender, err error) {
	for _, e := range engines {
		list = append(list, contender{e, func(ctx context.Context) ([]byte, error) { return job(ctx, e, pes) }})
	}
	program, err := bench.Streams(ctx, dir)
	if errors.Is(err, bench.ErrMissing) {
		fmt.Fprintln(os.Stderr, "without the program in C:", err)
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	return append(list, contender{"C", func(ctx context.Context) ([]byte, error) {
		return exec.CommandContext(ctx, program[0], program[1:]...).Output()
	}}), nil
}

// job runs this program as PEs over an engine.
func job(ctx context.Context, engine string, n int) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var first bytes.Buffer
	_, err = launcher.Run(ctx, launcher.Spec{
		N: n, Argv: []string{self, peName}, Env: []string{env.Engine + "=" + engine},
		Output: func(rank int) (io.Writer, io.Writer) {
			if rank == 0 {
				return &first, os.Stderr
			}
			return os.Stderr, os.Stderr
		},
	})
	return first.Bytes(), err
}

// collect reads the lines of a contender.
func collect(out []byte, who string, found map[string]map[string][]sample, rows []string) ([]string, error) {
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		parts := strings.Split(line, "\t")
		if len(parts) != 3 {
			return nil, fmt.Errorf("%s writes %q", who, line)
		}
		per, err := strconv.ParseFloat(parts[1], 64)
		enqueue, failed := strconv.ParseFloat(parts[2], 64)
		if err := errors.Join(err, failed); err != nil {
			return nil, fmt.Errorf("%s writes %q: %w", who, line, err)
		}
		row := parts[0]
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if found[row] == nil {
			found[row] = map[string][]sample{}
		}
		found[row][who] = append(found[row][who], sample{per, enqueue})
	}
	return rows, nil
}

// table prints the medians.
func table(w io.Writer, list []contender, rows []string, found map[string]map[string][]sample) error {
	text := "| row |"
	for _, c := range list {
		text += fmt.Sprintf(" %s us | enqueue us |", c.name)
	}
	text += "\n|---|" + strings.Repeat("---|---|", len(list)) + "\n"
	for _, row := range rows {
		text += "| " + row + " |"
		for _, c := range list {
			text += cells(found[row][c.name])
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

func cells(samples []sample) string {
	if len(samples) == 0 {
		return " | |"
	}
	var per, enqueue []float64
	for _, s := range samples {
		per, enqueue = append(per, s.per), append(enqueue, s.enqueue)
	}
	return fmt.Sprintf(" %.2f | %.2f |", median(per)/1000, median(enqueue)/1000)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
