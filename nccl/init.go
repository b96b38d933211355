package nccl

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/launch"
)

// Init makes this rank's communicator. All ranks of the job call it. It finds its rank,
// size and meeting point in what the launcher left, compares the versions and devices of
// all ranks, ships the id, and waits until the communicator is ready: as long as ctx
// allows, or Options.Timeout if it has no deadline. Collective. ncclGetUniqueId,
// ncclCommInitRankConfig.
func Init(ctx context.Context, o Options) (*Comm, error) {
	const op = "init"
	c, err := start(ctx, o)
	if err != nil {
		return nil, failed(op, timed(err))
	}
	return c, nil
}

func start(ctx context.Context, o Options) (*Comm, error) {
	s, err := o.settle()
	if err != nil {
		return nil, err
	}
	if grouped() != nil {
		return nil, problem(ErrArgument, "in a group: InitAll makes several communicators at once")
	}
	job, err := s.job()
	if err != nil {
		return nil, err
	}
	ctx, cancel := bounded(ctx, s.Timeout)
	defer cancel()
	m, err := s.meet(ctx, job)
	if err != nil {
		return nil, err
	}
	c, err := s.join(ctx, job, m)
	if err != nil {
		return nil, several(err, m.Close())
	}
	if c.checker == nil {
		err = m.Close()
	}
	return c, err
}

// job is the place of this rank.
func (o settled) job() (launch.Job, error) {
	if len(o.ids()) > 0 || o.Exchange != nil {
		if o.Size < 1 || o.Rank < 0 || o.Rank >= o.Size {
			return launch.Job{}, problem(ErrArgument, "rank %d of %d: Options.ID and Options.Exchange need Options.Rank and Options.Size", o.Rank, o.Size)
		}
		if len(o.ids()) > o.Size || o.ID != nil && o.IDs != nil {
			return launch.Job{}, problem(ErrArgument, "%d ids for %d ranks: Options.ID or Options.IDs, and at most one for each rank", len(o.IDs), o.Size)
		}
		return launch.Job{Rank: o.Rank, Size: o.Size, LocalRank: -1, LocalSize: -1}, nil
	}
	job, err := launch.Detect(os.Environ())
	switch {
	case err != nil:
		return job, err
	case o.Group != "":
		group, err := job.Group(o.Group, o.Rank, o.Size)
		group.LocalRank = job.LocalRank
		return group, err
	case o.Size != 0 && (o.Size != job.Size || o.Rank != job.Rank):
		return job, problem(ErrArgument, "Options say rank %d of %d, the launcher says %d of %d: leave them 0, or name a Group", o.Rank, o.Size, job.Rank, job.Size)
	}
	return job, nil
}

// ids are those that the program has brought.
func (o settled) ids() []ccl.ID {
	if o.ID != nil {
		return []ccl.ID{*o.ID}
	}
	return o.IDs
}

