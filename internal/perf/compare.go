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
	Lacks   []string // collectives that it does not have
	Spins   bool     // it keeps the core while it waits, so that more PEs than cores hardly get on
	Heap    bool     // its vectors are in a symmetric heap: private ones must be copied, as ours
}

// The peers' names.
const (
	OSHMEM  = "Open MPI OSHMEM"
	OpenMPI = "Open MPI"
	MPICH   = "MPICH"
)

// CompareOptions say how to compare. Worker and at least one peer are needed.
type CompareOptions struct {
	Options
	Peers       []Peer
	Quick       bool   // few sizes
	Collectives bool   // these, instead of one-sided operations and barriers
	NCCL        bool   // collectives of package nccl on its host library
	Nodes       bool   // with Collectives: over two virtual nodes, which bench.OverNodes has set up
	Only        string // rows whose name contains it
}

// compareBatch is longer than elsewhere: the largest blocks take 1 ms each.
const compareBatch = 4 * time.Millisecond

// Compare measures package shmem beside peers. A job of each stays for a third of
// the samples of a number of PEs. They take turns, who has no turn sleeps, and all
// get the same orders.
func Compare(ctx context.Context, o CompareOptions) (Record, error) {
	if o.Batch == 0 {
		o.Batch = compareBatch
	}
	if err := o.settle(); err != nil {
		return Record{}, err
	}
	r := Record{Schema: Schema, Name: "compare", When: time.Now().UTC().Truncate(time.Second), Rounds: o.Rounds, Batch: o.Batch.String(), Notes: compareNotes()}
	worlds := []int{2, 4, 8}
	if o.Collectives {
		r.Name, r.Notes, worlds = "collectives", collectiveNotes(), []int{2, 4}
	}
	if o.Nodes {
		r.Name, worlds = "nodes", []int{4}
	}
	if o.NCCL {
		r.Name, r.Notes, worlds = "nccl", libraryNotes(), []int{2}
	}
	c := comparison{measurement: measurement{Options: o.Options}, o: o, said: make([]string, len(o.Peers))}
	err := launcher.InScratch(func(dir string) (err error) {
		if c.cores, err = twoCores(); err != nil {
			return err
		}
		r.Machine = describe()
		for _, pes := range worlds {
			rows, err := c.worlds(ctx, dir, pes)
			if err != nil {
				return fmt.Errorf("%d PEs: %w", pes, err)
			}
			r.Rows = append(r.Rows, rows...)
		}
		r.Peer, r.Machine.LoadAfter = strings.Join(c.said, "; "), load()
		return nil
	})
	switch {
	case o.NCCL:
		r.Goals = libraryGoals(r.Rows)
	case o.Nodes:
		r.Goals = nodesGoals(r.Rows)
	case o.Collectives:
		r.Goals = collectiveGoals(r.Rows)
	}
	return r, err
}

// comparison is a run of Compare.
type comparison struct {
	measurement
	o    CompareOptions
	said []string // by each peer about itself
}

// starts is how often both jobs are started. Which lines of memory a job happens to
// get for its flags decides how long they take between cores that are far apart, by
// a tenth and more, for as long as the job lives.
const starts = 3

// worlds compares jobs of so many PEs, and puts together what all starts gave.
func (c *comparison) worlds(ctx context.Context, dir string, pes int) ([]Row, error) {
	var all []Row
	if len(c.o.cases(pes)) == 0 {
		return nil, nil
	}
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

// world compares a job of ours and one of each peer.
func (c *comparison) world(ctx context.Context, dir string, pes, rounds int) (rows []Row, err error) {
	ours, err := hire(ctx, "goshmem", dir, pes, func(ctx context.Context, socket string) error { return c.runOurs(ctx, socket, pes) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.dismiss(false)) }()
	theirs := make([]*remote, len(c.o.Peers)) // nil: not compared
	for i, p := range c.o.Peers {
		if p.Spins && !c.bound(pes) {
			continue
		}
		if theirs[i], err = c.hire(ctx, p, dir, pes); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, theirs[i].dismiss(true)) }()
		c.said[i] = p.describe(theirs[i].said)
	}
	var benches []bench
	for _, s := range c.o.cases(pes) {
		b := bench{Case: s.Case, name: s.name(), wanted: s.wanted, ours: ours.side(s.order)}
		for i, p := range c.o.Peers {
			if theirs[i] != nil && !slices.Contains(p.Lacks, s.Op) {
				b.rivals = append(b.rivals, rival{p.Name, theirs[i].side(p.order(s.order))})
			}
		}
		benches = append(benches, b)
	}
	return contest{rounds: rounds, batch: c.Batch, cores: c.cores}.run(benches)
}

// cases are the rows of a world.
func (o *CompareOptions) cases(pes int) []subject {
	all := cases
	switch {
	case o.NCCL:
		all = libraryCases
	case o.Collectives:
		all = collectiveCases
	}
	return slices.DeleteFunc(all(pes, o.Quick), func(s subject) bool { return !strings.Contains(s.name(), o.Only) })
}

