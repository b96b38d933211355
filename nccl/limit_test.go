package nccl_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/nccl"
)

// TestWrongStream: a stream that cannot be waited for is refused, and harms nothing.
func TestWrongStream(t *testing.T) {
	if launched(t) {
		return
	}
	all(t, local(t, "host", options("host")), func(r *rank) error {
		if err := barrier(r); err != nil {
			return err
		}
		ended, err := r.c.Device().NewStream()
		if err = errors.Join(err, ended.Close(), r.s.BeginCapture()); err != nil {
			return err
		}
		for _, wrong := range []struct {
			s  *gpu.Stream
			is error
		}{{ended, gpu.ErrClosed}, {r.s, nccl.ErrArgument}, {new(gpu.Stream), gpu.ErrArgument}} {
			if err := r.c.Synchronize(r.ctx, wrong.s); !errors.Is(err, wrong.is) {
				t.Errorf("%v, want %v", err, wrong.is)
			}
		}
		g, err := r.s.EndCapture() // nothing has spoilt that
		return errors.Join(err, g.Close(), barrier(r))
	})
}

// TestLimits: what Options and contexts allow is not cut short by GOSHMEM_TIMEOUT, and what
// they do not ends with an error that says who is absent.
func TestLimits(t *testing.T) {
	if launched(t) {
		return
	}
	const short = 20 * time.Millisecond
	t.Setenv(env.Timeout, short.String())
	o := options("host")
	o.Path = t.Name() // a library that reads the environment now
	ranks := local(t, "host", o)
	long, cancel := context.WithTimeout(t.Context(), 4*short)
	defer cancel()
	all(t, ranks, func(r *rank) error {
		if r.c.Rank() == 0 {
			<-long.Done()
		}
		return barrier(r)
	})
	all(t, ranks, func(r *rank) error {
		switch r.c.Rank() {
		case 1:
			if err := nccl.Barrier(r.c, r.s); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), short)
			defer cancel()
			err := r.c.Synchronize(ctx, r.s)
			if !errors.Is(err, nccl.ErrTimeout) || !strings.Contains(err.Error(), "ranks 0, 2 are absent: in no call since all-reduce #3") {
				t.Errorf("a barrier of one: %v", err)
			}
		}
		return nil
	})
}

// TestAloneAtInit: who has not come is named, too.
func TestAloneAtInit(t *testing.T) {
	if launched(t) {
		return
	}
	o := options("host")
	o.Timeout, o.ID, o.Size = 20*time.Millisecond, new(nccl.UniqueID), 2
	var err error
	if *o.ID, err = nccl.NewUniqueID(o); err != nil {
		t.Fatal(err)
	}
	if err := second(nccl.Init(t.Context(), o)); !errors.Is(err, nccl.ErrTimeout) || !strings.Contains(err.Error(), "not joined: 1") {
		t.Error(err)
	}
}

// TestMismatch: the host library finds ranks that do not call the same, as checked mode does.
func TestMismatch(t *testing.T) {
	if launched(t) {
		return
	}
	all(t, local(t, "host", options("host")), func(r *rank) error {
		x, err := alloc[int32](r, 5)
		if err != nil {
			return err
		}
		if r.c.Rank() == 1 {
			if x, err = x.Slice(0, 4); err != nil {
				return err
			}
		}
		err = nccl.AllReduce(r.c, x, x, nccl.Sum, r.s)
		if err == nil {
			err = r.c.Synchronize(r.ctx, r.s)
		}
		if !errors.Is(err, nccl.ErrMismatch) || !errors.Is(err, nccl.ErrInvalidUsage) || !strings.Contains(err.Error(), "all-reduce of 4 int32") {
			t.Errorf("rank %d: %v", r.c.Rank(), err)
		}
		return nil
	})
}
