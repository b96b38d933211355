package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/doctor"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch"
)

// Exit statuses of the doctor, behind those that all commands have.
const (
	statusWarning = 3 // or leftovers that were not deleted
	statusError   = 4
)

// doctorCommand is `goshmem doctor`.
func doctorCommand() *cobra.Command {
	var asJSON bool
	var limit time.Duration
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Explain what on this machine may go wrong in a job",
		Long: `Explain what on this machine may go wrong in a job, and how to cure it; what is in
order is not printed. Under a launcher it is a job: rank 0 prints one report, with
what differs between the processes. It changes nothing (doctor clean does).

The exit status is 0 if nothing was found or notes only, 3 if the worst is a
warning, 4 if it is an error, 1 if the doctor itself could not work. In a job it is
that of rank 0; the other ranks exit with 0.`,
		Example: "  goshmem doctor\n  goshmem run -n 4 goshmem doctor\n  mpirun -n 4 goshmem doctor --json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if limit <= 0 {
				return usage(c, fmt.Errorf("time limit %v: must be positive", limit))
			}
			ctx, cancel := context.WithTimeout(orBackground(c.Context()), limit)
			defer cancel()
			return examine(ctx, c, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (the field \"schema\" has its version)")
	c.Flags().DurationVar(&limit, "timeout", time.Minute, "how long to wait for the other processes of a job")
	c.AddCommand(cleanCommand(), stackCommand())
	return c
}

// examine reads the machine, alone or with the other processes, and reports.
func examine(ctx context.Context, c *cobra.Command, asJSON bool) error {
	source, job, err := thisMachine(ctx)
	if err != nil {
		return err
	}
	mine := doctor.Ask(doctor.Read(source))
	all, err := together(ctx, job, mine)
	switch {
	case err != nil && job.Rank > 0: // rank 0 reports, if it is there
		return err
	case err != nil:
		return report(c, asJSON, doctor.Summarise(source.OS, []doctor.Answer{mine}, doctor.Cannot("job.meet", err)))
	case job.Rank > 0:
		return nil
	}
	return report(c, asJSON, doctor.Summarise(source.OS, all))
}

// thisMachine is where the record of this machine comes from, and its job. What
// is unclear about the job is a finding: this process then speaks for itself.
func thisMachine(ctx context.Context) (doctor.Source, launch.Job, error) {
	probe, err := prober()
	if err != nil {
		return doctor.Source{}, launch.Job{}, err
	}
	links, err := doctor.Links()
	if err != nil {
		return doctor.Source{}, launch.Job{}, fmt.Errorf("network interfaces: %w", err)
	}
	job, err := launch.Detect(os.Environ())
	if err != nil {
		job = launch.Job{Size: 1}
	}
	s := doctor.Source{
		OS: runtime.GOOS, Root: "/", Environ: os.Environ(), Places: doctor.Places(), Usable: info.Usable,
		Kernel: info.AskKernel(), Launch: described(job, err), Links: links, Libraries: probe.Libraries(ctx),
	}
	for _, e := range engines.All() {
		s.Engines = append(s.Engines, e.Name())
	}
	return s, job, nil
}

// together gives rank 0 the answers of all processes. It uses the store and not a
// world: a store works between machines, and where no engine can run, which is
// when a doctor is needed.
func together(ctx context.Context, job launch.Job, mine doctor.Answer) ([]doctor.Answer, error) {
	store, err := launch.Join(ctx, job)
	if err != nil {
		return nil, err
	}
	all, err := doctor.Gather(ctx, store, job.Size, mine)
	if err == nil { // rank 0 must not close the store before the others have what they wait for
		err = store.Barrier(ctx)
	}
	if closeErr := store.Close(); err == nil {
		err = closeErr
	}
	return all, err
}

// report prints, and turns the worst finding into the exit status.
func report(c *cobra.Command, asJSON bool, r doctor.Report) error {
	print := r.WriteText
	if asJSON {
		print = r.WriteJSON
	}
	if err := print(c.OutOrStdout()); err != nil {
		return err
	}
	return severe(r.Worst())
}

// errSilent is an exit status about which everything has been printed.
var errSilent = errors.New("said already")
