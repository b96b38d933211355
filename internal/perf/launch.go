package perf

import (
	"context"
	"slices"
	"time"

	"github.com/goshmem/goshmem/internal/perf/first"
	"github.com/goshmem/goshmem/launch/launcher"
)

const (
	launched     = 4 // processes
	launchWanted = 2.0
)

// launches are the rows of whole jobs, from Run of the launcher to its return.
func (m *measurement) launches(ctx context.Context, p programs) ([]Row, error) {
	hello := m.jobs(ctx, p.hello)
	c := contest{rounds: m.Rounds, cores: m.cores} // one job is a batch
	return c.run([]bench{
		{name: "launch to first barrier, 4 PEs", ours: m.jobs(ctx, p.first, first.Exit), rivals: against("four Go hellos", hello), wanted: launchWanted, note: p.note},
		{name: "launch to finalize, 4 PEs", ours: m.jobs(ctx, p.first, first.Finalize), rivals: against("four Go hellos", hello), note: p.note},
	})
}

// jobs is a side that launches a program.
func (m *measurement) jobs(ctx context.Context, program []string, args ...string) side {
	spec := launcher.Spec{N: launched, Argv: slices.Concat(program, args)}
	return func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if _, err := m.job(ctx, spec); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
}
