package weak

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// scribe is a heap that only writes down what arrives.
type scribe struct {
	engine.Heap
	mu    sync.Mutex
	lines []string
}

func (s *scribe) write(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *scribe) Rank() int { return 0 }
func (s *scribe) NPEs() int { return 4 }
func (s *scribe) Ring(int)  {}

func (s *scribe) Put(pe int, dst engine.Offset, _ unsafe.Pointer, n uintptr) error {
	s.write("put %d:%d+%d", pe, dst, n)
	return nil
}

func (s *scribe) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	s.write("atomic %d:%d", pe, at)
	return op.Value, nil
}

// still is a weak heap whose clock never delivers, and what it writes to.
func still(seed uint64) (*Heap, *scribe) {
	s := &scribe{}
	h := Wrap(s, seed)
	h.own.queue.ticks = true
	return h, s
}

// send puts to all PEs by turns, with a fence now and then.
func send(t *testing.T, h *Heap, puts, fences int) {
	t.Helper()
	var word uint64
	for i := range puts {
		if err := h.Put(i%4, uintptr(i), unsafe.Pointer(&word), 8); err != nil {
			t.Fatal(err)
		}
		if fences > 0 && i%fences == fences-1 {
			h.Fence()
		}
	}
}

// TestSeedDecides: the same calls with the same seed arrive in the same order, with
// another in another.
func TestSeedDecides(t *testing.T) {
	orders := map[string]uint64{}
	for seed := range uint64(40) {
		var first []string
		for range 3 {
			h, s := still(seed)
			send(t, h, 300, 0)
			if err := h.own.queue.drain(idle); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = s.lines
			}
			if !slices.Equal(s.lines, first) {
				t.Errorf("seed %d: two orders", seed)
			}
		}
		if len(first) != 300 || slices.IsSorted(first) {
			t.Errorf("seed %d: %d of 300 puts arrived, in order: %v", seed, len(first), slices.IsSorted(first))
		}
		orders[strings.Join(first, " ")] = seed
	}
	if len(orders) < 40 {
		t.Errorf("40 seeds make %d orders", len(orders))
	}
}

// TestFenceHolds: at each PE nothing passes a fence, and everything arrives once.
func TestFenceHolds(t *testing.T) {
	for seed := range uint64(200) {
		h, s := still(seed)
		const every = 10
		send(t, h, 200, every)
		if err := h.own.queue.drain(idle); err != nil {
			t.Fatal(err)
		}
		var last [4]int
		seen := map[string]bool{}
		for _, line := range s.lines {
			var pe, at int
			if _, err := fmt.Sscanf(line, "put %d:%d+8", &pe, &at); err != nil {
				t.Fatal(err)
			}
			if at/every < last[pe] {
				t.Errorf("seed %d: PE %d: put %d arrived after one behind a later fence", seed, pe, at)
			}
			last[pe], seen[line] = at/every, true
		}
		if len(seen) != 200 || len(s.lines) != 200 {
			t.Errorf("seed %d: %d puts, %d different ones", seed, len(s.lines), len(seen))
		}
	}
}

// TestQueueIsBounded: without any clock, fence or quiet no more waits than may.
func TestQueueIsBounded(t *testing.T) {
	for seed := range uint64(50) {
		h, s := still(seed)
		oldest := int64(0)
		var word uint64
		for i := range 2000 {
			if err := h.Put(i%4, uintptr(i), unsafe.Pointer(&word), 8); err != nil {
				t.Fatal(err)
			}
			if q := &h.own.queue; len(q.items) > maxQueue || len(s.lines)+len(q.items) != i+1 {
				t.Fatalf("seed %d: %d wait and %d have arrived of %d", seed, len(q.items), len(s.lines), i+1)
			} else if len(q.items) > 0 {
				oldest = max(oldest, q.count-q.items[0].seq)
			}
		}
		if oldest > patient+maxQueue {
			t.Errorf("seed %d: one was passed by %d others", seed, oldest)
		}
	}
	h, _ := still(1)
	big := make([]byte, maxBytes)
	for range 5 {
		if err := h.Put(1, 0, unsafe.Pointer(&big[0]), maxBytes); err != nil {
			t.Fatal(err)
		}
		if h.own.queue.bytes > maxBytes {
			t.Fatalf("%d bytes wait", h.own.queue.bytes)
		}
	}
}

// TestSignalIsLast: a signal comes after all parts of its data, and a fetching atomic
// after what a fence has put before it.
func TestSignalIsLast(t *testing.T) {
	var data [64]uint64
	for seed := range uint64(200) {
		h, s := still(seed)
		send(t, h, 20, 0)
		if err := h.PutSignal(1, 1000, unsafe.Pointer(&data), 512, 5000, engine.AMO{Kind: engine.AMOSet, Width: 8, Blind: true}); err != nil {
			t.Fatal(err)
		}
		h.Fence()
		if _, err := h.Atomic(1, 9000, engine.AMO{Kind: engine.AMOAdd, Width: 8}); err != nil {
			t.Fatal(err)
		}
		signal, fetch := slices.Index(s.lines, "atomic 1:5000"), slices.Index(s.lines, "atomic 1:9000")
		parts := 0
		for i, line := range s.lines {
			if strings.HasPrefix(line, "put 1:1") && len(line) > len("put 1:17+8") {
				parts++
				if i > signal {
					t.Errorf("seed %d: %s after the signal", seed, line)
				}
			}
		}
		if parts == 0 || signal < 0 || fetch < signal {
			t.Errorf("seed %d: %d parts, signal at %d, atomic at %d: %v", seed, parts, signal, fetch, s.lines)
		}
	}
}

// TestPauseHolds: while a quiet pauses the clock delivers nothing: else nobody would see
// what the pause is for.
func TestPauseHolds(t *testing.T) {
	h, s := still(1)
	q := &h.own.queue
	send(t, h, 4, 0)
	before := len(q.items)
	q.pausing = 1
	q.tick()
	q.mu.Lock()
	q.pausing = 0
	left := len(q.items)
	q.mu.Unlock()
	if err := q.drain(idle); err != nil || before == 0 || left != before || len(s.lines) != 4 {
		t.Errorf("%d waited, %d after the clock; %d arrived, %v", before, left, len(s.lines), err)
	}
}
