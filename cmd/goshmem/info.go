package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch"
)

// probeFlag makes this program the process that loads the vendor libraries. It is
// hidden: only info itself passes it, to a process of its own.
const probeFlag = "probe-libraries"

// infoCommand is `goshmem info`.
func infoCommand() *cobra.Command {
	var asJSON, verbose bool
	var probe []string
	c := &cobra.Command{
		Use:   "info",
		Short: "Show what this machine has and what goshmem can use of it",
		Long: "Show version, machine and limits, the engines and why each can or cannot run here,\n" +
			"the vendor libraries with path and version, devices, the job that the environment\n" +
			"describes, and the variables that there are. It needs neither a job nor a GPU.",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed(probeFlag) {
				return info.ServeProbe(c.OutOrStdout(), probe)
			}
			return showInfo(c.Context(), c.OutOrStdout(), asJSON, verbose)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (the field \"schema\" has its version)")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "also print every place where a library was looked for")
	c.Flags().StringSliceVar(&probe, probeFlag, nil, "load these libraries and describe them")
	c.Flags().Lookup(probeFlag).Hidden = true
	return c
}

// showInfo gathers and prints.
func showInfo(ctx context.Context, out io.Writer, asJSON, verbose bool) error {
	if ctx == nil {
		ctx = context.Background() // cobra has none when a command is executed without one
	}
	probe, err := prober()
	if err != nil {
		return err
	}
	i := info.Gather(ctx, info.Options{Engines: engines.All(), Launch: launched(), Probe: probe})
	if !asJSON {
		return i.WriteText(out, verbose)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(i)
}

// prober starts this program as the process that loads the vendor libraries.
func prober() (info.Prober, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return func(ctx context.Context, names []string) *exec.Cmd {
		args := []string{"info"}
		for _, name := range names {
			args = append(args, "--"+probeFlag, name)
		}
		return exec.CommandContext(ctx, self, args...)
	}, nil
}

// launched says which job the environment describes.
func launched() info.Launch { return described(launch.Detect(os.Environ())) }

// described is a job in the words of package info.
func described(job launch.Job, err error) info.Launch {
	if err != nil {
		return info.Launch{Problem: err.Error()}
	}
	return info.Launch{Family: job.Family, Rank: job.Rank, Size: job.Size, LocalSize: job.LocalSize, Rendezvous: job.Rendezvous, Outer: job.Outer}
}
