package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goshmem/goshmem/launch/launcher"
)

// Peer is whom we are compared with: a program that takes orders over a unix
// socket. It may crash at its end.
type Peer struct {
	Name    string
	Version string
	Command func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd
}

// CompareOptions say how to compare. Worker and Peer are needed.
type CompareOptions struct {
	Options
	Peer  Peer
	Quick bool // few sizes
}

// compareBatch is longer than elsewhere: the largest blocks take 1 ms each.
const compareBatch = 4 * time.Millisecond

// Compare measures package shmem beside a peer. A job of each stays for a third of
// the samples of a number of PEs. They take turns, who has no turn sleeps, and both
// get the same orders.
func Compare(ctx context.Context, o CompareOptions) (Record, error) {
	if o.Batch == 0 {
		o.Batch = compareBatch
	}
	if err := o.settle(); err != nil {
		return Record{}, err
	}
	r := Record{Schema: Schema, Name: "compare", When: time.Now().UTC().Truncate(time.Second), Rounds: o.Rounds, Batch: o.Batch.String(), Notes: compareNotes()}
	c := comparison{measurement: measurement{Options: o.Options}, peer: o.Peer, quick: o.Quick}
	err := launcher.InScratch(func(dir string) (err error) {
		if c.cores, err = twoCores(); err != nil {
			return err
		}
		r.Machine = describe()
		for _, pes := range []int{2, 4, 8} {
			rows, err := c.worlds(ctx, dir, pes)
			if err != nil {
				return fmt.Errorf("%d PEs: %w", pes, err)
			}
			r.Rows = append(r.Rows, rows...)
		}
		r.Peer, r.Machine.LoadAfter = c.version, load()
		return nil
	})
	return r, err
}

// comparison is a run of Compare.
type comparison struct {
	measurement
	peer    Peer
	quick   bool
	version string // of the peer, from itself
}

// starts is how often both jobs are started. Which lines of memory a job happens to
// get for its flags decides how long they take between cores that are far apart, by
// a tenth and more, for as long as the job lives.
const starts = 3

// worlds compares jobs of so many PEs, and puts together what all starts gave.
func (c *comparison) worlds(ctx context.Context, dir string, pes int) ([]Row, error) {
	var all []Row
	for i, left := 0, c.Rounds; i < starts && left > 0; i++ {
		rounds := (left + starts - i - 1) / (starts - i)
		left -= rounds
		rows, err := c.world(ctx, dir, pes, rounds)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = rows
			continue
		}
		for k := range rows {
			all[k].Samples = append(all[k].Samples, rows[k].Samples...)
			all[k].settle()
		}
	}
	return all, nil
}

// world compares two jobs of so many PEs.
func (c *comparison) world(ctx context.Context, dir string, pes, rounds int) (rows []Row, err error) {
	ours, err := hire(ctx, "goshmem", dir, pes, func(ctx context.Context, socket string) error { return c.runOurs(ctx, socket, pes) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.dismiss(false)) }()
	theirs, err := hire(ctx, "the peer", dir, pes, func(ctx context.Context, socket string) error { return c.runTheirs(ctx, socket, pes) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, theirs.dismiss(true)) }()
	c.version = fmt.Sprintf("%s: %s, %s", c.peer.Name, c.peer.Version, theirs.said)
	var benches []bench
	for _, s := range cases(pes, c.quick) {
		benches = append(benches, bench{Case: s.Case, name: s.name(), wanted: s.wanted, ours: ours.side(s.order), peer: c.peer.Name, theirs: theirs.side(s.order)})
	}
	return contest{rounds: rounds, batch: c.Batch, cores: c.cores}.run(benches)
}

// bound says whether each PE gets a core of its own.
func (c *comparison) bound(pes int) bool { return pes == 2 && len(c.cores) == 2 }

func (c *comparison) runOurs(ctx context.Context, socket string, pes int) error {
	spec := launcher.Spec{N: pes, Argv: slices.Concat(c.Worker, []string{workOrder, socket})}
	if c.bound(pes) {
		spec.Bind = launcher.BindCores
	}
	_, err := c.job(ctx, spec)
	return err
}

// patience is how long a peer that was told to end may take before it is killed.
const patience = 5 * time.Second

func (c *comparison) runTheirs(ctx context.Context, socket string, pes int) error {
	var cores []int
	if c.bound(pes) {
		cores = c.cores
	}
	cmd := c.peer.Command(ctx, socket, pes, cores)
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &words, &words, patience
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &words)
	}
	return nil
}

// compareNotes are what a reader of the figures must know.
func compareNotes() []string {
	return []string{
		fmt.Sprintf("the samples of a row come from %d pairs of jobs, one after the other", starts),
		"two PEs are each bound to one core, the same cores on both sides; four and eight PEs are not bound",
		"one-sided operations go to the memory of a second process that sleeps meanwhile, from and to private memory",
		"hot: the same two blocks every time; rotating: round two areas of 64 MiB, which fit into no cache",
		"until seen and ping-pong are one way: half of a round trip",
		"ratio is ours by theirs, the median of the ratios of the samples; both sides of a sample ran next to each other, and in another order every round",
		"near, far, busy: how long a cache line took between two cores just before and after (under 170 ns, under 450 ns, more)",
	}
}

// Try starts a job of a peer, has it carry out every order that a comparison of so
// many PEs gives, a few times each, and returns what the peer says it is. It looks
// at no figure. Blocking.
func Try(ctx context.Context, dir string, p Peer, pes int) (said string, err error) {
	c := comparison{peer: p}
	if c.cores, err = twoCores(); err != nil {
		return "", err
	}
	r, err := hire(ctx, p.Name, dir, pes, func(ctx context.Context, socket string) error { return c.runTheirs(ctx, socket, pes) })
	if err != nil {
		return "", err
	}
	for _, s := range cases(pes, true) {
		if _, err = r.side(s.order)(few); err != nil {
			break
		}
	}
	return r.said, errors.Join(err, r.dismiss(true))
}

// few operations are enough to see whether they work.
const few = 25