// join makes the communicator with the others.
func (o settled) join(ctx context.Context, job launch.Job, m *meeting) (*Comm, error) {
	number := max(job.LocalRank, 0)
	if job.LocalRank < 0 && o.Device == nil {
		number = job.Rank // several machines say which is which, or set Device
	}
	d, lib, chosen := o.choose(number)
	ids, err := m.agree(ctx, o, d, lib, chosen)
	if err != nil {
		return nil, err
	}
	place, err := placeOf(d)
	if err != nil {
		return nil, err
	}
	spec := ccl.Init{Device: place, Rank: job.Rank, Size: job.Size, IDs: ids, Config: o.config(), Grow: o.grow, Timeout: o.Timeout}
	made, _, err := apart(ctx, o.blocks(lib), func() (ccl.Comm, error) { return lib.Init(spec) }, drop)
	if err != nil {
		return nil, err
	}
	c := newComm(lib, made, d, place, o)
	new(family).add(c)
	if o.checked && m.exchange != nil {
		c.checker = &checker{exchange: newRemote(m, job), logf: o.Logf}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, c.settled(ctx, "init")
}

// config is what the library is told: not to block, unless the user says so.
func (o settled) config() *ccl.Config {
	c := o.Config
	if c.Blocking == nil {
		c.Blocking = new(false)
	}
	return &c
}

// tunes refuses what the loaded version would silently ignore.
func (o settled) tunes(lib ccl.Library) error {
	t, ok := lib.(ccl.Tuner)
	if !ok {
		return nil
	}
	if list := t.Ignored(&o.Config); len(list) > 0 {
		d := describe(lib)
		return problem(ErrUnsupported, "%s %s does not know Config.%s and would ignore it", d.Name, d.Version, strings.Join(list, ", Config."))
	}
	return nil
}

// placeOf is a device as libraries get it.
func placeOf(d *gpu.Device) (ccl.Device, error) {
	drv, err := devices.Open(d.Platform())
	return ccl.Device{Driver: drv, Index: d.Index()}, err
}

// NewUniqueID makes an id on one rank, for Options.ID of all (ncclGetUniqueId). Of the
// options Library, Path and Device count. This process must live until all have joined.
func NewUniqueID(o Options) (UniqueID, error) {
	const op = "unique id"
	s, err := o.settle()
	if err != nil {
		return UniqueID{}, failed(op, err)
	}
	_, lib, err := s.choose(0)
	if err != nil {
		return UniqueID{}, failed(op, err)
	}
	id, err := lib.UniqueID()
	return id, failed(op, err)
}

// InitAll makes one communicator for each device, all in this process: rank i is on
// devices[i]. No devices: all of the best platform, or of the one of Options.Library. Of
// the options Rank, Size, Group, Exchange, ID and Device do not count. It waits as Init
// does. ncclCommInitAll, with a config.
func InitAll(ctx context.Context, list []*gpu.Device, o Options) ([]*Comm, error) {
	const op = "init all"
	comms, err := initAll(ctx, list, o)
	if err != nil {
		return nil, failed(op, err)
	}
	return comms, nil
}

func initAll(ctx context.Context, list []*gpu.Device, o Options) ([]*Comm, error) {
	s, err := o.settle()
	if err != nil {
		return nil, err
	}
	if grouped() != nil {
		return nil, problem(ErrArgument, "in a group: there is one already")
	}
	if list == nil {
		if list, err = s.devices(); err != nil {
			return nil, err
		}
	}
	lib, err := s.common(list)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ctx, cancel := bounded(ctx, s.Timeout)
	defer cancel()
	comms, _, err := apart(ctx, s.blocks(lib), func() ([]*Comm, error) { return s.together(lib, list) }, func(late []*Comm) {
		_ = late[0].abort(nil) // nobody is left to be told
	})
	if err != nil {
		return nil, err
	}
	for _, c := range comms {
		c.mu.Lock()
		err := c.settled(ctx, "init all")
		c.mu.Unlock()
		if err != nil {
			return nil, err // which has aborted all
		}
	}
	return comms, nil
}

// common is the library of all devices, which are each there once on GPUs.
func (o settled) common(list []*gpu.Device) (ccl.Library, error) {
	var lib ccl.Library
	seen := map[*gpu.Device]int{}
	for i, d := range list {
		if d == nil {
			return nil, problem(ErrArgument, "device %d of the list is nil", i)
		}
		if before, twice := seen[d]; twice && d.Platform() != nameHost {
			return nil, problem(ErrArgument, "%v is there for ranks %d and %d: each rank needs a GPU of its own", d, before, i)
		}
		seen[d] = i
		if d.Platform() != list[0].Platform() {
			return nil, problem(ErrArgument, "%v and %v: one library does not work on both", list[0], d)
		}
		o.Device = d
		var err error
		if _, lib, err = o.choose(0); err != nil {
			return nil, err
		}
	}
	if lib == nil {
		return nil, nil
	}
	return lib, o.tunes(lib)
}

// together begins the communicators of all devices in one group, which a thread holds.
func (o settled) together(lib ccl.Library, list []*gpu.Device) ([]*Comm, error) {
	id, err := lib.UniqueID()
	if err != nil {
		return nil, err
	}
	place, err := placeOf(list[0])
	if err != nil {
		return nil, err
	}
	before, err := place.Enter()
	if err != nil {
		return nil, err
	}
	defer place.Leave(before)
	if err := lib.GroupStart(); err != nil {
		return nil, err
	}
	var comms []*Comm
	f := &family{}
	for rank, d := range list {
		var c *Comm
		if c, err = o.one(lib, d, rank, len(list), id); err != nil {
			break
		}
		f.add(c)
		if o.checked {
			c.checker = &checker{exchange: &local{board: f.posts()}, logf: o.Logf}
		}
		comms = append(comms, c)
	}
	if ended := lib.GroupEnd(); err == nil && !errors.Is(ended, ccl.ErrInProgress) {
		err = ended
	}
	if err != nil && len(comms) > 0 {
		return nil, several(err, comms[0].abort(nil))
	}
	return comms, err
}

// one begins the communicator of one device.
func (o settled) one(lib ccl.Library, d *gpu.Device, rank, size int, id ccl.ID) (*Comm, error) {
	place, err := placeOf(d)
	if err != nil {
		return nil, err
	}
	made, err := lib.Init(ccl.Init{Device: place, Rank: rank, Size: size, IDs: []ccl.ID{id}, Config: o.config(), Timeout: o.Timeout})
	if err != nil {
		return nil, err
	}
	return newComm(lib, made, d, place, o), nil
}
