package nccl

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// blocker makes communicators that block, of a limit, and has one function not come back.
func (s *stand) blocker(limit time.Duration, fn string) *Comm {
	s.t.Helper()
	o := s.options
	o.Config.Blocking, o.Timeout = new(true), limit
	c := s.comms(1, o)[0]
	s.Block(fn)
	return c
}

// seen waits until the library was called so.
func (s *stand) seen(name string) {
	for begun := time.Now(); !strings.Contains(s.names(), name); runtime.Gosched() {
		if time.Since(begun) > 20*time.Second {
			s.t.Errorf("%s was not called", name)
			return
		}
	}
}

// until is a context that ends when the library was called so.
func (s *stand) until(name string, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(s.t.Context())
	go func() { s.seen(name); cancel(cause) }()
	return ctx
}

// TestBlocked: of communicators that block, calls that never come back end in time with an
// error that says why, and nothing is left of the communicator.
func TestBlocked(t *testing.T) {
	const short, long = 30 * time.Millisecond, time.Minute
	s := mocked(t, nameNCCL)
	x := at(0x10000, 4)
	c := s.blocker(short, "ncclAllReduce")
	err := AllReduce(c, x, x, Sum, nil)
	wants(t, err, ErrTimeout, "nccl: all-reduce: rank 0 of 1 on host:0: aborted meanwhile", "has not come back within 30ms")
	s.is("a collective", "AllReduce CommAbort")
	wants(t, AllReduce(c, x, x, Sum, nil), ErrTimeout, "useless since an error")
	c = s.blocker(short, "ncclGroupEnd")
	err = Group(func() error { return AllReduce(c, x, x, Sum, nil) })
	wants(t, err, ErrTimeout, "nccl: group: rank 0 of 1", "has not come back within 30ms")
	s.is("a group", "GroupStart AllReduce GroupEnd CommAbort")
	gone := errors.New("the job is over")
	c = s.blocker(long, "ncclCommSplit")
	_, err = c.Split(s.until("CommSplit", gone), 0, 0)
	wants(t, err, gone, "nccl: split: rank 0 of 1", "a thread that is given up")
	s.is("a split", "CommAbort")
	c = s.blocker(long, "ncclCommWindowRegister")
	_, err = NewWindow(s.until("CommWindowRegister", gone), c, x, 0)
	wants(t, err, gone, "nccl: window: rank 0 of 1", "a thread that is given up")
	s.is("a window", "CommAbort")
	c = s.blocker(long, "ncclBroadcast")
	defer c.AbortOn(s.until("Broadcast", gone))()
	wants(t, Broadcast(c, x, x, 0, nil), gone, "nccl: broadcast: rank 0 of 1")
	c = s.blocker(long, "")
	over, end := context.WithCancelCause(t.Context())
	end(gone)
	if _, err = c.Split(over, 0, 0); err != nil { // or the call has come before
		wants(t, err, gone)
	}
	must(t, c.Close())
	if c.guard.timer.Stop() {
		t.Error("a guard still runs")
	}
}

// TestBlockedInit: an init that never comes back is given up, and what comes of it later is
// aborted.
func TestBlockedInit(t *testing.T) {
	s := mocked(t, nameNCCL)
	o := s.options
	o.Config.Blocking, o.ID, o.Size = new(true), &UniqueID{}, 1
	for _, start := range []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := Init(ctx, o); return err },
		func(ctx context.Context) error {
			_, err := InitAll(ctx, slices.Repeat([]*gpu.Device{s.device}, 2), o)
			return err
		},
	} {
		s.Block("ncclCommInitRankConfig")
		gone := errors.New("the job is over")
		wants(t, start(s.until("CommInitRankConfig", gone)), gone, "nccl: init", "a thread that is given up")
		s.Block("")
		s.seen("CommAbort")
	}
}

// TestVariableBlocks: the library's variable wins over the config, there and here.
func TestVariableBlocks(t *testing.T) {
	s := mocked(t, nameNCCL)
	for _, c := range []struct {
		config   *bool
		variable string
		blocks   bool
	}{{nil, "", false}, {new(true), "", true}, {new(false), "", false}, {new(true), "0", false}, {nil, "1", true}} {
		t.Setenv("NCCL_COMM_BLOCKING", c.variable)
		o := s.options
		o.Config.Blocking = c.config
		comm := s.comms(1, o)[0]
		if comm.blocks() != c.blocks {
			t.Errorf("config %v, variable %q: blocks %v", c.config, c.variable, comm.blocks())
		}
		must(t, comm.Close())
	}
}
