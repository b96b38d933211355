package rocshmem

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// joiner is one PE on its way into a world.
type joiner struct {
	*memory
	*block.Meetings
	ctx     context.Context
	p       *process
	job     engine.Job
	set     settings
	backend string
}

// join makes the symmetric memory.
func join(ctx context.Context, p *process, job engine.Job, control engine.Heap) (*memory, error) {
	j := &joiner{
		memory: &memory{
			Memory: block.Memory{Engine: name, Control: control, Bytes: job.HeapSize, Peers: make([]device.Ptr, job.Size)},
			rank:   job.Rank,
		},
		Meetings: block.Meet(ctx, control, job.Size), ctx: ctx, p: p, job: job,
	}
	for _, step := range []func() error{j.find, j.compare, j.start, j.started, j.allocate, j.reach} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return j.memory, nil
}

// find opens the shim and the driver, and refuses what the library would end the process for.
func (j *joiner) find() error {
	if j.p.used.Load() {
		return block.Of(device.ErrUnsupported, ErrUsed)
	}
	var err error
	if j.set, err = readSettings(j.p.environ()); err != nil {
		return guarded(err)
	}
	lib, driver, err := j.p.load(j.Bytes + reserve + spare)
	if err != nil {
		return err
	}
	j.lib, j.GPU, j.Dev = newLibrary(lib), driver, j.job.LocalRank%driver.Count()
	if lib.AtOnce() {
		if j.lib.turns, err = order(lib, driver, j.Dev); err != nil {
			return err
		}
	}
	if j.set.several = j.job.Several(); j.set.several {
		j.set.rdma = rdma("/")
	}
	if j.backend, err = j.set.choose(lib.Facts()); err == nil {
		err = j.set.mayStart(j.backend, j.job.Size, mpiInitialised)
	}
	if err != nil {
		return guarded(err)
	}
	return j.fits()
}

// fits refuses a heap that the GPU has no room for.
func (j *joiner) fits() error {
	free, _, err := j.GPU.MemoryInfo(j.Dev)
	if err != nil {
		return err
	}
	if need := uint64(j.Bytes + reserve + spare); need > free {
		return fmt.Errorf("rocshmem: %w: a heap of %d bytes, and %d of the library's, do not fit into the %d that %s:%d has free: lower GOSHMEM_HEAP_SIZE", device.ErrMemory, j.Bytes, reserve+spare, free, j.GPU.Name(), j.Dev)
	}
	return nil
}

// compare has all PEs tell what must fit together, before the library is told of it.
func (j *joiner) compare() error {
	about := j.lib.Facts()
	all, err := j.Gather(engine.Words{hash(about.String()), uint64(j.Bytes), hash(j.backend)})
	if err != nil {
		return err
	}
	for pe, words := range all {
		switch {
		case words[0] != all[j.rank][0]:
			return block.Differ("rocshmem: PE %d has another shim than this PE (%v, %s): all must be built over the same rocSHMEM", pe, about, j.lib.Path())
		case words[1] != all[j.rank][1]:
			return block.Differ("PE %d has a heap of %d bytes, this PE %d: GOSHMEM_HEAP_SIZE must be the same everywhere", pe, words[1], j.Bytes)
		case words[2] != all[j.rank][2]:
			return block.Differ("rocshmem: PE %d would start another backend than this PE (%s): %s must be the same everywhere", pe, j.backend, backendVar)
		}
	}
	return nil
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // a hash takes everything
	return h.Sum64()
}

// start ships rank 0's id to everybody, and has the library start with it.
func (j *joiner) start() error {
	if !j.p.used.CompareAndSwap(false, true) {
		return block.Of(device.ErrUnsupported, ErrUsed)
	}
	if err := j.lib.do(func(l *rocshmem.Library) { l.SetDevice(int32(j.Dev)) }); err != nil {
		return err
	}
	id, err := j.share()
	if err != nil {
		return err
	}
	var status int32
	err = j.lib.watched(j.ctx, j.Control, j.Call(), "the start", func(l *rocshmem.Library) { status = l.Begin(j.rank, j.job.Size, id) })
	if err != nil {
		return err
	}
	return failed("the start", status)
}