// order is what a peer is told instead of ours.
func (p Peer) order(o Order) Order {
	if !p.Heap {
		o.Op, _ = cutPlace(o.Op)
	}
	return o
}

// hire starts a job of a peer.
func (c *comparison) hire(ctx context.Context, p Peer, dir string, pes int) (*remote, error) {
	return hire(ctx, p.Name, dir, pes, func(ctx context.Context, socket string) error { return c.runTheirs(ctx, p, socket, pes) })
}

// describe says what a peer is, with what it says itself.
func (p Peer) describe(said string) string {
	said = strings.Join(strings.Fields(said), " ")
	if p.Version == "" {
		return p.Name + ": " + said
	}
	return p.Name + ": " + p.Version + ", " + said
}

// bound says whether each PE gets a core of its own.
func (c *comparison) bound(pes int) bool { return pes == 2 && len(c.cores) == 2 }

func (c *comparison) runOurs(ctx context.Context, socket string, pes int) error {
	args := []string{workOrder, socket}
	if c.bound(pes) {
		args = append(args, workBound)
	}
	_, err := c.job(ctx, launcher.Spec{N: pes, Argv: slices.Concat(c.Worker, args)})
	return err
}

// patience is how long a peer that was told to end may take before it is killed.
const patience = 5 * time.Second

func (c *comparison) runTheirs(ctx context.Context, p Peer, socket string, pes int) error {
	var cores []int
	if c.bound(pes) {
		cores = c.cores
	}
	cmd := p.Command(ctx, socket, pes, cores)
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
		"two PEs are each bound to one core, the same cores on both sides (of ours the thread that works, not those of the Go runtime that only look after it); four and eight PEs are not bound",
		"one-sided operations go to the memory of a second process that sleeps meanwhile, from and to private memory",
		"hot: the same two blocks every time; rotating: round two areas of 64 MiB, which fit into no cache",
		"until seen and ping-pong are one way: half of a round trip",
		"ratio is ours by theirs, the median of the ratios of the samples; both sides of a sample ran next to each other, and in another order every round",
		"near, far, busy: how long a cache line took between two cores just before and after (under 170 ns, under 450 ns, more)",
	}
}

// collectiveNotes are those of collectives.
func collectiveNotes() []string {
	return []string{
		fmt.Sprintf("the samples of a row come from %d sets of jobs, one after the other", starts),
		"two PEs are each bound to one core, the same cores on all sides (of ours the thread that works, not those of the Go runtime that only look after it); four PEs are not bound, and are not compared with libraries that keep a core while they wait",
		"sizes are those of the whole: of the vector that is broadcast or reduced, of what fcollect makes, of the input of reducescatter, of what each PE has for all in alltoall",
		"heap: the vectors of goshmem and OSHMEM are in the symmetric heap; private: they are private memory, copied to the heap and back inside the timing; MPI has private vectors in both",
		"the time goes from a barrier to a barrier around all calls of a sample, with the same vectors in each call",
		"peer is the one with the smallest median; ratio is ours by theirs, the median of the ratios of the samples; all sides of a sample ran next to each other, and in another order every round",
		"near, far, busy: how long a cache line took between two cores just before and after (under 170 ns, under 450 ns, more)",
	}
}

// libraryNotes are those of package nccl.
func libraryNotes() []string {
	return append(collectiveNotes()[:2], append([]string{
		"each call of ours is enqueued on a stream and waited for with Synchronize, as MPI's calls wait",
		"device: the vectors of ours are memory of platform host, which both processes map; slices: they are Go slices, which pass through rooms; MPI has private vectors in both",
		"sizes are those of the whole: of the vector that is broadcast or reduced, of what the all-gather (fcollect) makes, of the input of the reduce-scatter, of what each rank has for all in the all-to-all",
	}, collectiveNotes()[4:]...)...)
}

// Try starts a job of a peer, has it carry out every order that such a comparison of
// so many PEs gives, a few times each, and returns what the peer says it is. It looks
// at no figure. Blocking.
func Try(ctx context.Context, dir string, p Peer, pes int, collectives bool) (said string, err error) {
	c := comparison{o: CompareOptions{Quick: true, Collectives: collectives}}
	if c.cores, err = twoCores(); err != nil {
		return "", err
	}
	r, err := c.hire(ctx, p, dir, pes)
	if err != nil {
		return "", err
	}
	for _, s := range c.o.cases(pes) {
		if slices.Contains(p.Lacks, s.Op) {
			continue
		}
		if _, err = r.side(p.order(s.order))(few); err != nil {
			break
		}
	}
	return r.said, errors.Join(err, r.dismiss(true))
}

// few operations are enough to see whether they work.
const few = 25
