package nccl

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// TestGroup: what comes to the library, and that no group is left open, however it ends.
func TestGroup(t *testing.T) {
	s := mocked(t, nameNCCL)
	c := s.comm()
	one := func() error { return Send(c, at(0x10000, 1), 2, nil) }
	must(t, Group(func() error { return nil }))
	s.is("an empty group", "")
	must(t, Group(func() error { return errors.Join(one(), Group(one), one()) }))
	s.is("a group in a group", "GroupStart Send Send Send GroupEnd")
	mine := errors.New("mine")
	if err := Group(func() error { return errors.Join(one(), mine) }); !errors.Is(err, mine) {
		t.Errorf("%v", err)
	}
	s.is("a group that fails", "GroupStart Send GroupSimulateEnd")
	s.Fail("ncclSend", 4, 0)
	wants(t, Group(one), ErrInvalidArgument, "nccl: send: rank 1 of 3")
	s.is("a group with a call that fails", "GroupStart Send GroupSimulateEnd")
	s.Fail("", 0, 0)
	s.Fail("ncclGroupEnd", 2, 0)
	wants(t, Group(one), ErrSystem, "nccl: group: rank 1 of 3")
	s.Fail("", 0, 0)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_ = Group(func() error { return Group(func() error { must(t, one()); panic("mine") }) })
	}()
	s.is("a panic, and before", "GroupStart Send GroupEnd GroupStart Send GroupSimulateEnd")
	estimate, err := Simulate(one)
	if err != nil || estimate != 12500*time.Nanosecond {
		t.Errorf("estimate %v, %v", estimate, err)
	}
	_, err = Simulate(func() error { _, err := Init(t.Context(), s.options); return err })
	wants(t, err, ErrArgument, "in a group")
	err = Group(func() error { _, err := Simulate(one); return err })
	wants(t, err, ErrArgument, "in a group")
	if s.Depth() != 0 || grouped() != nil || groups.open.Load() != 0 {
		t.Error("a group is left open")
	}
	must(t, c.Close())
}

// TestLateGroup: after a group all that it has begun is ready.
func TestLateGroup(t *testing.T) {
	s := mocked(t, nameNCCL)
	list := s.comms(2, s.options)
	s.Late(2)
	var children [2]*Comm
	var windows [2]*Window
	must(t, Group(func() error {
		for i, c := range list {
			var err, werr error
			children[i], err = c.Split(t.Context(), 3, -i)
			windows[i], werr = NewWindow(t.Context(), c, at(0x10000, 4), 0)
			if err := errors.Join(err, werr); err != nil || children[i].Handle() != 0 || windows[i].Handle() != 0 {
				return errors.Join(err, errors.New("ready before the end of the group"))
			}
		}
		return nil
	}))
	for i, c := range children {
		if c.Handle() == 0 || c.Rank() != i || c.Size() != 2 || windows[i].Handle() != 0x888 {
			t.Errorf("child %v, window %#x", c, windows[i].Handle())
		}
	}
	s.Take()
	must(t, children[0].Close())
	s.is("the first child", "")
	must(t, children[1].Close())
	s.is("both children", "CommFinalize CommFinalize CommDestroy CommDestroy")
	blocking := s.options
	blocking.Config.Blocking = new(true)
	s.Late(0)
	other := s.comms(1, blocking)[0]
	err := Group(func() error {
		return errors.Join(Send(list[0], at(0x10000, 1), 1, nil), Send(other, at(0x10000, 1), 0, nil))
	})
	wants(t, err, ErrArgument, "block")
	must(t, errors.Join(list[0].Close(), list[1].Close(), other.Close()))
}

// TestInitAll: all ranks begin in one group; a failure in the middle leaves none.
func TestInitAll(t *testing.T) {
	s := mocked(t, nameNCCL)
	devices := slices.Repeat([]*gpu.Device{s.device}, 2)
	list, err := InitAll(t.Context(), devices, s.options)
	must(t, err)
	s.is("two ranks", "GetUniqueId GroupStart CommInitRankConfig CommInitRankConfig GroupEnd CommUserRank CommCount CommUserRank CommCount")
	must(t, errors.Join(list[0].Close(), list[1].Close()))
	s.Take()
	s.Fail("ncclCommInitRankConfig", 3, 1)
	_, err = InitAll(t.Context(), devices, s.options)
	wants(t, err, ErrInternal, "nccl: init all: ")
	s.is("the second fails", "GetUniqueId GroupStart CommInitRankConfig CommInitRankConfig GroupEnd CommAbort")
	s.Fail("", 0, 0)
	o := s.options
	o.IDs, o.Rank, o.Size = []UniqueID{{'a'}, {'b'}}, 2, 3
	s.Take()
	c, err := Init(t.Context(), o)
	must(t, errors.Join(err, c.Close()))
	if call := s.calls()[0]; !strings.HasPrefix(call, "ncclCommInitRankScalable out 3 2 2 id:a") {
		t.Errorf("two ids: %s", call)
	}
	if list, err := InitAll(t.Context(), []*gpu.Device{}, s.options); len(list) != 0 || err != nil {
		t.Errorf("no devices: %v, %v", list, err)
	}
	_, err = InitAll(t.Context(), []*gpu.Device{nil}, s.options)
	wants(t, err, ErrArgument, "device 0 of the list is nil")
}

// TestChecked: ranks that call different things are named, and nothing is started.
func TestChecked(t *testing.T) {
	s := mocked(t, nameNCCL)
	o := s.options
	o.Check = CheckOn
	list := s.comms(3, o)
	x := at(0x10000, 12)
	each := func(call func(rank int, c *Comm) error) error {
		return Group(func() error {
			for rank, c := range list {
				if err := call(rank, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, each(func(_ int, c *Comm) error {
		return errors.Join(AllReduce(c, x, x, Sum, nil), Send(c, x, 0, nil), Broadcast(c, x, x, 2, nil))
	}))
	if names := s.names(); !strings.HasSuffix(names, "Broadcast GroupEnd") {
		t.Errorf("called %s", names)
	}
	err := each(func(rank int, c *Comm) error {
		if rank == 1 {
			return AllReduce(c, at(0x10000, 13), at(0x10000, 13), Sum, nil)
		}
		return AllReduce(c, x, x, Sum, nil)
	})
	wants(t, err, ErrMismatch, "nothing was started", "ranks 0, 2: all-reduce of 12 float32 by sum (group_linux_test.go:", "ranks 1: all-reduce of 13 float32 by sum (group_linux_test.go:")
	s.is("ranks that differ", "GroupStart AllReduce AllReduce AllReduce GroupSimulateEnd")
	for _, c := range list {
		c.timeout = 20 * time.Millisecond
	}
	wants(t, AllReduce(list[0], x, x, Sum, nil), ErrTimeout, "not all ranks have come", "absent: ranks 1, 2")
	s.is("ranks that do not come", "")
	for _, c := range list {
		must(t, c.Close())
	}
}
