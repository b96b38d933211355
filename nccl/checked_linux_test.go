package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/launch"
)

// checkedRanks are three of this process, on the host library.
func checkedRanks(t *testing.T, logf func(string, ...any)) ([]*Comm, func(call func(rank int, c *Comm) error) []error) {
	t.Helper()
	d, err := gpu.Open(nameHost)
	must(t, err)
	list, err := InitAll(t.Context(), slices.Repeat([]*gpu.Device{d}, 3), Options{Library: nameHost, Timeout: time.Minute, Check: CheckOn, Logf: logf})
	must(t, err)
	return list, func(call func(rank int, c *Comm) error) []error {
		errs := make([]error, len(list))
		var all sync.WaitGroup
		for rank, c := range list {
			all.Go(func() { errs[rank] = call(rank, c) })
		}
		all.Wait()
		return errs
	}
}

// differ has the ranks of c call different things, then the same, each on a stream of its own.
func differ(c *Comm) error {
	s, err := c.Device().NewStream()
	if err != nil {
		return err
	}
	x, y := make([]int32, 1+c.Rank()), make([]int32, 1+c.Rank())
	bad := AllReduce(c, Host(x), Host(y), Sum, s)
	if !errors.Is(bad, ErrMismatch) || !strings.Contains(bad.Error(), "nothing was started") || !strings.Contains(bad.Error(), "ranks 1: all-reduce of 2 int32 by sum (checked_linux_test.go:") {
		err = fmt.Errorf("different lengths: %w", bad)
	}
	x[0] = 1
	err = errors.Join(err, AllReduce(c, Host(x[:1]), Host(y[:1]), Sum, s), c.Synchronize(context.Background(), s), s.Close())
	if y[0] != int32(c.Size()) {
		err = errors.Join(err, fmt.Errorf("the sum of %d ranks is %d", c.Size(), y[0]))
	}
	return err
}

// TestCheckedChildren: what is split or shrunk of a communicator in checked mode compares
// among its own ranks, and so do its children; what others join does not, which is told.
func TestCheckedChildren(t *testing.T) {
	var mu sync.Mutex
	var told []string
	list, each := checkedRanks(t, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf(format, args...))
	})
	must(t, errors.Join(each(func(rank int, c *Comm) error {
		half, err := c.Split(t.Context(), rank/2, 0)
		if err != nil || rank == 2 { // alone in its half
			return errors.Join(err, half.Close())
		}
		again, err := half.Split(t.Context(), 0, -rank)
		if err != nil {
			return err
		}
		return errors.Join(differ(half), differ(again), again.Close(), half.Close())
	})...))
	must(t, errors.Join(each(func(rank int, c *Comm) error {
		if rank == 0 {
			return nil
		}
		less, err := c.Shrink(t.Context(), []int{0}, false)
		if err != nil {
			return err
		}
		return errors.Join(differ(less), less.Close())
	})...))
	if len(told) > 0 {
		t.Errorf("told %q", told)
	}
	if list[0].checker.heir(&family{}, opGrow, birth{}) != nil || len(told) != 1 || !strings.Contains(told[0], "does not reach what grow makes") {
		t.Errorf("a communicator that others join is compared; told %q", told)
	}
	for _, c := range list {
		must(t, c.Close())
	}
}

