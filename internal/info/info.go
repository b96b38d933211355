// Package info gathers what `goshmem info` shows: what this machine has, which
// engines and libraries can be used on it and why not, and what the environment
// says. Gathering changes nothing, and needs neither a job nor a GPU.
package info

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// Schema is the version of the JSON form. It grows when a field changes its
// meaning or goes away; new fields alone leave it as it is.
const Schema = 1

// Info is everything that is shown.
type Info struct {
	Schema    int        `json:"schema"`
	Build     Build      `json:"goshmem"`
	System    System     `json:"system"`
	Engines   []Engine   `json:"engines"`
	Machines  Machines   `json:"machines"`
	Libraries []Library  `json:"libraries"`
	Devices   []Device   `json:"devices"`
	Launch    Launch     `json:"launch"`
	Variables []Variable `json:"variables"` // ours, set or not
	Foreign   []Variable `json:"foreign"`   // set ones of launchers, vendors and Go
	Warnings  []string   `json:"warnings"`
}

// Engine is one compiled-in engine.
type Engine struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason"` // why it can run, or cannot
}

// Machines says whether a job over several machines can use engine host, which goes from
// one to another by UCX.
type Machines struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason"` // the library that carries it, or why there is none
}

// Launch is the job that the environment describes. The caller fills it in: who
// started us is the business of a package that this one must not know.
type Launch struct {
	Family     string   `json:"family,omitempty"`
	Rank       int      `json:"rank"`
	Size       int      `json:"size"`
	LocalSize  int      `json:"local_size,omitempty"` // on this machine; -1: unknown
	Rendezvous string   `json:"rendezvous,omitempty"`
	Outer      []string `json:"outer,omitempty"` // launchers around the one that counts
	Problem    string   `json:"problem,omitempty"`
}

// Options is what Gather cannot find out by itself.
type Options struct {
	Engines []engine.Engine
	Launch  Launch
	Probe   Prober
}

// Gather looks at the machine.
func Gather(ctx context.Context, o Options) *Info {
	i := &Info{
		Schema:    Schema,
		Build:     ThisBuild(),
		System:    ReadSystem("/", AskKernel()),
		Engines:   verdicts(o.Engines),
		Libraries: o.Probe.Libraries(ctx),
		Devices:   Devices("/", Usable),
		Launch:    o.Launch,
		Variables: ours(),
		Foreign:   foreign(os.Environ()),
	}
	i.Machines = machines(i.Libraries)
	markProblems(os.Environ(), i.Engines, i.Variables, i.Foreign)
	i.Warnings = i.warn()
	return i
}

func verdicts(all []engine.Engine) []Engine {
	list := make([]Engine, len(all))
	for i, e := range all {
		v := e.Probe()
		list[i] = Engine{Name: e.Name(), OK: v.OK, Reason: v.Reason}
	}
	return list
}

// machines is what the library between machines allows.
func machines(all []Library) Machines {
	at := slices.IndexFunc(all, func(l Library) bool { return l.Name == abi.UCX().Name })
	switch {
	case at < 0:
		return Machines{Reason: "UCX was not looked for"}
	case all[at].Problem != "":
		return Machines{Reason: "UCX: " + all[at].short()}
	}
	var major, minor int
	if _, err := fmt.Sscanf(all[at].Version, "%d.%d", &major, &minor); err != nil || major != 1 || minor < 13 {
		return Machines{Reason: fmt.Sprintf("UCX: %s is version %s, and 1.13 or a later 1.x is needed", all[at].Path, all[at].Version)}
	}
	return Machines{OK: true, Reason: "by UCX " + all[at].Version}
}

// warn lists what works and yet is probably not what the user wants.
func (i *Info) warn() []string {
	list := []string{}
	s := i.System
	if s.MaxProcs == 1 && s.Cores > 1 {
		list = append(list, "GOMAXPROCS is 1 on a machine with more cores: a launcher that binds each process to one core does this; waiting and progress then share one thread (mpirun: --bind-to none)")
	}
	if !s.Memfd && i.Build.OS == "linux" {
		list = append(list, "no anonymous memory files (memfd): processes cannot share symmetric memory")
	}
	if err := env.Check(); err != nil {
		list = append(list, err.Error())
	}
	if i.Launch.Problem != "" {
		list = append(list, i.Launch.Problem)
	}
	return list
}
