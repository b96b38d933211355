package perf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goshmem/goshmem/examples/shots"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// peers is one PE of a measurement of providers. PE 0 measures, and has the others do what
// they have a part in; they wait for its orders.
type peers struct {
	ctx     context.Context
	w       *shmem.World
	p       *provider.World
	d       *gpu.Device
	s       *gpu.Stream
	far     gpu.Buffer // symmetric, and its table
	table   *provider.AddressMap
	near    gpu.Buffer // this PE's own
	links   gpu.Slice[uint64]
	raw     gpu.Slice[uint64] // where the next PE has them
	last    gpu.Slice[uint64]
	code    map[string]*gpu.Function
	blocks  int
	sums    map[int]*shots.Reducer // by the bytes of a vector
	sizes   []int                  // of vectors
	lib     *ncclSums              // nil: there is none, and missing says why
	missing string
	undo    []func() error
}

// ncclSums is the library's all-reduce beside ours.
type ncclSums struct {
	comm   *nccl.Comm
	plain  gpu.Slice[float32]
	window gpu.Slice[float32] // memory that it knows, if registered

	registered bool
	missing    string // why it is not
}

// room is the memory of a PE's heap besides what is copied.
const room = 64 << 20

// newPeers takes the memory of a PE. Collective.
func newPeers(ctx context.Context, w *shmem.World, largest int) (m *peers, err error) {
	m = &peers{ctx: ctx, w: w, code: map[string]*gpu.Function{}, sums: map[int]*shots.Reducer{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if m.p, err = provider.New(w); err != nil {
		return m, err
	}
	m.undo = append(m.undo, m.p.Close)
	m.d = m.p.Device()
	if m.far, m.table, err = provider.Zeros[byte](ctx, m.p, largest); err != nil {
		return m, err
	}
	if err = m.table.KernelArgument().Err; err != nil {
		return m, err
	}
	if err = m.memory(largest); err != nil {
		return m, err
	}
	if err = m.compile(); err != nil {
		return m, err
	}
	if err = m.vectors(largest); err != nil {
		return m, err
	}
	return m, m.opponent()
}

// memory is what others do not reach, and the links, which they do.
func (m *peers) memory(largest int) (err error) {
	if m.s, err = m.d.NewStream(); err != nil {
		return err
	}
	m.undo = append(m.undo, m.s.Close)
	if m.near, err = gpu.Alloc[byte](m.d, largest); err != nil {
		return err
	}
	m.undo = append(m.undo, m.near.Close)
	if m.last, err = gpu.Alloc[uint64](m.d, 1); err != nil {
		return err
	}
	m.undo = append(m.undo, m.last.Close)
	var of *provider.AddressMap
	if m.links, of, err = provider.AllocateSymmetric[uint64](m.ctx, m.p, links*linkWords); err != nil {
		return err
	}
	if m.raw, err = provider.AsRemote(of, m.links, m.next()); err != nil {
		return err
	}
	return errors.Join(m.near.Fill(1), m.links.CopyFrom(ring(), m.s), m.p.Barrier(m.ctx))
}

// next is the PE after this one, which may be this one.
func (m *peers) next() int { return (m.w.MyPE() + 1) % m.w.NPEs() }

func (m *peers) compile() error {
	about, err := m.d.Properties()
	if err != nil {
		return err
	}
	m.blocks = 4 * about.Processors
	code, err := m.d.Compile(bulkProgram())
	if err != nil {
		return err
	}
	m.undo = append(m.undo, code.Close)
	for name := range bulkProgram().Host {
		if m.code[name], err = code.Function(name); err != nil {
			return err
		}
	}
	return nil
}

// vectors are those of the all-reduces.
func (m *peers) vectors(largest int) error {
	for n := leastVectorBytes; n <= min(mostVectorBytes, largest); n *= 4 {
		r, err := shots.New(m.ctx, m.p, m.d, n/4)
		if err != nil {
			return err
		}
		m.sums[n], m.sizes = r, append(m.sizes, n)
		if err := r.In().Fill(float32(m.w.MyPE() + 1)); err != nil {
			return err
		}
	}
	return nil
}

// The vectors of all-reduces, in steps of 4.
const (
	leastVectorBytes = 1 << 10
	mostVectorBytes  = 1 << 20
)

// opponent opens the library of collectives, and registers memory with it, as far as that
// can be done on all PEs.
func (m *peers) opponent() error {
	lib, err := m.open()
	reason, err := m.anywhere(err)
	if m.missing = reason; err != nil || reason != "" {
		return err
	}
	m.lib = lib
	reason, err = m.anywhere(m.register())
	lib.registered, lib.missing = reason == "", reason
	return err
}

// anywhere is the first reason why something cannot be on a PE.
func (m *peers) anywhere(why error) (string, error) {
	const size = 400
	mine := make([]byte, size)
	if why != nil {
		copy(mine, why.Error())
	}
	all := make([]byte, size*m.w.NPEs())
	if err := shmem.FCollectSlice(m.ctx, m.w.Team(), all, mine); err != nil {
		return "", err
	}
	for pe := range m.w.NPEs() {
		if text := text(all[pe*size : (pe+1)*size]); text != "" {
			return fmt.Sprintf("PE %d: %s", pe, text), nil
		}
	}
	return "", nil
}

// text is what stands before the zeros.
func text(b []byte) string {
	if end := slices.Index(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

func (m *peers) open() (*ncclSums, error) {
	c, err := nccl.Init(m.ctx, nccl.Options{Rank: m.w.MyPE(), Size: m.w.NPEs(), Exchange: meeting{m.w}, Device: m.d})
	if err != nil {
		return nil, err
	}
	m.undo = append(m.undo, c.Close)
	plain, err := gpu.Alloc[float32](m.d, mostVectorBytes/4)
	if err != nil {
		return nil, err
	}
	m.undo = append(m.undo, plain.Close)
	return &ncclSums{comm: c, plain: plain}, plain.Fill(0)
}

// register takes memory that the library knows on all PEs.
func (m *peers) register() error {
	known, err := nccl.MemAlloc[float32](m.lib.comm, mostVectorBytes/4)
	if err != nil {
		return err
	}
	m.undo = append(m.undo, known.Close)
	m.lib.window = known.Slice
	w, err := nccl.NewWindow(m.ctx, m.lib.comm, known.Slice, nccl.WindowSymmetric)
	if err != nil {
		return err
	}
	m.undo = append(m.undo, w.Close)
	return known.Fill(0)
}

// meeting is a world as the exchange that a library starts with.
type meeting struct{ w *shmem.World }

func (m meeting) Broadcast(ctx context.Context, buf []byte, root int) error {
	return shmem.BroadcastSlice(ctx, m.w.Team(), buf, root)
}

func (m meeting) Barrier(ctx context.Context) error { return m.w.Barrier(ctx) }

// close gives back what is this PE's own; the heap ends with the world.
func (m *peers) close() error {
	var errs []error
	for _, f := range slices.Backward(m.undo) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// clock is how long it takes until n things are queued and done.
func (m *peers) clock(n int, queue func() error) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := queue(); err != nil {
			return 0, err
		}
	}
	err := m.s.Synchronize(m.ctx)
	return time.Since(start), err
}