// TestCheckedDropped: calls of a group that was dropped, and those behind one that differs,
// are not compared with later ones.
func TestCheckedDropped(t *testing.T) {
	list, each := checkedRanks(t, nil)
	x, y, odd := Host([]int32{1}), Host([]int32{0}), errors.New("odd")
	reduce := func(rank int, c *Comm) error { return AllReduce(c, x, y, []Op{Sum, Min, Max}[rank], nil) }
	for name, drop := range map[string]struct {
		run  func(rank int, c *Comm) error
		want error
	}{
		"a group that fails": {func(rank int, c *Comm) error {
			return Group(func() error { return errors.Join(reduce(rank, c), odd) })
		}, odd},
		"a group that is simulated": {func(rank int, c *Comm) error {
			_, err := Simulate(func() error { return reduce(rank, c) })
			return err
		}, ErrUnsupported},
		"a group that differs twice": {func(rank int, c *Comm) error {
			return Group(func() error { return errors.Join(Broadcast(c, x, y, rank, nil), reduce(rank, c)) })
		}, ErrMismatch},
	} {
		for rank, err := range each(drop.run) {
			if !errors.Is(err, drop.want) || errors.Is(err, ErrMismatch) && !strings.Contains(err.Error(), "broadcast of 1 int32 with root 2") {
				t.Errorf("rank %d: %s: %v", rank, name, err)
			}
		}
		if err := errors.Join(each(func(_ int, c *Comm) error { return differ(c) })...); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
	for _, c := range list {
		must(t, c.Close())
	}
}

// TestCheckedCounts: ranks of an all-to-all-v that expect something else than they are
// given are named; those that agree do it.
func TestCheckedCounts(t *testing.T) {
	list, each := checkedRanks(t, nil)
	at := []int{0, 3, 6}
	trade := func(rank int, c *Comm, odd int) error {
		s, err := c.Device().NewStream()
		if err != nil {
			return err
		}
		x, y := make([]int32, 9), make([]int32, 9)
		counts := &Counts{SendAt: at, RecvAt: at}
		for peer := range 3 {
			counts.Send, counts.Recv = append(counts.Send, (rank+peer)%3), append(counts.Recv, (rank+peer)%3)
		}
		if rank == 2 {
			counts.Recv[1] += odd
		}
		return errors.Join(AllToAllV(c, Host(x), Host(y), counts, s), c.Synchronize(t.Context(), s), s.Close())
	}
	for rank, err := range each(func(rank int, c *Comm) error { return trade(rank, c, 1) }) {
		if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "rank 1 gives rank 2 0 elements, which expects 1: all-to-all-v of int32 (checked_linux_test.go:") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	must(t, errors.Join(each(func(rank int, c *Comm) error { return trade(rank, c, 0) })...))
	for _, c := range list {
		must(t, c.Close())
	}
}

// TestCheckedRemote: ranks that were launched meet again for what is made of their
// communicator, where they can.
func TestCheckedRemote(t *testing.T) {
	job := launch.Job{Family: "test", Size: 3, LocalRank: -1, LocalSize: -1, Name: t.Name(), Token: t.Name(),
		Rendezvous: fmt.Sprintf("unix:@goshmem-test-%d", os.Getpid())}
	var all sync.WaitGroup
	for rank := range 2 {
		all.Go(func() {
			j := job
			j.Rank = 1 + rank
			k := &checker{exchange: newRemote(&meeting{store: &launch.Store{}}, j)}
			for range 2 { // the second is made of the first
				k = k.heir(nil, "split", birth{how: "split", number: 1})
				k.begin(rank, 2, time.Minute)
				k.post(ccl.Call{Count: 3 + rank, Type: ccl.Int8})
				k.publish()
				if err := k.verify(t.Context()); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "ranks 1: all-reduce of 4 int8") {
					t.Errorf("rank %d: %v", rank, err)
				}
				c := &Counts{Send: []int{0, 7}, Recv: []int{0, 7 - rank}}
				k.made = [][]byte{appendCounts([]byte("all-to-all-v of int8 (here)"), c)}
				k.publish()
				if err := k.verify(t.Context()); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "rank 0 gives rank 1 7 elements, which expects 0") {
					t.Errorf("rank %d: counts: %v", rank, err)
				}
				if err := k.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for why, m := range map[string]*meeting{"several machines": {store: &launch.Store{}, spread: true}, "Options.Exchange": {}} {
		told := ""
		k := &checker{exchange: newRemote(m, job), logf: func(format string, args ...any) { told = fmt.Sprintf(format, args...) }}
		if k.heir(nil, "split", birth{}) != nil || !strings.Contains(told, why) {
			t.Errorf("%s: told %q", why, told)
		}
	}
	absent := &remote{job: job, name: "absent"}
	if err := absent.close(); err != nil {
		t.Error(err)
	}
	absent.begin(0, 2, time.Minute)
	absent.post([]byte("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := absent.collect(ctx); err == nil {
		t.Error("nobody else has come, and nobody is missed")
	}
	if err := absent.close(); err != nil {
		t.Error(err)
	}
}

// gone is a meeting point that others have left, or where time is over.
type gone struct {
	seat
	err error
}

func (g gone) collect(context.Context) ([][]byte, error) { return nil, g.err }

// TestCheckedAbsent: that a rank does not come to be compared has a kind.
func TestCheckedAbsent(t *testing.T) {
	for _, c := range []struct{ err, is error }{
		{errors.New("the connection is lost"), ErrRemote}, {context.DeadlineExceeded, ErrTimeout}, {context.Canceled, context.Canceled},
	} {
		k := &checker{exchange: gone{err: c.err}, posted: 1}
		if err := k.verify(t.Context()); !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(), "not all ranks have come to this call: "+c.err.Error()) {
			t.Errorf("%v is %v", c.err, err)
		}
	}
}
