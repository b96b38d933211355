package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
)

// world is what the ranks of a communicator share, as one of them sees it.
type world struct {
	heap *enginehost.Heap
	gate gate
	slot uintptr // bytes of a slot of a pipe

	// What others can read of this rank is size bytes at base. They know it by locations,
	// which peers turn into addresses here.
	base, size uintptr
	peers      []uintptr
	closers    []func() error
}

// gate is the meeting point of all ranks, which can also be looked at.
type gate interface {
	engine.Gate
	Here(i int) bool
	Free(staged bool) bool
}

// location is how others know an address of this rank; 0: not at all.
func (w *world) location(addr uintptr) uint64 {
	if at := addr - w.base; at < w.size {
		return uint64(at) + 1
	}
	return 0
}

// address is where a location of a rank is here.
func (w *world) address(rank int, location uint64) uintptr {
	return w.peers[rank] + uintptr(location) - 1
}

// join makes the world of a place. Collective.
func (l *Library) join(ctx context.Context, p Place, d *devicehost.Driver) (*world, error) {
	x, err := l.meet(ctx, p)
	if err != nil {
		return nil, err
	}
	w := &world{}
	if err = l.enter(ctx, x, p, d, w); err == nil {
		call := engine.Call{Kind: engine.KindInit, Seq: 1}
		err = w.gate.Meet(ctx, call)
	}
	if err = errors.Join(err, x.Close()); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// enter gets memory to share with all others.
func (l *Library) enter(ctx context.Context, x Exchange, p Place, d *devicehost.Driver, w *world) error {
	mine := l.card(d, w)
	cards := make([]card, p.Size)
	local := true
	for i := range cards {
		if cards[i] = mine; i != p.Rank {
			cards[i] = card{}
		}
		if err := x.Broadcast(ctx, cards[i][:], i); err != nil {
			return err
		}
		local = local && cards[i].process() == mine.process()
	}
	heap, err := l.open(ctx, x, p, local)
	if err != nil {
		return err
	}
	w.heap, w.slot = heap, slotFor(!local || l.staged)
	w.closers = append(w.closers, heap.Close, heap.Unmap)
	members := make([]int, p.Size)
	for i := range members {
		members[i] = i
	}
	w.gate = heap.Gate(0, members, 0).(gate)
	w.peers = make([]uintptr, p.Size)
	if local && !l.staged {
		w.base, w.size = 0, math.MaxUint // all of the process
		return nil
	}
	return l.reach(cards, mine, d, w)
}

// forever is longer than programs run: who waits for a stream gives up when he likes, and
// then ends the communicator.
const forever = 100 * 365 * 24 * time.Hour

// open makes the world of the host engine, of goroutines if all ranks are in this process.
func (l *Library) open(ctx context.Context, x Exchange, p Place, local bool) (*enginehost.Heap, error) {
	c := engine.Config{HeapSize: heapSize(p.Size, !local || l.staged), Timeout: forever}
	if !local {
		h, err := enginehost.Engine{}.Open(ctx, engine.Job{Config: c, Rank: p.Rank, Size: p.Size, Exchange: x})
		if err != nil {
			return nil, err
		}
		return oneNode(h.(*enginehost.Heap))
	}
	if p.Rank == 0 {
		heaps, err := enginehost.Engine{}.OpenLocal(p.Size, c)
		if err != nil {
			return nil, err
		}
		l.locals.put(p.Name, heaps)
	}
	err := x.Barrier(ctx)
	h := l.locals.take(p.Name, p.Rank)
	if err == nil && h == nil {
		err = errors.New("rank 0 has no memory for the others")
	}
	return h, err
}

// oneNode refuses ranks that share no memory.
func oneNode(h *enginehost.Heap) (*enginehost.Heap, error) {
	if n := h.Nodes(); n > 1 {
		return nil, errors.Join(fmt.Errorf("the ranks are on %d nodes that share no memory, and the host library covers one: use nccl or rccl (GOSHMEM_NCCL)", n), h.Close(), h.Unmap())
	}
	return h, nil
}

// reach maps the memory of all processes of others.
func (l *Library) reach(cards []card, mine card, d *devicehost.Driver, w *world) error {
	for i, c := range cards {
		switch {
		case l.staged || c.handle() == device.IPCHandle{}:
		case c.handle() == mine.handle():
			w.peers[i] = w.base
		default:
			base, release, err := l.maps.get(d, c.handle())
			if err != nil {
				return fmt.Errorf("the memory of rank %d: %w", i, err)
			}
			w.peers[i] = base
			w.closers = append(w.closers, release)
		}
	}
	return nil
}

// close gives everything back. The rank must be in no call.
func (w *world) close() error {
	var errs []error
	for _, f := range w.closers {
		errs = append(errs, f())
	}
	w.closers = nil
	return errors.Join(errs...)
}

// card is what a rank says about itself: the library and process that it is in, and a name of
// the memory of its platform.
type card [96]byte

const handleAt = 32

// card makes that of this rank, whose memory others will map.
func (l *Library) card(d *devicehost.Driver, w *world) (c card) {
	copy(c[:], l.nonce[:])
	binary.LittleEndian.PutUint64(c[len(l.nonce):], uint64(os.Getpid()))
	h, base, size, err := d.Whole()
	if err == nil && !l.staged { // else what it has passes through rooms
		copy(c[handleAt:], h[:])
		w.base, w.size = base, size
	}
	return c
}

func (c card) process() [handleAt]byte { return [handleAt]byte(c[:]) }

func (c card) handle() device.IPCHandle { return device.IPCHandle(c[handleAt:]) }
