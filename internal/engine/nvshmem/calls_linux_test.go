package nvshmem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// step is one method called, and what the library has to see. Addresses of the heap are
// offsets in it, all others are local.
type step struct {
	do   func(m *memory) error
	want string
}

const stream = device.Handle(77)

func set(v uint64) engine.AMO { return engine.AMO{Kind: engine.AMOSet, Width: 8, Value: v} }
func add(v uint64) engine.AMO { return engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: v} }

// steps are made on PE 0 of 2, whose arrays begin at 0.
func steps() []step {
	return slices.Concat(moveSteps(), streamSteps(), groupSteps())
}

func moveSteps() []step {
	data := make([]byte, 256<<10) // not in a stack
	near := pointer(&data[0])
	return []step{
		{func(m *memory) error { return m.Put(1, 64, near, 24) }, "nvshmem_putmem @64 local 24 1"},
		{func(m *memory) error { return m.Get(1, near, 72, 32) }, "nvshmem_getmem local @72 32 1"},
		{func(m *memory) error { return m.PutNBI(1, 64, near, 140000) }, "nvshmem_putmem_nbi @64 local 140000 1"},
		{func(m *memory) error { return m.GetNBI(1, near, 72, 150000) }, "nvshmem_getmem_nbi local @72 150000 1"},
		{func(m *memory) error { return m.Quiet(context.Background()) }, "nvshmem_quiet"},
		{func(m *memory) error { return m.Quiet(context.Background()) }, ""},
		{func(m *memory) error { return m.PutNBI(1, 64, near, 140000) }, "nvshmem_putmem_nbi @64 local 140000 1"},
		{func(m *memory) error { m.Fence(); return nil }, "nvshmem_quiet"},
		{func(m *memory) error { return m.Put(1, 64, near, 0) }, ""},
	}
}

func streamSteps() []step {
	own := func(m *memory, off uintptr) device.Ptr { return m.Address(0) + device.Ptr(off) }
	list := []step{
		{func(m *memory) error { return m.PutOn(stream, 1, 128, own(m, 256), 40) }, "nvshmemx_putmem_on_stream @128 @256 40 1 77"},
		{func(m *memory) error { return m.GetOn(stream, 1, own(m, 128), 256, 40) }, "nvshmemx_getmem_on_stream @128 @256 40 1 77"},
		{func(m *memory) error { return m.PutSignalOn(stream, 1, 128, own(m, 256), 40, 512, set(9001)) }, "nvshmemx_putmem_signal_on_stream @128 @256 40 @512 9001 9 1 77"},
		{func(m *memory) error { return m.PutSignalOn(stream, 1, 128, 0, 0, 512, add(9002)) }, "nvshmemx_signal_op_on_stream @512 9002 10 1 77"},
		{func(m *memory) error { return m.SignalOn(stream, 1, 512, set(9003)) }, "nvshmemx_signal_op_on_stream @512 9003 9 1 77"},
		{func(m *memory) error { return m.SignalOn(stream, 1, 512, add(9004)) }, "nvshmemx_signal_op_on_stream @512 9004 10 1 77"},
		{func(m *memory) error { return m.QuietOn(stream) }, "nvshmemx_quiet_on_stream 77"},
	}
	for c, code := range map[engine.Compare]int{
		engine.CompareEQ: 0, engine.CompareNE: 1, engine.CompareGT: 2, engine.CompareGE: 5, engine.CompareLT: 4, engine.CompareLE: 3,
	} {
		v := uint64(1<<64 - 81)
		list = append(list, step{func(m *memory) error { return m.WaitOn(stream, 800, c, v) },
			fmt.Sprintf("nvshmemx_signal_wait_until_on_stream @800 %d %d 77", code, int64(v))})
	}
	return list
}

func groupSteps() []step {
	collective := func(c engine.Collective) func(m *memory) error {
		return func(m *memory) error { return m.World().CollectiveOn(stream, &c) }
	}
	return []step{
		{func(m *memory) error { return m.World().BarrierOn(stream) }, "nvshmemx_barrier_all_on_stream 77"},
		{func(m *memory) error { return m.World().SyncOn(stream) }, "nvshmemx_sync_all_on_stream 77"},
		{collective(engine.Collective{Kind: engine.KindBroadcast, Root: 1, Dst: 64, Src: 128, Bytes: 40}), "nvshmemx_broadcastmem_on_stream 0 @64 @128 40 1 77"},
		{collective(engine.Collective{Kind: engine.KindFCollect, Dst: 64, Src: 192, Bytes: 40}), "nvshmemx_fcollectmem_on_stream 0 @64 @192 40 77"},
		{collective(engine.Collective{Kind: engine.KindAllToAll, Dst: 64, Src: 192, Bytes: 40}), "nvshmemx_alltoallmem_on_stream 0 @64 @192 40 77"},
		{collective(engine.Collective{Kind: engine.KindAllReduce, Dst: 64, Src: 192, Bytes: 40, Elem: reduce.Float32, Op: reduce.Sum}), "nvshmemx_float_sum_reduce_on_stream 0 @64 @192 10 77"},
		{collective(engine.Collective{Kind: engine.KindReduceScatter, Dst: 64, Src: 192, Bytes: 40, Elem: reduce.BFloat16, Op: reduce.Max}), "nvshmemx_bfloat16_max_reducescatter_on_stream 0 @64 @192 20 77"},
		{collective(engine.Collective{Kind: engine.KindBroadcast, Dst: 64, Src: 128}), ""},
	}
}

