package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/doctor"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch/launcher"
)

// stackCommand is `goshmem doctor rocshmem`.
func stackCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "rocshmem",
		Short: "Show what engine rocshmem stands on, and what is missing of it",
		Long: `Show what engine rocshmem stands on: Open MPI and UCX with ROCm, which the RO
backend needs, rocSHMEM itself, the GPUs that it was built for, the shim, and the
backend that the environment asks for. It asks ompi_info and ucx_info, reads what is
installed, and loads the shim in a process of its own.

The exit status is as that of goshmem doctor.`,
		Example: "  goshmem doctor rocshmem\n  mpirun -n 1 goshmem doctor rocshmem",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(orBackground(c.Context()), time.Minute)
			defer cancel()
			return showStack(ctx, c, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: a list of objects with name, seen, severity, why and fix")
	return c
}

func showStack(ctx context.Context, c *cobra.Command, asJSON bool) error {
	probe, err := prober()
	if err != nil {
		return err
	}
	all := probe.Libraries(ctx)
	var shim info.Library
	if i := slices.IndexFunc(all, func(l info.Library) bool { return l.Name == "rocshmem" }); i >= 0 {
		shim = all[i]
	}
	layers := doctor.ReadStack("/", os.Environ(), shim, func(program string, args ...string) string {
		out, err := exec.CommandContext(ctx, program, args...).Output()
		if err != nil {
			return "" // which is what a program that is not there prints
		}
		return string(out)
	}).Layers()
	if asJSON {
		e := json.NewEncoder(c.OutOrStdout())
		e.SetIndent("", "  ")
		err = e.Encode(layers)
	} else {
		err = doctor.WriteLayers(c.OutOrStdout(), layers)
	}
	if err != nil {
		return err
	}
	return severe(doctor.WorstOf(layers))
}

// severe turns the worst severity into the exit status.
func severe(worst doctor.Severity) error {
	switch worst {
	case doctor.Error:
		return &launcher.Error{Code: statusError, Err: errSilent}
	case doctor.Warning:
		return &launcher.Error{Code: statusWarning, Err: errSilent}
	}
	return nil
}
