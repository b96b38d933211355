package ncclperf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// rank is what measures on one rank.
type rank struct {
	o        Options
	comm     *nccl.Comm
	stream   *gpu.Stream
	all      gpu.Buffer // both buffers of the out-of-place form
	numbers  gpu.Slice[float64]
	odd      *nccl.PreMulSum // of the current type
	releases []func() error
}

// newRank takes the memory for the largest size.
func newRank(ctx context.Context, o Options, comm *nccl.Comm) (r *rank, err error) {
	r = &rank{o: o, comm: comm}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	d := comm.Device()
	if r.stream, err = d.NewStream(); err != nil {
		return r, err
	}
	r.after(r.stream.Close)
	if r.numbers, err = gpu.Alloc[float64](d, max(comm.Size(), 2)); err != nil {
		return r, err
	}
	r.after(r.numbers.Close)
	if r.all, err = r.allocate(2*half(o) + spare); err != nil {
		return r, err
	}
	return r, r.register(ctx)
}

// half is the bytes of a buffer, and spare what both may be out of line.
func half(o Options) int { return (int(o.MaxBytes) + spare) &^ (spare - 1) }

const spare = 4096

// allocate takes memory that the library can register, if it is to.
func (r *rank) allocate(n int) (gpu.Buffer, error) {
	if r.o.Register == 0 {
		b, err := gpu.Alloc[byte](r.comm.Device(), n)
		r.after(b.Close)
		return b, err
	}
	m, err := nccl.MemAlloc[byte](r.comm, n)
	if err != nil {
		return gpu.Buffer{}, err
	}
	r.after(m.Close)
	return m.Slice, nil
}

// register tells the library of the buffers.
func (r *rank) register(ctx context.Context) error {
	switch r.o.Register {
	case 1:
		reg, err := nccl.Register(r.comm, r.all)
		if err != nil {
			return err
		}
		r.after(reg.Close)
	case 2:
		w, err := nccl.NewWindow(ctx, r.comm, r.all, nccl.WindowSymmetric)
		if err != nil {
			return err
		}
		r.after(w.Close)
	}
	return nil
}

// after has something done when the rank closes, in the opposite order.
func (r *rank) after(f func() error) { r.releases = append(r.releases, f) }

func (r *rank) close() error {
	var errs []error
	for _, f := range slices.Backward(r.releases) {
		errs = append(errs, f())
	}
	r.releases = nil
	return errors.Join(errs...)
}

// wait is until the stream is done. A GPU's stream is looked at without pauses, which would
// be measured; where the stream is a goroutine, it needs the core.
func (r *rank) wait(ctx context.Context) error {
	for begun := time.Now(); r.comm.Device().Platform() != "host" && time.Since(begun) < exactly; {
		if done, err := r.stream.Query(); done || err != nil {
			break
		}
	}
	if r.o.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, r.o.Timeout)
		defer cancel()
		ctx = limited
	}
	return r.comm.Synchronize(ctx, r.stream)
}

// exactly is how long a wait is without pauses; what goes wrong is found after it.
const exactly = 2 * time.Second

// barrier waits for all ranks.
func (r *rank) barrier(ctx context.Context) error {
	_, err := r.agree(ctx, 0, nccl.Sum)
	return err
}

// agree combines a number of all ranks.
func (r *rank) agree(ctx context.Context, v float64, op nccl.Op) (float64, error) {
	one, err := r.numbers.Slice(0, 1)
	if err != nil {
		return 0, err
	}
	if err := one.CopyFrom([]float64{v}, r.stream); err != nil {
		return 0, err
	}
	if err := nccl.AllReduce(r.comm, one, one, op, r.stream); err != nil {
		return 0, err
	}
	if err := r.wait(ctx); err != nil {
		return 0, err
	}
	got := []float64{0}
	err = one.CopyTo(got, r.stream)
	return got[0], err
}

// gather returns what all ranks say of themselves.
func (r *rank) gather(ctx context.Context, text string) ([]string, error) {
	const room = 512
	mine := make([]byte, room)
	copy(mine, text)
	part, err := gpu.Alloc[byte](r.comm.Device(), room)
	if err != nil {
		return nil, err
	}
	defer part.Close() //nolint:errcheck // it is read no more
	whole, err := gpu.Alloc[byte](r.comm.Device(), room*r.comm.Size())
	if err != nil {
		return nil, err
	}
	defer whole.Close() //nolint:errcheck
	if err := part.CopyFrom(mine, r.stream); err != nil {
		return nil, err
	}
	if err := nccl.AllGather(r.comm, part, whole, r.stream); err != nil {
		return nil, err
	}
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	got := make([]byte, whole.Len())
	if err := whole.CopyTo(got, r.stream); err != nil {
		return nil, err
	}
	var list []string
	for i := range r.comm.Size() {
		record := got[i*room : (i+1)*room]
		end := slices.Index(record, 0)
		if end < 0 {
			return nil, fmt.Errorf("rank %d says too much of itself", i)
		}
		list = append(list, string(record[:end]))
	}
	return list, nil
}
