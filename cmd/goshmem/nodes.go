package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/launch/launcher"
)

// nodeOptions are the flags about other machines.
type nodeOptions struct {
	count, rank int
	rdzv        string
}

func (o *nodeOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&o.count, "nnodes", 1, "number of machines; this command runs once on each, and N may differ")
	f.IntVar(&o.rank, "node-rank", -1, "number of this machine, from 0 (default: that of this task or pod under srun, mpirun or an indexed Job)")
	f.StringVar(&o.rdzv, "rdzv", "", "host:port where the machines meet, host being that of node 0 (default: GOSHMEM_RDZV); the ranks use the 16 ports that follow")
}

// nodes is the part of the job that runs here; nil: all of it does. One that several tasks
// of another launcher would each start a job of their own is an error: nobody means that
// who does not say so.
func (o *nodeOptions) nodes(c *cobra.Command, environ []string) (*launcher.Nodes, error) {
	around, err := launch.Around(environ)
	if err != nil {
		return nil, usage(c, err)
	}
	asked := c.Flags().Changed("nnodes")
	switch {
	case o.count < 1:
		return nil, usage(c, fmt.Errorf("--nnodes %d: a job runs on at least 1 machine", o.count))
	case !asked && around.Size > 1:
		return nil, usage(c, fmt.Errorf("%s started %d of this launcher, and each would run a job of its own: --nnodes %d makes them one job, --nnodes 1 says that they are meant to be apart", around.Family, around.Size, around.Size))
	case !asked && (o.rdzv != "" || o.numbered(c)):
		return nil, usage(c, fmt.Errorf("--rdzv and --node-rank are for jobs over several machines: --nnodes says over how many"))
	case o.numbered(c) && (o.rank < 0 || o.rank >= o.count):
		return nil, usage(c, fmt.Errorf("--node-rank %d: with --nnodes %d it is 0 to %d", o.rank, o.count, o.count-1))
	case o.count == 1:
		return nil, nil
	}
	n := &launcher.Nodes{Count: o.count, Rank: o.rank, Token: os.Getenv(env.Token)}
	if !o.numbered(c) {
		if n.Rank, err = o.among(around); err != nil {
			return nil, usage(c, err)
		}
	}
	if n.Rendezvous = cmp.Or(o.rdzv, os.Getenv(env.Rdzv)); n.Rendezvous == "" {
		return nil, usage(c, fmt.Errorf("--nnodes %d: --rdzv host:port, the same on all, says where the machines meet", o.count))
	}
	if !strings.HasPrefix(n.Rendezvous, "tcp:") && !strings.HasPrefix(n.Rendezvous, "unix:") {
		n.Rendezvous = "tcp:" + n.Rendezvous
	}
	if text := os.Getenv(env.Timeout); text != "" {
		if n.Wait, err = time.ParseDuration(text); err != nil {
			return nil, usage(c, fmt.Errorf("%s=%q: %w", env.Timeout, text, err))
		}
	}
	return n, nil
}

// numbered says whether the number of this machine was given.
func (o *nodeOptions) numbered(c *cobra.Command) bool { return c.Flags().Changed("node-rank") }

// among is the number of this machine as the launcher around this one has it, which must
// have started one on each.
func (o *nodeOptions) among(around launch.Job) (int, error) {
	switch {
	case around.Family == "none":
		return 0, fmt.Errorf("--nnodes %d: --node-rank says which of them this is", o.count)
	case around.Size > 0 && around.Size != o.count:
		return 0, fmt.Errorf("--nnodes %d, but %s started %d of this launcher: one on each machine is needed", o.count, around.Family, around.Size)
	}
	return around.Rank, nil
}