// alone opens a world of two PEs of which only PE 0 makes calls, whose meetings in the
// library are let through.
func alone(t *testing.T) (*memory, *mock) {
	j := newJob(t, 2, 2, false)
	heaps := j.must()
	j.mocks[0].control("abort")
	j.mocks[0].take()
	return heaps[0].device, j.mocks[0]
}

func TestEveryCallHasItsArgumentsInOrder(t *testing.T) {
	m, lib := alone(t)
	for _, s := range steps() {
		if err := s.do(m); err != nil {
			t.Errorf("%s: %v", s.want, err)
		}
		if got := strings.Join(lib.take(), ";"); got != s.want {
			t.Errorf("called %s, want %s", got, s.want)
		}
	}
}

// No two neighbouring arguments can be swapped without the test above noticing.
func TestSwappedArgumentsAreNoticed(t *testing.T) {
	m, lib := alone(t)
	for _, s := range steps() {
		name, args, _ := strings.Cut(s.want, " ")
		for at := range max(strings.Count(args, " "), 0) {
			lib.named("swap", name, uintptr(at))
			if err := s.do(m); err != nil {
				t.Errorf("%s: %v", s.want, err)
			}
			if got := strings.Join(lib.take(), ";"); got == s.want {
				t.Errorf("%s: arguments %d and %d may be swapped", s.want, at, at+1)
			}
		}
		lib.named("swap", "", 0)
	}
}

// A status of the library is the call's error, with the function's name and in words.
func TestStatusIsAnError(t *testing.T) {
	m, lib := alone(t)
	for _, s := range groupSteps()[2:7] {
		name, _, _ := strings.Cut(s.want, " ")
		for status, word := range map[uintptr]string{1: "invalid value", 2: "out of memory", 3: "not supported", 4: "differ", 5: "no GPU", 6: "launch", 7: "internal", 19: "status 19"} {
			lib.named("fail", name, status)
			if err := s.do(m); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), word) {
				t.Errorf("%s returns %d: %v", name, status, err)
			}
		}
		lib.named("fail", "", 0)
	}
}

// What the library would end the process for never gets there.
func TestWhatEndsTheProcessIsRefused(t *testing.T) {
	m, lib := alone(t)
	var x [2]uint64
	near := pointer(&x)
	w := m.World()
	for what, err := range map[string]error{
		"PE of no one":      m.Put(2, 0, near, 8),
		"negative PE":       m.Get(-1, near, 0, 8),
		"past the end":      m.PutNBI(1, heapSize-4, near, 8),
		"far past the end":  m.GetNBI(1, near, ^uintptr(3), 8),
		"stream: PE":        m.PutOn(stream, 7, 0, m.Address(0), 8),
		"stream: past":      m.GetOn(stream, 1, m.Address(0), heapSize, 1),
		"signal unaligned":  m.SignalOn(stream, 1, 12, set(1)),
		"signal of 4 bytes": m.SignalOn(stream, 1, 8, engine.AMO{Kind: engine.AMOAdd, Width: 4}),
		"signal: and":       m.PutSignalOn(stream, 1, 0, m.Address(0), 8, 8, engine.AMO{Kind: engine.AMOAnd, Width: 8}),
		"signal: float":     m.PutSignal(1, 0, near, 8, 8, engine.AMO{Kind: engine.AMOAdd, Width: 8, Float: true}),
		"wait unaligned":    m.WaitOn(stream, 9, engine.CompareEQ, 1),
		"no comparison":     m.WaitOn(stream, 8, 6, 1),
		"root of no one":    w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindBroadcast, Root: 2, Bytes: 8}),
		"result too long":   w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindFCollect, Dst: heapSize - 8, Bytes: 8}),
		"source too long":   w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindReduceScatter, Src: heapSize - 8, Bytes: 8}),
		"no such kind":      w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindGather, Bytes: 8}),
		"xor of floats":     w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindAllReduce, Bytes: 8, Elem: reduce.Float32, Op: reduce.Xor}),
		"complex":           w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindReduce, Bytes: 8, Elem: reduce.Complex64}),
		"exact floats":      w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindAllReduce, Bytes: 8, Elem: reduce.Float64, Exact: true}),
		"8-bit floats":      w.CollectiveOn(stream, &engine.Collective{Kind: engine.KindAllReduce, Bytes: 8, Elem: reduce.Float8E4M3}),
		"commit past":       m.Commit(8, heapSize),
		"release past":      m.Release(heapSize, 1),
	} {
		if !errors.Is(err, device.ErrArgument) && !errors.Is(err, device.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if calls := lib.take(); strings.Join(calls, "") != "" {
		t.Errorf("called %q", calls)
	}
}

// Without an optional function its callers say which one the library lacks, or do without.
func TestOptionalFunctionsAreMissing(t *testing.T) {
	m, lib := alone(t)
	m.lib.broadcastOn.at, m.lib.putNBI.at, m.lib.syncAllOn.at = 0, 0, 0
	err := m.World().CollectiveOn(stream, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 8})
	if !errors.Is(err, device.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	data := make([]byte, 256<<10)
	if err := errors.Join(m.PutNBI(1, 0, pointer(&data[0]), 150000), m.World().SyncOn(stream)); err != nil {
		t.Error(err)
	}
	if got, want := strings.Join(lib.take(), ";"), "nvshmem_putmem @0 local 150000 1;nvshmemx_team_sync_on_stream 0 77"; got != want {
		t.Errorf("called %s, want %s", got, want)
	}
}