// share makes the id on rank 0. What goes over the exchange says whether there is one.
func (j *joiner) share() (id [rocshmem.UniqueIDBytes]byte, err error) {
	var parcel [rocshmem.UniqueIDBytes + 1]byte
	var made error
	if j.rank == 0 {
		var status int32
		made = j.lib.do(func(l *rocshmem.Library) { id, status = l.UniqueID() })
		if made == nil {
			made = failed("making the unique id", status)
		}
		if made == nil {
			copy(parcel[1:], id[:])
			parcel[0] = 1
		}
	}
	if err := j.job.Exchange.Broadcast(j.ctx, parcel[:], 0); err != nil {
		return id, errors.Join(made, err)
	}
	if made == nil && parcel[0] == 0 {
		_, err := j.Gather(engine.Words{}) // the reason may be on its way still
		return id, errors.Join(err, errors.New("rocshmem: PE 0 has made no unique id"))
	}
	copy(id[:], parcel[1:])
	return id, made
}

// started holds the library to what it was told, and to the backend that was expected.
func (j *joiner) started() error {
	var pe, n int32
	kind := int32(-1)
	err := j.lib.do(func(l *rocshmem.Library) {
		pe, n = l.MyPe(), l.NPes()
		j.team = rocshmem.Team(l.TeamWorld())
		if l.Has(rocshmem.FnGetBackendType) {
			kind = l.GetBackendType()
		}
	})
	if err != nil {
		return err
	}
	if int(pe) != j.rank || int(n) != j.job.Size {
		return fmt.Errorf("rocshmem: the library takes this PE for %d of %d, and it is %d of %d", pe, n, j.rank, j.job.Size)
	}
	if kind >= 0 && int(kind) < len(backends()) { // which are numbered in the order in which they are looked for
		j.backend = backends()[kind]
	}
	j.narrow = j.backend == "gda"
	_, err = j.Gather(engine.Words{})
	return err
}

// allocate takes the memory of the whole world at once.
func (j *joiner) allocate() error {
	err := j.lib.watched(j.ctx, j.Control, j.Call(), "the allocation of the heap", func(l *rocshmem.Library) { j.Base = l.Malloc(uint64(j.Bytes + reserve)) })
	if err != nil {
		return err
	}
	if j.Base == 0 {
		return fmt.Errorf("rocshmem: %w: no symmetric memory of %d bytes: lower GOSHMEM_HEAP_SIZE", device.ErrMemory, j.Bytes+reserve)
	}
	return nil
}

// reach finds where the others' memory is, and makes a stream of our own.
func (j *joiner) reach() error {
	err := j.lib.do(func(l *rocshmem.Library) {
		for pe := range j.Peers {
			j.Peers[pe] = device.Ptr(l.Ptr(rocshmem.Symmetric(j.Base), rocshmem.PE(pe)))
		}
	})
	if err != nil {
		return err
	}
	if j.Peers[j.rank] == 0 { // a library without IPC has no address for anybody
		j.Peers[j.rank] = device.Ptr(j.Base)
	}
	if j.Peers[j.rank] != device.Ptr(j.Base) {
		return fmt.Errorf("rocshmem: the library has the memory of this PE at %#x, and gave it at %#x", j.Peers[j.rank], j.Base)
	}
	if j.Stream, err = j.GPU.NewStream(j.Dev, 0); err != nil {
		return err
	}
	j.Looks, err = j.GPU.NewStream(j.Dev, 0)
	if err != nil {
		return err
	}
	j.world = &group{m: j.memory, team: j.team, self: j.rank, size: j.job.Size}
	_, err = j.Gather(engine.Words{})
	return err
}
