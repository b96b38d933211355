package host

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// nowhere is a wire on which nothing goes; what is got is what was known.
type nowhere struct{}

func (nowhere) put(int, uintptr, unsafe.Pointer, uintptr, bool) error { return errUnknown }
func (nowhere) get(int, uintptr, unsafe.Pointer, uintptr, bool) error { return nil }
func (nowhere) atomic(int, uintptr, engine.AMO) (uint64, error)       { return 0, errUnknown }
func (nowhere) fence() error                                          { return nil }
func (nowhere) flush(context.Context) error                           { return nil }
func (nowhere) drain() error                                          { return nil }
func (nowhere) send(int, []byte) error                                { return errUnknown }
func (nowhere) progress()                                             {}
func (nowhere) lost(int) error                                        { return nil }
func (nowhere) signs(int) uint32                                      { return 0 }
func (nowhere) drop(int) error                                        { return nil }
func (nowhere) close() error                                          { return nil }

// apart makes goroutine PEs of which two by two think that they are of one node.
func apart(n int) []*Heap {
	heaps := newLocal(n, smallConfig())
	node := make([]int, n)
	for pe := range node {
		node[pe] = pe / 2
	}
	for _, h := range heaps {
		h.far = newFar(h, node, n/2)
		h.far.wire = nowhere{}
	}
	return heaps
}

// messages are one of each kind, from PE 2 to PE 0.
func messages() [][]byte {
	c := &control{}
	c.call.Store(engine.Call{Kind: engine.KindBarrier, Seq: 3}.Pack(true))
	c.say("tired")
	word := func(m []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(m, v) }
	return [][]byte{
		append(append(word(word(head(msgComes, 1, 2), 2), uint32(comeLen+6)), make([]byte, comeLen)...), "staged"...),
		giveMessage(2, 1, 0, 0, c), stateMessage(2, c, true), endedMessage(2, 3, &obit{"died", 2}, c),
		head(msgBeat, 0, 2), askMessage(2, 1), appendBoard(word(head(msgBoard, 0, 2), 3), c), head(msgRing, 0, 2), doomMessage(2, "a fault"),
	}
}

// TestTruncated: a message that has lost its end changes nothing but that its sender lives.
func TestTruncated(t *testing.T) {
	h := apart(4)[0]
	seen := func() (all [4]engine.Progress) {
		for pe := range all {
			all[pe] = h.progress(pe)
		}
		return all
	}
	before := seen()
	for _, m := range messages() {
		for n := range len(m) {
			if n < headLen || m[0] != msgBeat && m[0] != msgRing {
				h.far.handle(m[:n])
			}
		}
		if got := seen(); got != before {
			t.Fatalf("kind %d: %+v was %+v", m[0], got, before)
		}
	}
	if err := h.Broken(); err != nil {
		t.Error(err)
	}
}

// FuzzHandle: whatever comes from other nodes, what this PE then says is an error of a
// public kind or none.
func FuzzHandle(f *testing.F) {
	for _, m := range messages() {
		f.Add(m)
		f.Add(m[:len(m)-1])
		for _, at := range []int{1, 4, 5, 8, 9, 12, 16} { // slots, ranks, words and lengths
			if at < len(m) {
				wrong := append([]byte(nil), m...)
				wrong[at] ^= 0xff
				f.Add(wrong)
			}
		}
	}
	f.Add(append(messages()[0], make([]byte, 1<<16)...))
	f.Fuzz(func(t *testing.T, m []byte) {
		h := apart(4)[0]
		h.far.handle(m)
		for pe, c := range h.ctl {
			c.exit.Store(0) // else this process ends, as it was told
			h.progress(pe)
		}
		g := h.Gate(1, []int{0, 2}, 0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := g.Meet(ctx, engine.Call{Kind: engine.KindBarrier, Slot: 1, Seq: 1})
		var s *engine.Stall
		if err != nil && !errors.As(err, &s) && !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		} else if s != nil && s.Error() == "" {
			t.Error("an error without words")
		}
	})
}
