package engine_test

import (
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestCallTexts holds how calls are named.
func TestCallTexts(t *testing.T) {
	for want, c := range map[string]engine.Call{
		"nothing yet":                  {},
		"alloc #7":                     {Kind: engine.KindAlloc, Seq: 7, Site: "ring.go:31"},
		"barrier #12 of team 3":        {Kind: engine.KindBarrier, Slot: 3, Seq: 12},
		"sync #1 on streams":           {Kind: engine.KindSync, Slot: engine.OnStreams, Seq: 1},
		"sync #2 of team 5 on streams": {Kind: engine.KindSync, Slot: engine.OnStreams + 5, Seq: 2},
		"wait":                         {Kind: engine.KindWait},
		"free":                         {Kind: engine.KindFree, Slot: 4},
		"call kind 200 #1":             {Kind: 200, Seq: 1},
	} {
		if got := c.String(); got != want {
			t.Errorf("%#v is %q, want %q", c, got, want)
		}
	}
	seen := map[string]bool{}
	for k := engine.None; k <= engine.KindSendReceive; k++ {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("kind %d has no name of its own: %q", k, name)
		}
		seen[k.String()] = true
	}
	if got := (engine.KindSendReceive + 1).String(); got != "call kind 26" {
		t.Errorf("the kind after the last is called %q: add it to this test", got)
	}
}

// FuzzCall packs calls into a word and unpacks them.
func FuzzCall(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint64(0), false)
	f.Add(uint8(4), uint8(63), uint64(7), true)
	f.Add(uint8(255), uint8(255), uint64(1)<<47-1, true)
	f.Add(uint8(1), uint8(1), ^uint64(0), false)
	f.Fuzz(func(t *testing.T, kind, slot uint8, seq uint64, active bool) {
		c := engine.Call{Kind: engine.Kind(kind), Slot: slot, Seq: seq, Site: "not packed"}
		got, on := engine.Unpack(c.Pack(active))
		want := engine.Call{Kind: c.Kind, Slot: slot, Seq: seq & (1<<47 - 1)}
		if got != want || on != active {
			t.Errorf("packed %+v %v, unpacked %+v %v", c, active, got, on)
		}
		if again := got.Pack(on); again != c.Pack(active) {
			t.Errorf("packed again: %#x, was %#x", again, c.Pack(active))
		}
	})
}
