package shmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
	network "github.com/goshmem/goshmem/internal/reach"
	"github.com/goshmem/goshmem/launch"
)

// Init joins this process to a world and returns when all PEs have. Without a
// launcher and without Options it is a world of one PE. Blocking, collective over
// the job. OpenSHMEM: shmem_init; rocSHMEM: rocshmem_init_attr.
func Init(ctx context.Context, o Options) (*World, error) {
	w, err := start(orBackground(ctx), o)
	if errors.Is(err, launch.ErrLost) { // who dies is dead also before there is a world
		err = fmt.Errorf("%w: %w", ErrDied, err)
	}
	if err != nil {
		return nil, fail(nil, "init", noPeer, err)
	}
	return w, nil
}

func start(ctx context.Context, o Options) (*World, error) {
	c, err := o.config(defaultHeap)
	if err != nil {
		return nil, err
	}
	checked, err := o.checked()
	if err != nil {
		return nil, err
	}
	if o.Weak, err = o.weakSeed(); err != nil {
		return nil, err
	}
	job, err := o.job(os.Environ())
	if err != nil {
		return nil, err
	}
	if _, has := ctx.Deadline(); !has {
		limited, cancel := context.WithTimeoutCause(ctx, c.Timeout, &engine.Stall{Cause: ErrTimeout, After: c.Timeout, Limit: " (GOSHMEM_TIMEOUT or Options.Timeout)"})
		defer cancel()
		ctx = limited
	}
	heap, choice, err := o.open(ctx, c, job)
	if err != nil {
		return nil, err
	}
	info := Info{Reason: choice.Reason, Launcher: job.Family, NodeSize: c.NodeSize, Checked: checked, Weak: o.Weak, local: choice.LocalRank}
	if s, ok := heap.(engine.Spread); ok {
		info.Nodes = s.Nodes()
	}
	w, err := o.world(heap, info)
	if err != nil {
		heap.Fail(err.Error(), engine.Stays)
		return nil, errors.Join(err, heap.Close())
	}
	if err := w.greet(ctx, c); err != nil {
		w.fail(err, engine.Stays)
		w.close()
		return nil, errors.Join(err, w.closeMemory())
	}
	return w, nil
}

// world builds a world over an open heap.
func (o Options) world(h engine.Heap, info Info) (*World, error) {
	d, err := openDevice(h)
	if err != nil {
		return nil, err
	}
	o.device = d != nil
	seen, err := o.inModes(h)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	w := newWorld(seen, d, info, o.logf(info.Checked))
	if s, ok := h.(engine.Spread); ok {
		w.node = s.Node
	}
	return w, nil
}

// open finds the other processes, chooses an engine with them and opens it.
func (o Options) open(ctx context.Context, c engine.Config, launched launch.Job) (h engine.Heap, choice engines.Choice, err error) {
	job := engine.Job{Config: c, Rank: launched.Rank, Size: launched.Size, Exchange: o.Exchange}
	if job.Exchange == nil {
		store, err := launch.Join(ctx, launched)
		if err != nil {
			return nil, choice, err
		}
		defer func() { // memory is shared from here on: the rendezvous has done its work
			if closeErr := store.Close(); err == nil && closeErr != nil {
				err = closeErr
			}
		}()
		job.Exchange = store
	}
	if choice, err = engines.Choose(ctx, cmp.Or(o.Engine, os.Getenv(env.Engine)), o.engines(c), job); err != nil {
		if errors.As(err, &engines.Refusal{}) {
			err = problem(ErrArgument, "%v", err)
		}
		return nil, choice, err
	}
	if launched.LocalRank >= 0 && o.Exchange == nil {
		choice.LocalRank = launched.LocalRank
	}
	job.LocalRank, job.Machines = choice.LocalRank, choice.Machines
	if launched.Family != "goshmem" || launched.Nodes == 0 { // else our launcher has done so
		none, err := network.Tell(ctx, job.Exchange, job.Rank, job.Machines)
		if err != nil {
			return nil, choice, err
		}
		if none != "" {
			o.logf(true)("goshmem: no network interface reaches all machines: %s", none)
		}
	}
	if s, ok := choice.Engine.(engine.Sized); ok && !o.sized() {
		job.HeapSize = s.DefaultHeap()
	}
	h, err = choice.Engine.Open(ctx, job)
	return h, choice, err
}

