package host

import (
	"math"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestAtomics applies every operation to both widths through the engine's door,
// which shmem uses for peers without a Base only.
func TestAtomics(t *testing.T) {
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	f64 := math.Float64bits
	for _, c := range []struct {
		name            string
		width           uint8
		op              engine.AMO
		start, old, end uint64
	}{
		{"fetch", 8, engine.AMO{Kind: engine.AMOFetch}, 1 << 60, 1 << 60, 1 << 60},
		{"set", 8, engine.AMO{Kind: engine.AMOSet, Value: 1 << 62}, 5, 5, 1 << 62},
		{"swap", 8, engine.AMO{Kind: engine.AMOSwap, Value: 9}, 5, 5, 9},
		{"compare swap", 8, engine.AMO{Kind: engine.AMOCompareSwap, Cond: 5, Value: 9}, 5, 5, 9},
		{"compare swap, not there", 8, engine.AMO{Kind: engine.AMOCompareSwap, Cond: 4, Value: 9}, 5, 5, 5},
		{"add", 8, engine.AMO{Kind: engine.AMOAdd, Value: ^uint64(0)}, 5, 5, 4},
		{"add float", 8, engine.AMO{Kind: engine.AMOAdd, Float: true, Value: f64(0.5)}, f64(1.25), f64(1.25), f64(1.75)},
		{"and", 8, engine.AMO{Kind: engine.AMOAnd, Value: 0xff00ff00ff00ff00}, ^uint64(0), ^uint64(0), 0xff00ff00ff00ff00},
		{"or", 8, engine.AMO{Kind: engine.AMOOr, Value: 1 << 63}, 1, 1, 1<<63 | 1},
		{"xor", 8, engine.AMO{Kind: engine.AMOXor, Value: ^uint64(0)}, 0xf0, 0xf0, ^uint64(0xf0)},
		{"fetch", 4, engine.AMO{Kind: engine.AMOFetch}, 7, 7, 7},
		{"set", 4, engine.AMO{Kind: engine.AMOSet, Value: 1 << 31}, 5, 5, 1 << 31},
		{"swap", 4, engine.AMO{Kind: engine.AMOSwap, Value: 9}, 5, 5, 9},
		{"compare swap", 4, engine.AMO{Kind: engine.AMOCompareSwap, Cond: 5, Value: 9}, 5, 5, 9},
		{"compare swap, not there", 4, engine.AMO{Kind: engine.AMOCompareSwap, Cond: 4, Value: 9}, 5, 5, 5},
		{"add, without carry", 4, engine.AMO{Kind: engine.AMOAdd, Value: 1}, math.MaxUint32, math.MaxUint32, 0},
		{"add float", 4, engine.AMO{Kind: engine.AMOAdd, Float: true, Value: f32(0.5)}, f32(1.25), f32(1.25), f32(1.75)},
		{"and", 4, engine.AMO{Kind: engine.AMOAnd, Value: 0xff00}, math.MaxUint32, math.MaxUint32, 0xff00},
		{"or", 4, engine.AMO{Kind: engine.AMOOr, Value: 1 << 31}, 1, 1, 1<<31 | 1},
		{"xor", 4, engine.AMO{Kind: engine.AMOXor, Value: math.MaxUint32}, 0xf0, 0xf0, 0xffffff0f},
	} {
		heaps := newLocal(2, smallConfig())
		const at, around = 128, 0xa5a5a5a5a5a5a5a5
		word := func(off uintptr) *uint64 { return (*uint64)(unsafe.Add(heaps[1].Base(1), off)) }
		*word(at - 8), *word(at), *word(at + 8) = around, around, around
		if c.width == 4 {
			*(*uint32)(unsafe.Pointer(word(at))) = uint32(c.start)
		} else {
			*word(at) = c.start
		}
		c.op.Width = c.width
		old, err := heaps[0].Atomic(1, at, c.op)
		end := *word(at)
		if c.width == 4 {
			if end>>32 != around>>32 {
				t.Errorf("%s: the upper half became %#x", c.name, end>>32)
			}
			end = uint64(uint32(end))
		}
		if err != nil || old != c.old || end != c.end {
			t.Errorf("%s of %d bytes: %#x, %v, then %#x; want %#x, then %#x", c.name, c.width, old, err, end, c.old, c.end)
		}
		if *word(at - 8) != around || *word(at + 8) != around {
			t.Errorf("%s of %d bytes: the words around have changed", c.name, c.width)
		}
	}
}

// TestPutGet moves bytes of all small sizes and checks what stands around them.
func TestPutGet(t *testing.T) {
	heaps := newLocal(2, smallConfig())
	src, dst := make([]byte, 100), make([]byte, 100)
	for i := range src {
		src[i] = byte(i + 1)
	}
	for n := range uintptr(len(src)) {
		for _, at := range []uintptr{0, 1, 3, 8, 64} {
			for name, put := range map[string]func(int, engine.Offset, unsafe.Pointer, uintptr) error{"put": heaps[0].Put, "put nbi": heaps[0].PutNBI} {
				peer := unsafe.Slice((*byte)(heaps[1].Base(1)), 256)
				clear(peer)
				clear(dst)
				if err := put(1, at, unsafe.Pointer(&src[0]), n); err != nil {
					t.Fatal(err)
				}
				get := heaps[0].Get
				if name == "put nbi" {
					get = heaps[0].GetNBI
				}
				if err := get(1, unsafe.Pointer(&dst[0]), at, n); err != nil {
					t.Fatal(err)
				}
				if err := heaps[0].Quiet(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i := range peer {
					want := byte(0)
					if u := uintptr(i) - at; u < n {
						want = src[u]
					}
					if peer[i] != want {
						t.Fatalf("%s of %d bytes at %d: byte %d is %d, want %d", name, n, at, i, peer[i], want)
					}
				}
				if string(dst[:n]) != string(src[:n]) || dst[n] != 0 {
					t.Fatalf("get of %d bytes at %d: %v", n, at, dst)
				}
			}
		}
	}
}

// TestPutSignal: the signal is applied after the data, and the target is rung.
func TestPutSignal(t *testing.T) {
	heaps := newLocal(2, smallConfig())
	src := uint64(77)
	for i := uint64(1); i <= 3; i++ {
		if err := heaps[0].PutSignal(1, 0, unsafe.Pointer(&src), 8, 128, engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 2}); err != nil {
			t.Fatal(err)
		}
		if got := *(*uint64)(unsafe.Add(heaps[1].Base(1), 128)); got != 2*i {
			t.Errorf("the signal is %d, want %d", got, 2*i)
		}
	}
	if got := *(*uint64)(heaps[1].Base(1)); got != 77 {
		t.Errorf("the data is %d", got)
	}
}
