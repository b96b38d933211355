package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// onEach runs a test that ends its communicators on each platform, where it has more than
// one rank. A launched binary does that only in TestRanks.
func onEach(t *testing.T, o func(o nccl.Options) nccl.Options, test func(t *testing.T, ranks []*rank)) {
	if launched(t) {
		return
	}
	for _, name := range []string{"cuda", "hip", "host"} {
		t.Run(name, func(t *testing.T) {
			ranks := local(t, name, o(options(name)))
			if len(ranks) < 2 {
				t.Log("one rank waits for nobody")
				return
			}
			test(t, ranks)
		})
	}
}

func as(o nccl.Options) nccl.Options { return o }

// stuck has all ranks but the first call a collective that the first never joins.
func stuck(r *rank) error {
	x, err := gpu.Alloc[float32](r.c.Device(), some)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil { // all do: there are connections now
		return err
	}
	if err := r.c.Synchronize(r.ctx, r.s); err != nil || r.c.Rank() == 0 {
		return err
	}
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, 300*time.Millisecond)
	defer cancel()
	if err = r.c.Synchronize(ctx, r.s); !errors.Is(err, nccl.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a collective without rank 0 ended with %w", err)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("rank %d of %d on %v", r.c.Rank(), r.c.Size(), r.c.Device())) {
		return fmt.Errorf("the error does not say whose it is: %w", err)
	}
	return after(r, x)
}

// after: the communicator is of no use any more, and the device is.
func after(r *rank, x gpu.Slice[float32]) error {
	if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err == nil {
		return errors.New("a communicator that was aborted goes on")
	}
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	if err := r.s.Synchronize(ctx); r.c.Device().Platform() != "host" && err != nil { // there its work has failed
		return fmt.Errorf("the stream is not released: %w", err)
	}
	if r.c.Err() == nil {
		return errors.New("nothing tells that it was aborted")
	}
	return r.c.Close()
}

// TestTimeout: a wait whose time is over aborts the communicators of the process, which
// releases the streams; new communicators work.
func TestTimeout(t *testing.T) {
	onEach(t, as, func(t *testing.T, ranks []*rank) {
		all(t, ranks, stuck)
		name := ranks[0].c.Device().Platform()
		all(t, local(t, name, options(name)), barrier)
	})
}

// TestAbortInFlight: an abort from another goroutine ends a wait.
func TestAbortInFlight(t *testing.T) {
	onEach(t, as, func(t *testing.T, ranks []*rank) {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the job is over")
		for _, r := range ranks {
			defer r.c.AbortOn(ctx)()
		}
		waiting := make(chan struct{}, len(ranks))
		go func() {
			for range ranks {
				<-waiting
			}
			cancel(gone)
		}()
		all(t, ranks, func(r *rank) error {
			x, err := gpu.Alloc[float32](r.c.Device(), some)
			if err != nil {
				return err
			}
			defer x.Close()
			err = nccl.AllReduce(r.c, x, x, nccl.Sum, r.s)
			if err == nil {
				err = r.c.Synchronize(r.ctx, r.s)
			}
			if err != nil || r.c.Rank() == 0 {
				waiting <- struct{}{}
				return err
			}
			if err := nccl.AllReduce(r.c, x, x, nccl.Sum, r.s); err != nil {
				return err
			}
			waiting <- struct{}{}
			if err := r.c.Synchronize(r.ctx, r.s); err == nil {
				return errors.New("a collective without rank 0 has ended well")
			}
			return nil
		})
	})
}