// engines are those that can do what the options ask for.
func (o Options) engines(c engine.Config) []engine.Engine {
	if why := o.onlyHost(c); why != "" {
		return engines.HostOnly(engines.All(), why)
	}
	return engines.All()
}

// onlyHost is why none but the host engine can do what the options ask for.
func (o Options) onlyHost(c engine.Config) string {
	switch {
	case o.Weak != 0:
		return "weak mode is the host engine's"
	case c.NodeSize != 0:
		return "virtual nodes are the host engine's"
	case o.Race == RaceOn:
		return "race mode is the host engine's"
	}
	return ""
}

// greet is the first meeting of a world; its end means that everybody's memory is
// mapped everywhere.
func (w *World) greet(ctx context.Context, c engine.Config) error {
	call := w.world.call(engine.KindInit, "")
	mine := engine.Words{wordBytes: uint64(w.store.Size()), wordNode: uint64(c.NodeSize)}
	if w.info.Checked {
		mine[wordNode] |= isChecked
	}
	mine[wordWeak] = w.info.Weak
	all, err := w.world.gather(ctx, call, mine)
	if err != nil {
		return err
	}
	if err := differ(all, call, describeInit); err != nil {
		return fmt.Errorf("%w: %s, %s, %s and %s must be the same everywhere", err, env.HeapSize, env.NodeSize, env.Checked, env.Weak)
	}
	return w.openGroups(ctx, call)
}

// words of the first meeting, beside wordBytes.
const (
	wordNode = 1 // and isChecked
	wordWeak = 2

	isChecked = 1 << 63
)

func describeInit(words engine.Words) string {
	text := fmt.Sprintf("a heap of %d bytes", words[wordBytes])
	if node := words[wordNode] &^ isChecked; node > 0 {
		text += fmt.Sprintf(" on virtual nodes of %d", node)
	}
	if words[wordNode]&isChecked != 0 {
		text += " in checked mode"
	}
	if words[wordWeak] > 0 {
		text += fmt.Sprintf(" in weak mode with seed %d", words[wordWeak])
	}
	return text
}

// job says who this process is: the launcher's word, unless options replace it.
func (o Options) job(environ []string) (launch.Job, error) {
	if o.Exchange != nil {
		if o.Size < 1 || o.Rank < 0 || o.Rank >= o.Size {
			return launch.Job{}, problem(ErrArgument, "rank %d of %d: Options.Exchange needs Options.Rank and Options.Size", o.Rank, o.Size)
		}
		return launch.Job{Family: "exchange", Rank: o.Rank, Size: o.Size}, nil
	}
	job, err := launch.Detect(environ)
	switch {
	case err != nil:
		return job, problem(ErrArgument, "%v", err)
	case o.Group != "":
		if job, err = job.Group(o.Group, o.Rank, o.Size); err != nil {
			return job, problem(ErrArgument, "%v", err)
		}
	case o.Size != 0 && (o.Size != job.Size || o.Rank != job.Rank):
		return job, problem(ErrArgument, "Options say rank %d of %d, the launcher (%s) says rank %d of %d: name a subset of the processes in Options.Group", o.Rank, o.Size, job.Family, job.Rank, job.Size)
	case o.Size == 0 && o.Rank != 0:
		return job, problem(ErrArgument, "Options.Rank is %d but Options.Size is 0", o.Rank)
	}
	return job, nil
}

func (o Options) logf(checked bool) func(string, ...any) {
	switch {
	case o.Logf != nil:
		return o.Logf
	case checked:
		return func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	}
	return func(string, ...any) {}
}
