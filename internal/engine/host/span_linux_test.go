//go:build !race

package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/internal/ucx"
)

// spanHeaps opens a world on nodes of size PEs that reach each other through UCX alone.
func spanHeaps(t *testing.T, n, size int) []*Heap {
	t.Helper()
	if _, err := ucx.Probe(); errors.Is(err, ucx.ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	t.Setenv("UCX_TLS", "tcp")
	t.Setenv("UCX_NET_DEVICES", "lo")
	c := smallConfig()
	c.NodeSize, c.Transport = size, engine.UCX
	return processHeaps(t, n, c)
}

// TestSpanGates meets on teams within a node, on teams over two and over all.
func TestSpanGates(t *testing.T) {
	heaps := spanHeaps(t, 5, 2)
	teams := [][]int{{0, 1, 2, 3, 4}, {0, 1}, {1, 2}, {4, 0, 3}}
	none(t, each(heaps, func(h *Heap) error {
		for slot, members := range teams {
			at := -1
			for i, pe := range members {
				if pe == h.rank {
					at = i
				}
			}
			if at < 0 {
				continue
			}
			g := h.Gate(slot, members, 0).(*gate)
			for round := range 3 {
				if err := meetOnce(g, round); err != nil {
					return fmt.Errorf("team %v: %w", members, err)
				}
			}
		}
		return nil
	}))
}

// TestSpanLane moves data to a PE of another node, and has atomics of both nodes meet at
// one word.
func TestSpanLane(t *testing.T) {
	heaps := spanHeaps(t, 4, 2)
	for _, h := range heaps {
		if err := h.Commit(0, pageSize); err != nil {
			t.Fatal(err)
		}
		for pe := range heaps {
			if (h.Base(pe) == nil) != (pe/2 != h.rank/2) {
				t.Errorf("PE %d has base %v of PE %d", h.rank, h.Base(pe), pe)
			}
		}
	}
	const rounds = 4
	add := engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 1}
	sum := engine.AMO{Kind: engine.AMOAdd, Width: 4, Float: true, Value: 0x3f800000} // 1
	none(t, each(heaps, func(h *Heap) error {
		word := uint64(100 + h.rank)
		for pe := range heaps {
			if err := h.Put(pe, 64+8*uintptr(h.rank), unsafe.Pointer(&word), 8); err != nil {
				return err
			}
		}
		for range rounds {
			for _, at := range []engine.Offset{0, 8} {
				op := add
				if at == 8 {
					op = sum
				}
				if _, err := h.Atomic(0, at, op); err != nil {
					return err
				}
			}
		}
		return h.Quiet(context.Background())
	}))
	for pe, h := range heaps {
		for from := range heaps {
			if got := *(*uint64)(unsafe.Add(h.Base(pe), 64+8*from)); got != uint64(100+from) {
				t.Errorf("PE %d holds %d from PE %d", pe, got, from)
			}
		}
	}
	if got := *(*uint64)(heaps[0].Base(0)); got != 4*rounds {
		t.Errorf("%d atomic increments gave %d", 4*rounds, got)
	}
	if got := *(*float32)(unsafe.Add(heaps[0].Base(0), 8)); got != 4*rounds {
		t.Errorf("%d atomic additions of 1 gave %v", 4*rounds, got)
	}
}

// TestSpanErrors: a member that gives a team up, one that comes for something else and one
// that fails are known on the other node, with where they were.
func TestSpanErrors(t *testing.T) {
	heaps := spanHeaps(t, 4, 2)
	all := gates(heaps, 1)
	sync := engine.Call{Kind: engine.KindSync, Slot: 1, Seq: 1, Site: "there.go:7"}
	errs := each(heaps, func(h *Heap) error {
		if call := sync; h.rank == 3 {
			call.Kind = engine.KindBarrier
			return all[3].Meet(t.Context(), call)
		}
		return all[h.rank].Meet(t.Context(), sync)
	})
	for pe, err := range errs {
		if !errors.Is(err, engine.ErrMismatch) {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
	all = gates(heaps, 2)
	errs = each(heaps, func(h *Heap) error {
		if h.rank == 2 {
			all[2].Refuse(sync, errors.New("no time for this"))
			return nil
		}
		return all[h.rank].Meet(t.Context(), sync)
	})
	for _, pe := range []int{0, 1, 3} {
		if errs[pe] == nil || !strings.Contains(errs[pe].Error(), "PE 2 gave this team up: no time for this") {
			t.Errorf("PE %d: %v", pe, errs[pe])
		}
	}
	heaps[1].Note("hm")
	heaps[1].Record(engine.Record{Deed: 1, Peer: 3, At: 8, Bytes: 16, When: time.Unix(1, 0), Site: "here.go:1"})
	p := heaps[2].Progress(1)
	for range 100 { // where all are busy an answer may come after who asked has stopped waiting for it
		if p.Note == "hm" && p.Last.Site == "here.go:1" {
			break
		}
		p = heaps[2].Progress(1)
	}
	if p.Note != "hm" || p.Last.Site != "here.go:1" {
		t.Errorf("PE 2 sees of PE 1: %+v", p)
	}
	heaps[0].Fail("tired", engine.Stays)
	for _, h := range heaps[1:] {
		err := h.Wait(t.Context(), sync, func() bool { return false })
		if !errors.Is(err, engine.ErrFailed) || !strings.Contains(err.Error(), "failed: tired") {
			t.Errorf("PE %d: %v", h.rank, err)
		}
	}
}

// TestSpanRefused: where a PE has no way to other nodes, all are told whose and why.
func TestSpanRefused(t *testing.T) {
	if _, err := ucx.Probe(); errors.Is(err, ucx.ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	t.Setenv("UCX_TLS", "tcp")
	t.Setenv("UCX_NET_DEVICES", "nowhere0")
	mappings, descriptors := holdings(t)
	c := smallConfig()
	c.NodeSize, c.Transport = 2, engine.UCX
	ex, errs := exchanges(3), make(chan error)
	for rank := range 3 {
		go func() {
			_, err := open(t.Context(), engine.Job{Config: c, Rank: rank, Size: 3, Exchange: ex[rank]})
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err == nil || !strings.Contains(err.Error(), "share no memory, so that each PE needs UCX: PE ") || !strings.Contains(err.Error(), "nowhere0") {
			t.Errorf("%v", err)
		}
	}
	if m, d := holdings(t); m != mappings || d != descriptors {
		t.Errorf("%d mappings and %d descriptors before, %d and %d after", mappings, descriptors, m, d)
	}
}
