package rocshmem

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// deed is an operation of the engine, and the calls that it makes: name and arguments.
type deed struct {
	do   func() error
	want string
}

// deeds are all operations that call the library, with numbers that no neighbour has too.
func (p *pe) deeds(s device.Handle) []deed {
	at := func(off engine.Offset) string { return fmt.Sprintf("%x", p.Base+off) }
	stream, team := fmt.Sprintf("%x", s), fmt.Sprintf("%x", uintptr(p.team))
	set, add := engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 0x55}, engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 0x66}
	atomic := func(op engine.AMO) func() error {
		return func() error { _, err := p.Atomic(0, 0x40, op); return err }
	}
	collect := func(c engine.Collective) func() error {
		c.Dst, c.Src = 0x100, 0x200
		return func() error { return p.world.CollectiveOn(s, &c) }
	}
	own := func(off engine.Offset) device.Ptr { return device.Ptr(p.Base + off) }
	return []deed{
		{func() error { return p.PutOn(s, 0, 0x40, own(0x80), 0x18) }, "putmem_on_stream " + at(0x40) + " " + at(0x80) + " 18 0 " + stream},
		{func() error { return p.GetOn(s, 0, own(0x80), 0x40, 0x18) }, "getmem_on_stream " + at(0x80) + " " + at(0x40) + " 18 0 " + stream},
		{func() error { return p.PutSignalOn(s, 0, 0x40, own(0x80), 0x18, 0x30, add) }, "putmem_signal_on_stream " + at(0x40) + " " + at(0x80) + " 18 " + at(0x30) + " 66 1 0 " + stream},
		{func() error { return p.SignalOn(s, 0, 0x30, set) }, "signal_set_on_stream " + at(0x30) + " 55 0 " + stream},
		{func() error { return p.SignalOn(s, 0, 0x30, add) }, "signal_add_on_stream " + at(0x30) + " 66 0 " + stream},
		{func() error { return p.WaitOn(s, 0x30, engine.CompareLE, 0x77) }, "signal_wait_until_on_stream " + at(0x30) + " 5 77 " + stream},
		{func() error { return p.QuietOn(s) }, "quiet_on_stream " + stream},
		{func() error { return p.world.BarrierOn(s) }, "barrier_all_on_stream " + stream},
		{func() error { return p.world.SyncOn(s) }, "sync_all_on_stream " + stream},
		{collect(engine.Collective{Kind: engine.KindAllToAll, Bytes: 0x28}), "alltoallmem_on_stream " + team + " " + at(0x100) + " " + at(0x200) + " 28 " + stream},
		{collect(engine.Collective{Kind: engine.KindBroadcast, Bytes: 0x28}), "broadcastmem_on_stream " + team + " " + at(0x100) + " " + at(0x200) + " 28 0 " + stream},
		{collect(engine.Collective{Kind: engine.KindAllReduce, Bytes: 0x28, Elem: reduce.Int32, Op: reduce.Xor}), "ctx_int_xor_reduce_on_stream " + team + " " + at(0x100) + " " + at(0x200) + " a " + stream},
		{atomic(engine.AMO{Kind: engine.AMOFetch, Width: 4}), "uint32_atomic_fetch " + at(0x40) + " 0"},
		{atomic(add), "uint64_atomic_fetch_add " + at(0x40) + " 66 0"},
		{atomic(engine.AMO{Kind: engine.AMOCompareSwap, Width: 8, Cond: 0x11, Value: 0x22}), "uint64_atomic_compare_swap " + at(0x40) + " 11 22 0"},
		{atomic(engine.AMO{Kind: engine.AMOCompareSwap, Width: 4, Cond: 0x11, Value: 0x22}), "uint32_atomic_compare_swap " + at(0x40) + " 11 22 0"},
	}
}

// TestArgumentsAreInOrder: each call has its arguments in their places, and with any two
// neighbours the other way round this test would fail, or the stand-in complains.
func TestArgumentsAreInOrder(t *testing.T) {
	planned(t, 1).run(t, func(p *pe) {
		s := p.newStream()
		p.write(0x30, 0)
		p.controls.RecordOnly()
		for _, d := range p.deeds(s) {
			name, rest, _ := strings.Cut(d.want, " ")
			saw := func() []string {
				p.ok(d.do())
				p.finish(s)
				return p.controls.Take()
			}
			if got := saw(); !slices.Equal(got, []string{d.want}) {
				p.Errorf("calls %q, want %q", got, d.want)
			}
			words := strings.Fields(rest)
			for i := range len(words) - 1 {
				if words[i] == words[i+1] {
					p.Errorf("%s: arguments %d and %d are the same: nobody would see them swapped", name, i, i+1)
				}
				p.controls.Swap(name, i)
				if got := saw(); slices.Equal(got, []string{d.want}) {
					p.Errorf("%s: nobody sees arguments %d and %d swapped", name, i, i+1)
				}
			}
			p.controls.Swap("", 0)
			p.controls.Complaints() // of swapped ones
		}
		p.controls.Perform()
	})
}

// TestStandInComplains: the stand-in tells a call that rocSHMEM would crash on, so that a
// test in which it says nothing means something.
func TestStandInComplains(t *testing.T) {
	planned(t, 1).run(t, func(p *pe) {
		set := func(at uintptr, pe rocshmem.PE) {
			p.lib.Order(func(_ rocshmem.Stream, call func()) { call() })
			p.lib.SignalSetOnStream(rocshmem.Symmetric(at), 1, pe, 0)
		}
		for _, c := range []struct {
			do   func()
			says string
		}{
			{func() { set(p.Base, 1) }, "is no PE"},
			{func() { set(p.Base-8, 0) }, "is no word of 8 bytes in the heap"},
			{func() { set(p.Base+4, 0) }, "is no word of 8 bytes in the heap"},
			{func() { p.lib.Putmem(rocshmem.Symmetric(p.Base), 8, 8, 0) }, "is neither symmetric nor registered"},
			{func() { p.lib.Putmem(rocshmem.Symmetric(p.Base), rocshmem.Local(p.Base), 1<<40, 0) }, "is not in the heap"},
			{func() { p.lib.BarrierOnStream(99, 0) }, "is no team"},
			{func() {
				p.lib.BroadcastmemOnStream(p.team, rocshmem.Symmetric(p.Base), rocshmem.Symmetric(p.Base), 8, 1, 0)
			}, "is not in the team"},
			{func() { p.lib.SignalWaitUntilOnStream(rocshmem.Symmetric(p.Base), 6, 0, 0) }, "is no comparison"},
			{func() { p.lib.Free(rocshmem.Symmetric(p.Base + 8)) }, "was not allocated"},
		} {
			c.do()
			if got := p.controls.Complaints(); len(got) != 1 || !strings.Contains(got[0], c.says) {
				p.Errorf("it says %q, want %q", got, c.says)
			}
		}
	})
}
