package nvshmem

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// soon is a context that ends long before a test does.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// poisoned checks that nothing enters the library any more, and that the end comes at once.
func poisoned(t *testing.T, h *heap, lib *mock, kind error) {
	t.Helper()
	m := h.device
	why := m.Poisoned()
	if !errors.Is(why, kind) || !strings.Contains(why.Error(), "has not come back") || strings.Contains(why.Error(), "\n") {
		t.Errorf("poisoned by %v, want %v", why, kind)
	}
	if got := h.Broken(); !errors.Is(got, kind) {
		t.Errorf("broken by %v, want %v", got, kind)
	}
	lib.take()
	var x uint64
	for what, err := range map[string]error{
		"put":       m.Put(1, 0, pointer(&x), 8),
		"put on":    m.PutOn(0, 1, 0, m.Address(0), 8),
		"barrier":   m.World().BarrierOn(0),
		"broadcast": m.World().CollectiveOn(0, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 8}),
		"quiet":     m.Quiet(t.Context()),
	} {
		if !errors.Is(err, kind) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := h.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if calls := strings.Join(lib.take(), ""); calls != "" {
		t.Errorf("called %s", calls)
	}
}

// A call that waits for a PE that has died is given up, and the library with it; whoever
// stands behind the call learns the same.
func TestPeerDiesInACall(t *testing.T) {
	j := newJob(t, 2, 2, true)
	heaps := j.must()
	m := heaps[0].device
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := m.NewGroup(t.Context(), m.World(), 2, 0, 1, 2)
		if !errors.Is(err, engine.ErrDied) || !strings.Contains(err.Error(), "nvshmem_team_split_strided has not come back") || !strings.Contains(err.Error(), "PE 1") {
			t.Errorf("split: %v", err)
		}
	})
	for j.mocks[0].inside.Load() == 0 {
		runtime.Gosched()
	}
	wg.Go(func() {
		if err := m.QuietOn(0); !errors.Is(err, engine.ErrDied) {
			t.Errorf("behind the split: %v", err)
		}
	})
	heaps[1].Die("a test", []int{1})
	wg.Wait()
	poisoned(t, heaps[0], j.mocks[0], engine.ErrDied)
}

// The same without a death: the end of the caller's patience.
func TestPeerDoesNotCome(t *testing.T) {
	j := newJob(t, 2, 2, true)
	heaps := j.must()
	m := heaps[0].device
	_, err := m.NewGroup(soon(t), m.World(), 2, 0, 1, 2)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("split: %v", err)
	}
	poisoned(t, heaps[0], j.mocks[0], context.DeadlineExceeded)
}

// A PE that dies before it comes to a barrier of streams: whoever waits for its stream
// learns of it, nothing collective is tried at the end.
func TestPeerDiesBeforeAStreamBarrier(t *testing.T) {
	j := newJob(t, 2, 2, true)
	heaps := j.must()
	m := heaps[0].device
	s, err := m.GPU.NewStream(m.Dev, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.World().BarrierOn(s); err != nil {
		t.Fatal(err)
	}
	heaps[1].Die("a test", []int{1})
	if err := m.finish(s); !errors.Is(err, engine.ErrDied) {
		t.Errorf("finish: %v", err)
	}
	j.mocks[0].take()
	if err := heaps[0].Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if calls := strings.Join(j.mocks[0].take(), ";"); strings.Contains(calls, "finalize") || strings.Contains(calls, "free") {
		t.Errorf("called %s", calls)
	}
}

// A PE that does not come to the library's start, or to the allocation.
func TestPeerDoesNotBegin(t *testing.T) {
	for _, fn := range []string{"nvshmemx_hostlib_init_attr", "nvshmem_align"} {
		j := newJob(t, 2, 2, true)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond) // for all that comes before, too
		t.Cleanup(cancel)
		j.ctx = ctx
		j.mocks[1].named("hang", fn)
		_, errs := j.open()
		for pe, err := range errs {
			if err == nil || !strings.Contains(err.Error(), fn+" has not come back") {
				t.Errorf("PE %d without %s of PE 1: %v", pe, fn, err)
			}
		}
	}
}

// Where PEs share a GPU the library does less: all that it would end the process for is
// refused with what to do, everything else works, and a barrier of streams is over when
// the call returns.
func TestWorldOnSharedGPU(t *testing.T) {
	p := world(t, 2, 1)
	if !p.heaps[0].device.limited { // a job on GPUs of their own
		return
	}
	groups := p.split(0, 1, 2)
	p.each(func(pe int, m *memory) error {
		g := groups[pe]
		for what, err := range map[string]error{
			"wait":          m.WaitOn(0, 0, engine.CompareNE, 0),
			"broadcast":     m.World().CollectiveOn(0, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 8}),
			"reduce to one": m.World().CollectiveOn(0, &engine.Collective{Kind: engine.KindReduce, Bytes: 8}),
			"team barrier":  g.BarrierOn(0),
			"team sync":     g.SyncOn(0),
			"fcollect":      g.CollectiveOn(0, &engine.Collective{Kind: engine.KindFCollect, Bytes: 8}),
		} {
			if !errors.Is(err, device.ErrUnsupported) || !strings.Contains(err.Error(), "share a GPU") {
				t.Errorf("%s: %v", what, err)
			}
		}
		return errors.Join(g.Close(t.Context()), m.Commit(0, heapSize))
	})
	p.onStream(func(pe int, m *memory, s device.Handle) error {
		return errors.Join(
			m.fill(64, []byte{byte(10 + pe)}), m.World().SyncOn(s),
			m.PutSignalOn(s, 1-pe, 128, m.own(64), 1, 256, set(3)),
			m.WaitOn(s, 256, engine.CompareEQ, 3), m.WaitOn(s, 256, engine.CompareGT, 2), m.WaitOn(s, 256, engine.CompareGE, 3),
			m.World().BarrierOn(s))
	})
	p.each(func(pe int, m *memory) error {
		sig, err := m.Load(256, 8)
		got, also := m.read(128, 1)
		if sig != 3 || got[0] != byte(11-pe) {
			t.Errorf("PE %d: signal %d, data %v", pe, sig, got)
		}
		return errors.Join(err, also)
	})
}
