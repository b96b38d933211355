package nccl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/ccl/mock"
	"github.com/goshmem/goshmem/internal/ccl/vendor"
)

// stand is a mock library that works on the memory of platform host.
type stand struct {
	*mock.Mock
	t       *testing.T
	options Options
	device  *gpu.Device
}

// mocked has devices of platform host use a mock.
func mocked(t *testing.T, name string, flags ...string) *stand {
	t.Helper()
	m := mock.New(t, flags...)
	return stood(t, m, name)
}

func stood(t *testing.T, m *mock.Mock, name string) *stand {
	t.Helper()
	lib, err := vendor.Open(name, m.Path)
	if err != nil {
		t.Fatal(err)
	}
	key := [2]string{nameHost, m.Path}
	loaded.Lock()
	if loaded.by == nil {
		loaded.by = map[[2]string]ccl.Library{}
	}
	loaded.by[key] = lib
	loaded.Unlock()
	t.Cleanup(func() {
		loaded.Lock()
		defer loaded.Unlock()
		delete(loaded.by, key)
	})
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	m.Take()
	return &stand{m, t, Options{Library: nameHost, Path: m.Path, Timeout: time.Minute}, d}
}

// comms makes n communicators in this process.
func (s *stand) comms(n int, o Options) []*Comm {
	s.t.Helper()
	list, err := InitAll(s.t.Context(), slices.Repeat([]*gpu.Device{s.device}, n), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Take()
	return list
}

// comm makes one, as rank 1 of 3.
func (s *stand) comm() *Comm {
	s.t.Helper()
	o := s.options
	o.ID, o.Rank, o.Size = new(UniqueID{'a', 'b', 'c', 127: 'z'}), 1, 3
	c, err := Init(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Take()
	return c
}

// calls are the functions that were called, without questions about state.
func (s *stand) calls() []string {
	s.t.Helper()
	return slices.DeleteFunc(s.Take(), func(call string) bool { return strings.HasPrefix(call, "ncclCommGetAsyncError") })
}

// names are only the functions' names.
func (s *stand) names() string {
	s.t.Helper()
	var list []string
	for _, call := range s.calls() {
		name, _, _ := strings.Cut(call, " ")
		list = append(list, strings.TrimPrefix(name, "nccl"))
	}
	return strings.Join(list, " ")
}

// is compares what was called.
func (s *stand) is(what, want string) {
	s.t.Helper()
	if got := s.names(); got != want {
		s.t.Errorf("%s: called %s, want %s", what, got, want)
	}
}

func wants(t *testing.T, err, is error, parts ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%v, want one that is %v", err, is)
		return
	}
	for _, once := range []string{"nccl: ", "look at", "NCCL_DEBUG", "\n"} {
		if n := strings.Count(err.Error(), once); n > 1 || n > 0 && once == "\n" {
			t.Errorf("%q has %q %d times", err, once, n)
		}
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

func at(address uintptr, n int) Raw { return Raw{Address: address, Count: n, Type: Float32} }

// TestEveryCallReachesItsFunction: which function a call becomes, with which arguments.
// Rank 1 of 3 calls.
func TestEveryCallReachesItsFunction(t *testing.T) {
	s := mocked(t, nameRCCL, "-DRCCL")
	c := s.comm()
	counts := &Counts{Send: []int{1, 2, 3}, SendAt: []int{0, 4, 8}, Recv: []int{3, 2, 1}, RecvAt: []int{8, 4, 0}}
	const x, y, b = 0x10000, 0x20000, 0x30000
	for _, step := range []struct {
		want string
		call func() error
	}{
		{"ncclAllReduce 65536 131072 12 7 0 {c} 0", func() error { return AllReduce(c, at(x, 12), at(y, 12), Sum, nil) }},
		{"ncclAllReduceWithBias 65536 131072 12 7 2 {c} 0 196608", func() error { return AllReduceBias(c, at(x, 12), at(y, 12), at(b, 12), Max, nil) }},
		{"ncclBroadcast 65536 131072 12 7 1 {c} 0", func() error { return Broadcast(c, at(x, 12), at(y, 12), 1, nil) }},
		{"ncclBroadcast 0 131072 12 7 2 {c} 0", func() error { return Broadcast(c, Nothing{}, at(y, 12), 2, nil) }},
		{"ncclReduce 65536 131072 12 7 4 1 {c} 0", func() error { return Reduce(c, at(x, 12), at(y, 12), Avg, 1, nil) }},
		{"ncclReduce 65536 0 12 7 4 2 {c} 0", func() error { return Reduce(c, at(x, 12), Nothing{}, Avg, 2, nil) }},
		{"ncclAllGather 65536 131072 4 7 {c} 0", func() error { return AllGather(c, at(x, 4), at(y, 12), nil) }},
		{"ncclReduceScatter 65536 131072 4 7 3 {c} 0", func() error { return ReduceScatter(c, at(x, 12), at(y, 4), Min, nil) }},
		{"ncclAlltoAll 65536 131072 4 7 {c} 0", func() error { return AllToAll(c, at(x, 12), at(y, 12), nil) }},
		{"ncclGather 65536 131072 4 7 1 {c} 0", func() error { return Gather(c, at(x, 4), at(y, 12), 1, nil) }},
		{"ncclGather 65536 0 4 7 0 {c} 0", func() error { return Gather(c, at(x, 4), at(y, 5), 0, nil) }},
		{"ncclScatter 65536 131072 4 7 1 {c} 0", func() error { return Scatter(c, at(x, 12), at(y, 4), 1, nil) }},
		{"ncclScatter 0 131072 4 7 0 {c} 0", func() error { return Scatter(c, at(x, 5), at(y, 4), 0, nil) }},
		{"ncclSend 65536 12 7 2 {c} 0", func() error { return Send(c, at(x, 12), 2, nil) }},
		{"ncclRecv 131072 12 7 0 {c} 0", func() error { return Recv(c, at(y, 12), 0, nil) }},
		{"ncclAllToAllv 65536 [1 2] [0 4] 131072 [3 2] [8 4] 7 {c} 0", func() error { return AllToAllV(c, at(x, 12), at(y, 12), counts, nil) }},
		{"ncclRedOpCreatePreMulSum out 1069547520 7 1 {c}|ncclAllReduce 65536 65536 12 7 77 {c} 0|ncclRedOpDestroy 77 {c}", func() error {
			p, err := NewPreMulSum(c, float32(1.5))
			return errors.Join(err, AllReduce(c, at(x, 12), at(x, 12), p.Op(), nil), p.Close(), p.Close())
		}},
		{"ncclCommRegister {c} 65536 48 out|ncclCommDeregister {c} 1911", func() error {
			r, err := Register(c, at(x, 12))
			return errors.Join(err, r.Close(), r.Close())
		}},
		{"ncclCommWindowRegister {c} 65536 48 out 1|ncclGetPeerDevicePointer 2184 8 2 out|ncclPutSignal 131072 2 7 2 2184 32 0 0 0 {c} 0|ncclCommWindowDeregister {c} 2184", func() error {
			w, err := NewWindow(t.Context(), c, at(x, 12), WindowSymmetric)
			peer, perr := w.Peer(2, 8)
			if peer != 0xa3 {
				perr = fmt.Errorf("peer at %#x: %w", peer, perr)
			}
			return errors.Join(err, perr, PutSignal(c, at(y, 2), 2, w, 8, nil), w.Close(), w.Close())
		}},
		{"ncclSignal 2 0 0 0 {c} 0", func() error { return Signal(c, 2, nil) }},
		{"ncclWaitSignal 2 [3:2:0:0 1:0:0:0] {c} 0", func() error { return WaitSignals(c, []int{2, 0}, []int{3, 1}, nil) }},
		{"ncclCommSuspend {c} 1|ncclCommResume {c}", func() error { return errors.Join(c.Suspend(), c.Resume()) }},
		{"ncclCommQueryProperties {c} out", func() error { p, err := c.Properties(); return errors.Join(err, is(p.LSATeams == 5 && p.HostRMA)) }},
		{"ncclCommMemStats {c} 2 out", func() error {
			n, err := c.Memory(MemoryPersistent)
			return errors.Join(err, is(n == 1<<40|2))
		}},
	} {
		if err := step.call(); err != nil {
			t.Errorf("%s: %v", step.want, err)
		}
		want := strings.ReplaceAll(step.want, "{c}", fmt.Sprint(int64(c.Handle())))
		if got := strings.Join(s.calls(), "|"); got != want {
			t.Errorf("called %q\nwant   %q", got, want)
		}
	}
}

func is(good bool) error {
	if good {
		return nil
	}
	return errors.New("the answer is wrong")
}

// TestOlderLibrary: what it has no function for is done by sends and receives, what cannot
// be done so is refused, as are settings that it would ignore.
func TestOlderLibrary(t *testing.T) {
	s := mocked(t, nameNCCL, "-DncclAlltoAll=a", "-DncclGather=b", "-DncclScatter=c", "-DncclCommShrink=d", "-DncclGroupSimulateEnd=e")
	c := s.comm()
	const x, y = 0x10000, 0x20000
	const both = "CommCount CommUserRank GroupStart Send Recv Send Recv Send Recv GroupEnd"
	must(t, AllToAll(c, at(x, 12), at(y, 12), nil))
	s.is("all-to-all", both)
	must(t, Gather(c, at(x, 4), at(y, 12), 1, nil))
	s.is("gather at the root", "CommCount CommUserRank GroupStart Recv Send Recv Recv GroupEnd")
	must(t, Gather(c, at(x, 4), Nothing{}, 0, nil))
	s.is("gather elsewhere", "CommCount CommUserRank GroupStart Send GroupEnd")
	must(t, Gather(c, at(y+16, 4), at(y, 12), 1, nil))
	s.is("gather in place", "CommCount CommUserRank GroupStart Recv Recv GroupEnd")
	must(t, Scatter(c, at(x, 12), at(y, 4), 1, nil))
	s.is("scatter at the root", "CommCount CommUserRank GroupStart Send Send Recv Send GroupEnd")
	counts := &Counts{Send: []int{1, 0, 3}, SendAt: []int{0, 4, 8}, Recv: []int{3, 0, 0}, RecvAt: []int{8, 4, 0}}
	must(t, AllToAllV(c, at(x, 12), at(y, 12), counts, nil))
	list := s.calls()
	h := int64(c.Handle())
	if want := []string{fmt.Sprintf("ncclSend %d 1 7 0 %d 0", x, h), fmt.Sprintf("ncclRecv %d 3 7 0 %d 0", y+32, h), fmt.Sprintf("ncclSend %d 3 7 2 %d 0", x+32, h)}; !slices.Equal(list[3:6], want) {
		t.Errorf("all-to-all-v: %q, want %q", list, want)
	}
	_, err := c.Shrink(t.Context(), []int{2}, false)
	wants(t, err, ErrUnsupported, "nccl: shrink: rank 1 of 3 on host:0: ncclCommShrink: NCCL 2.30.7", "it came with NCCL 2.27")
	wants(t, AllReduceBias(c, at(x, 1), at(y, 1), at(y, 1), Sum, nil), ErrUnsupported, "only RCCL has it")
	s.Version(22005)
	s = stood(t, s.Mock, nameNCCL)
	o := s.options
	o.ID, o.Size = &UniqueID{}, 1
	o.Config = Config{Name: "mine", CTAPolicy: new(2), SplitShare: new(true)}
	_, err = Init(t.Context(), o)
	wants(t, err, ErrUnsupported, "nccl 2.20.5 does not know Config.Name, Config.CTAPolicy and would ignore it")
	c = s.comm()
	wants(t, AllReduce(c, Raw{x, 1, Float8E4M3, nil}, Raw{y, 1, Float8E4M3, nil}, Sum, nil), ErrUnsupported, "NCCL 2.24", "2.20.5")
}

// TestLateLibrary: what is in progress is waited for, and given up in time.
func TestLateLibrary(t *testing.T) {
	s := mocked(t, nameNCCL)
	s.Late(3)
	c := s.comm()
	if c.Rank() != 1 || c.Size() != 3 {
		t.Errorf("%v", c)
	}
	child, err := c.Split(t.Context(), 4, -2)
	must(t, err)
	if child.Rank() != 1 || child.Handle() == 0 || child.Handle() == c.Handle() {
		t.Errorf("child %v %#x", child, child.Handle())
	}
	none, err := c.Split(t.Context(), NoColor, 0)
	if none != nil || err != nil {
		t.Errorf("without a color: %v, %v", none, err)
	}
	w, err := NewWindow(t.Context(), c, at(0x10000, 4), 0)
	must(t, err)
	if w.Handle() != 0x888 || !w.Used() {
		t.Errorf("window %#x", w.Handle())
	}
	s.Take()
	s.Late(1 << 30)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, err = c.Split(ctx, 4, 0)
	wants(t, err, ErrTimeout, "nccl: split: rank 1 of 3 on host:0: ", "enough")
	s.is("given up", "CommSplit CommAbort")
	_, err = c.Split(t.Context(), 4, 0)
	wants(t, err, ErrTimeout, "useless since an error")
	wants(t, AllReduce(c, at(1, 1), at(1, 1), Sum, nil), ErrTimeout, "enough")
	must(t, c.Close())
	s.is("close after an abort", "")
	o := s.options
	o.ID, o.Size, o.Timeout = &UniqueID{}, 1, 10*time.Millisecond
	_, err = Init(t.Context(), o)
	wants(t, err, ErrTimeout, "nccl: init: ", "Options.Timeout")
	s.is("init given up", "CommInitRankConfig CommAbort")
}

// TestAnswers: an error says which call it was, of whom, what the library said, and what
// may be behind it; a state that comes later is found.
func TestAnswers(t *testing.T) {
	s := mocked(t, nameNCCL)
	c := s.comm()
	s.Fail("ncclAllReduce", 1, 0)
	err := AllReduce(c, at(0x10000, 1), at(0x10000, 1), Sum, nil)
	wants(t, err, ErrUnhandledCUDA, "nccl: all-reduce: rank 1 of 3 on host:0: ncclAllReduce: ncclUnhandledCudaError (1): mock words; its last warning: mock warns of ncclAllReduce", "NCCL_DEBUG=INFO")
	var e *LibraryError
	if !errors.As(err, &e) || e.Code != 1 {
		t.Errorf("%v", err)
	}
	s.Fail("ncclAllReduce", 55, 0)
	err = AllReduce(c, at(0x10000, 1), at(0x10000, 1), Sum, nil)
	if !errors.As(err, &e) || e.Code != 55 || !strings.Contains(err.Error(), "ncclResult 55") {
		t.Errorf("a code of the future: %v", err)
	}
	must(t, c.Err())
	s.State(c.Handle(), 6)
	wants(t, c.Err(), ErrRemote, "look at what the other ranks have written")
	stream, err := s.device.NewStream()
	must(t, err)
	gate, err := gpu.AllocPinned[uint64](s.device, 1)
	must(t, err)
	must(t, gate.Set(0, 0))
	must(t, stream.WaitValue(gate, 0, gpu.CompareEQ, 1))
	s.Take()
	wants(t, c.Synchronize(t.Context(), stream), ErrRemote, "nccl: synchronize: rank 1 of 3")
	wants(t, c.Synchronize(t.Context(), stream), ErrRemote, "nccl: synchronize: rank 1 of 3 on host:0: useless since an error: ncclCommGetAsyncError", "look at")
	wants(t, AllReduce(c, at(1, 1), at(1, 1), Sum, nil), ErrRemote, "useless since an error: synchronize: rank 1 of 3")
	s.is("a rank that has died", "CommAbort")
	must(t, gate.Set(0, 1))
	must(t, stream.Synchronize(t.Context()))
	must(t, errors.Join(stream.Close(), gate.Close()))
}

// unfit cannot be released.
type unfit struct{}

func (unfit) release() error { return errors.New("unfit") }

// TestClose: what belongs to a communicator ends before it, with its errors; those of one
// process end together.
func TestClose(t *testing.T) {
	s := mocked(t, nameNCCL)
	c := s.comm()
	_, err := NewPreMulSum(c, float32(2))
	must(t, err)
	_, err = Register(c, at(0x10000, 4))
	must(t, err)
	s.Take()
	s.Fail("ncclCommDeregister", 5, 0)
	wants(t, c.Close(), ErrInvalidUsage, "nccl: close: rank 1 of 3", "ncclCommDeregister")
	s.is("close", "CommDeregister RedOpDestroy CommFinalize CommDestroy")
	must(t, c.Close())
	s.is("close again", "")
	both := s.comm()
	both.resources = append(both.resources, unfit{})
	s.Fail("ncclCommFinalize", 3, 0)
	wants(t, both.Close(), ErrInternal, "nccl: close: rank 1 of 3 on host:0: unfit; and ncclCommFinalize")
	s.Fail("", 0, 0)
	s.Take()
	wants(t, AllReduce(c, at(1, 1), at(1, 1), Sum, nil), ErrClosed)
	wants(t, c.Err(), ErrClosed)
	s.Late(2)
	list := s.comms(2, s.options)
	must(t, list[0].Close())
	s.is("the first of two", "")
	must(t, list[1].Close())
	s.is("the second of two", "CommFinalize CommFinalize CommDestroy CommDestroy")
	list = s.comms(2, s.options)
	must(t, list[1].Abort())
	s.is("abort of one of two", "CommAbort CommAbort")
	wants(t, AllReduce(list[0], at(1, 1), at(1, 1), Sum, nil), ErrClosed)
	s.Fail("ncclCommDestroy", 3, 0)
	c = s.comm()
	wants(t, c.Close(), ErrInternal)
	s.Take()
	must(t, c.Close())
	s.is("close after a failure", "")
	c = s.comm()
	must(t, c.Revoke())
	wants(t, AllReduce(c, at(1, 1), at(1, 1), Sum, nil), ErrClosed, "revoked")
	_, err = c.Split(t.Context(), 0, 0)
	must(t, err)
	s.Fail("", 0, 0)
	s.Take()
	must(t, c.Close())
	s.is("close of a revoked one", "CommDestroy")
}

// TestAllocations: calls cost the garbage collector nothing.
func TestAllocations(t *testing.T) {
	s := mocked(t, nameRCCL, "-DRCCL")
	c := s.comm()
	s.Quiet()
	x, err := gpu.Alloc[float32](s.device, 12)
	must(t, err)
	y, err := gpu.Alloc[float32](s.device, 12)
	must(t, err)
	part, err := x.Slice(0, 4)
	must(t, err)
	counts := &Counts{Send: []int{1, 2, 3}, SendAt: []int{0, 4, 8}, Recv: []int{3, 2, 1}, RecvAt: []int{8, 4, 0}}
	for name, call := range map[string]func() error{
		"AllReduce":     func() error { return AllReduce(c, x, y, Sum, nil) },
		"Raw":           func() error { return AllReduce(c, at(0x1000, 4), at(0x1000, 4), Sum, nil) },
		"Broadcast":     func() error { return Broadcast(c, x, x, 0, nil) },
		"AllGather":     func() error { return AllGather(c, part, y, nil) },
		"ReduceScatter": func() error { return ReduceScatter(c, y, part, Sum, nil) },
		"AllToAll":      func() error { return AllToAll(c, x, y, nil) },
		"AllToAllV":     func() error { return AllToAllV(c, x, y, counts, nil) },
		"group": func() error {
			return Group(func() error {
				if err := Send(c, x, 2, nil); err != nil {
					return err
				}
				return Recv(c, y, 0, nil)
			})
		},
	} {
		if n := testing.AllocsPerRun(100, func() { must(t, call()) }); n != 0 && !raceBuild { // the race detector has pools lose things
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	stream, err := s.device.NewStream()
	must(t, err)
	s.Slow(2)
	if n := testing.AllocsPerRun(100, func() { must(t, c.Synchronize(t.Context(), stream)) }); n != 0 && !raceBuild {
		t.Errorf("a wait for a stream: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { must(t, AllReduce(c, x, y, Sum, nil)) }); n != 0 && !raceBuild {
		t.Errorf("a call that the library only begins: %v allocations", n)
	}
	must(t, errors.Join(c.Close(), stream.Close(), x.Close(), y.Close()))
}
