package nvshmem

import (
	"context"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// joiner is one PE on its way into a world.
type joiner struct {
	*memory
	*block.Meetings
	ctx context.Context
	p   *process
	job engine.Job
}

// join makes the symmetric memory.
func join(ctx context.Context, p *process, job engine.Job, control engine.Heap) (*memory, error) {
	j := &joiner{
		memory: &memory{
			Memory:  block.Memory{Engine: name, Control: control, Bytes: job.HeapSize, Peers: make([]device.Ptr, job.Size)},
			compile: p.compile,
		},
		Meetings: block.Meet(ctx, control, job.Size), ctx: ctx, p: p, job: job,
	}
	for _, step := range []func() error{j.find, j.compare, j.initialise, j.started, j.allocate, j.reach} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return j.memory, nil
}

// find opens the driver and the library.
func (j *joiner) find() error {
	if j.p.used.Load() {
		return block.Of(device.ErrUnsupported, errUsed)
	}
	d, err := j.p.driver()
	if err != nil {
		return err
	}
	into, ok := d.(device.Caller)
	if !ok {
		return fmt.Errorf("nvshmem: %w: the driver %s cannot call other libraries", device.ErrUnsupported, d.Name())
	}
	j.GPU, j.Dev = d, j.job.LocalRank%d.Count()
	if j.lib, err = load(j.p.spec(), settings(j.job)); err != nil {
		return err
	}
	j.lib.into, j.lib.dev = into, j.Dev
	return nil
}

// compare has all PEs tell what must fit together, before the library is told of it.
func (j *joiner) compare() error {
	mine, err := j.tell()
	if err != nil {
		return err
	}
	all, err := j.Gather(mine)
	if err != nil {
		return err
	}
	return disagreement(all, j.job.Rank)
}

// initialise ships rank 0's id to everybody, and has the library start with it. The id
// and the attributes are given up with a call that does not come back.
func (j *joiner) initialise() error {
	if !j.p.used.CompareAndSwap(false, true) {
		return block.Of(device.ErrUnsupported, errUsed)
	}
	mem := dl.Borrow()
	id := dl.Out[nvshmem.UniqueID](mem)
	if err := j.share(id); err != nil {
		mem.Return()
		return err
	}
	attr := dl.Out[nvshmem.InitAttr](mem)
	attr.Prepare()
	word, err := j.lib.call(&j.lib.setArgs, uintptr(j.job.Rank), uintptr(j.job.Size), dl.Addr(id), dl.Addr(attr))
	if err := failed(&j.lib.setArgs, word, err); err != nil {
		return err
	}
	word, err = j.lib.watched(j.ctx, j.Control, j.Call(), &j.lib.initAttr, nvshmem.NVSHMEMX_INIT_WITH_UNIQUEID, dl.Addr(attr))
	if j.lib.Poisoned() == nil {
		mem.Return()
	}
	return failed(&j.lib.initAttr, word, err)
}

// share makes the id on rank 0. What goes over the exchange says whether there is one.
func (j *joiner) share(id *nvshmem.UniqueID) error {
	var made error
	if j.job.Rank == 0 {
		id.Version = nvshmem.NVSHMEMX_UNIQUEID_V1
		word, err := j.lib.call(&j.lib.uniqueID, dl.Addr(id))
		if made = failed(&j.lib.uniqueID, word, err); made != nil {
			id.Version = 0
			made = fmt.Errorf("%w: does NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME name an interface that is up?", made)
		}
	}
	if err := j.job.Exchange.Broadcast(j.ctx, dl.Memory(dl.Addr(id), 128), 0); err != nil {
		return errors.Join(made, err)
	}
	if made == nil && id.Version == 0 {
		return j.follow("PE 0 has made no id")
	}
	return made
}

// follow waits for the reason of a PE that has failed, which may be on its way still.
func (j *joiner) follow(what string) error {
	if _, err := j.Gather(engine.Words{}); err != nil {
		return err
	}
	return errors.New("nvshmem: " + what)
}

// started asks how the start has ended: that it came back does not say that it succeeded.
func (j *joiner) started() error {
	word, err := j.lib.call(&j.lib.initStatus)
	if err != nil {
		return err
	}
	status := dl.Status(word)
	if status < nvshmem.NVSHMEM_STATUS_IS_INITIALIZED {
		return fmt.Errorf("nvshmem: the library has come no further than status %d on its start (2 is wanted): NVSHMEM_DEBUG=INFO has it say why", status)
	}
	j.limited = status == nvshmem.NVSHMEM_STATUS_LIMITED_MPG
	pe, err := j.lib.call(&j.lib.myPE)
	if err != nil {
		return err
	}
	n, err := j.lib.call(&j.lib.nPEs)
	if err != nil {
		return err
	}
	if int(dl.Status(pe)) != j.job.Rank || int(dl.Status(n)) != j.job.Size {
		return fmt.Errorf("nvshmem: the library takes this PE for %d of %d, and it is %d of %d", dl.Status(pe), dl.Status(n), j.job.Rank, j.job.Size)
	}
	all, err := j.Gather(engine.Words{uint64(status)})
	if err != nil {
		return err
	}
	for pe, words := range all {
		if words[0] != uint64(status) {
			return block.Differ("nvshmem: the library has status %d on PE %d and %d here: as many PEs must share each GPU", words[0], pe, status)
		}
	}
	return nil
}

// allocate takes the memory of the whole world at once.
func (j *joiner) allocate() error {
	base, err := j.lib.watched(j.ctx, j.Control, j.Call(), &j.lib.align, alignment, j.Bytes+reserve)
	if err != nil {
		return err
	}
	if base == 0 {
		return fmt.Errorf("nvshmem: %w: no symmetric memory of %d bytes: lower GOSHMEM_HEAP_SIZE", device.ErrMemory, j.Bytes+reserve)
	}
	j.Base = base
	return nil
}

// reach finds where the others' memory is, and makes a stream of our own.
func (j *joiner) reach() error {
	j.direct = true
	for pe := range j.Peers {
		at, err := j.lib.call(&j.lib.ptr, j.Base, uintptr(pe))
		if err != nil {
			return err
		}
		j.Peers[pe] = device.Ptr(at)
		j.direct = j.direct && at != 0
	}
	if j.Peers[j.job.Rank] != device.Ptr(j.Base) {
		return fmt.Errorf("nvshmem: the library has the memory of this PE at %#x, and gave it at %#x", j.Peers[j.job.Rank], j.Base)
	}
	var err error
	if j.Stream, err = j.GPU.NewStream(j.Dev, 0); err != nil {
		return err
	}
	j.Looks = j.Stream
	j.world = &group{m: j.memory, team: nvshmem.NVSHMEM_TEAM_WORLD, self: j.job.Rank, size: j.job.Size}
	_, err = j.Gather(engine.Words{})
	return err
}
