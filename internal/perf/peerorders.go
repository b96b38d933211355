package perf

import (
	"errors"
	"fmt"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// What PE 0 orders. The arguments are the PE that copies and whose memory it uses, or
// nothing, and bytes.
const (
	peersEnd = iota
	kernelPut
	kernelGet
	copyPut
	copyGet
	oneShot // the first of the all-reduces
	twoShot
	librarySum
	windowSum
)

// peerOrder is what all PEs do next.
type peerOrder struct{ act, n, from, to, bytes int }

// order has all PEs do something n times, and returns how long that took the one whose it
// is: PE 0, or the one that copies.
func (m *peers) order(o peerOrder) side {
	return func(n int) (time.Duration, error) {
		o.n = n
		words := []int64{int64(o.act), int64(o.n), int64(o.from), int64(o.to), int64(o.bytes)}
		if err := shmem.BroadcastSlice(m.ctx, m.w.Team(), words, 0); err != nil {
			return 0, err
		}
		return m.do(o)
	}
}

// follow does what PE 0 orders until that is nothing more.
func (m *peers) follow() error {
	for {
		words := make([]int64, 5)
		if err := shmem.BroadcastSlice(m.ctx, m.w.Team(), words, 0); err != nil {
			return err
		}
		o := peerOrder{int(words[0]), int(words[1]), int(words[2]), int(words[3]), int(words[4])}
		if _, err := m.do(o); err != nil || o.act == peersEnd {
			return err
		}
	}
}

// do is this PE's part of an order.
func (m *peers) do(o peerOrder) (time.Duration, error) {
	switch {
	case o.act == peersEnd:
		return 0, nil
	case o.act >= oneShot:
		return m.clock(o.n, m.sum(o))
	}
	took := []int64{0}
	if o.from == m.w.MyPE() {
		d, err := m.carry(o)
		if err != nil {
			return 0, err
		}
		took[0] = int64(d)
	}
	err := shmem.BroadcastSlice(m.ctx, m.w.Team(), took, o.from)
	return time.Duration(took[0]), err
}

// carry copies to or from a peer.
func (m *peers) carry(o peerOrder) (time.Duration, error) {
	far, err := m.far.Slice(0, o.bytes)
	if err != nil {
		return 0, err
	}
	near, err := m.near.Slice(0, o.bytes)
	if err != nil {
		return 0, err
	}
	if o.act == kernelPut || o.act == kernelGet {
		f, dst, src := m.code["bulk_put"], far, near
		if o.act == kernelGet {
			f, dst, src = m.code["bulk_get"], near, far
		}
		shape := gpu.Grid(o.bytes, bulkThreads)
		shape.Grid[0] = min(shape.Grid[0], m.blocks)
		return m.clock(o.n, func() error {
			return f.Launch(m.s, shape, dst, src, uint64(o.bytes), int32(m.w.MyPE()), int32(o.to), m.table)
		})
	}
	theirs, err := provider.AsRemote(m.table, far, o.to)
	if err != nil {
		return 0, err
	}
	if o.act == copyGet {
		near, theirs = theirs, near
	}
	return m.clock(o.n, func() error { return theirs.CopyAsync(near, m.s) })
}

const bulkThreads = 512

// sum is one of the all-reduces.
func (m *peers) sum(o peerOrder) func() error {
	r, n := m.sums[o.bytes], o.bytes/4
	switch o.act {
	case oneShot:
		return func() error { return r.OneShot(m.s) }
	case twoShot:
		return func() error { return r.TwoShot(m.s) }
	}
	x := m.lib.plain
	if o.act == windowSum {
		x = m.lib.window
	}
	return func() error {
		part, err := x.Slice(0, n)
		if err != nil {
			return err
		}
		return nccl.AllReduce(m.lib.comm, part, part, nccl.Sum, m.s)
	}
}

// right does each all-reduce once more and looks at all sums. Collective.
func (m *peers) right() error {
	for _, size := range m.sizes {
		for _, act := range []int{oneShot, twoShot} {
			if err := m.proves(peerOrder{act: act, bytes: size}, m.sums[size].Out(), 0); err != nil {
				return err
			}
		}
	}
	if m.lib == nil {
		return nil
	}
	mine, all := float32(m.w.MyPE()+1), peerOrder{act: librarySum, bytes: mostVectorBytes}
	err := m.proves(all, m.lib.plain, mine)
	if all.act = windowSum; err == nil && m.lib.registered {
		err = m.proves(all, m.lib.window, mine)
	}
	return err
}

// proves says whether an all-reduce makes all numbers of x, which are before first, the sum
// of those of all PEs.
func (m *peers) proves(o peerOrder, x gpu.Slice[float32], before float32) error {
	if err := x.FillAsync(before, m.s); err != nil {
		return err
	}
	if _, err := m.clock(1, m.sum(o)); err != nil {
		return err
	}
	got := make([]float32, x.Len())
	if err := x.CopyTo(got, m.s); err != nil {
		return err
	}
	n := m.w.NPEs()
	for i, v := range got {
		if want := float32(n * (n + 1) / 2); v != want {
			return fmt.Errorf("PE %d: number %d of %d is %v, want %v", m.w.MyPE(), i, len(got), v, want)
		}
	}
	return nil
}

// part is the whole of what a PE does: cases are those of PE 0.
func (m *peers) part(lead func() error) error {
	err := error(nil)
	if m.w.MyPE() == 0 {
		if err = lead(); err == nil {
			_, err = m.order(peerOrder{act: peersEnd})(0)
		}
	} else {
		err = m.follow()
	}
	if err == nil {
		err = m.right()
	}
	return errors.Join(err, m.close())
}
