package mem

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// TestAtomicOps checks every operation's old and new value at the edges of its width.
func TestAtomicOps(t *testing.T) {
	const max32, max64 = math.MaxUint32, math.MaxUint64
	for _, c := range []struct {
		name            string
		do              func(p unsafe.Pointer) uint64
		start, old, end uint64
	}{
		{"add64", func(p unsafe.Pointer) uint64 { return Add64(p, 3) }, max64, max64, 2},
		{"add64 of a negative", func(p unsafe.Pointer) uint64 { return Add64(p, max64) }, 0, 0, max64},
		{"swap64", func(p unsafe.Pointer) uint64 { return Swap64(p, 3) }, max64, max64, 3},
		{"compare swap64", func(p unsafe.Pointer) uint64 { return CompareSwap64(p, max64, 3) }, max64, max64, 3},
		{"compare swap64 of another", func(p unsafe.Pointer) uint64 { return CompareSwap64(p, 1, 3) }, max64, max64, max64},
		{"compare swap64 of itself", func(p unsafe.Pointer) uint64 { return CompareSwap64(p, 5, 5) }, 5, 5, 5},
		{"and64", func(p unsafe.Pointer) uint64 { return And64(p, 0xf0f0) }, max64, max64, 0xf0f0},
		{"or64", func(p unsafe.Pointer) uint64 { return Or64(p, 0xf0f0) }, 1 << 63, 1 << 63, 1<<63 | 0xf0f0},
		{"xor64", func(p unsafe.Pointer) uint64 { return Xor64(p, max64) }, 1 << 63, 1 << 63, 1<<63 - 1},
		{"load64", Load64, 1 << 63, 1 << 63, 1 << 63},
		{"add float64", func(p unsafe.Pointer) uint64 { return AddFloat64(p, -0.5) }, math.Float64bits(2), math.Float64bits(2), math.Float64bits(1.5)},
		{"add float64 to infinity", func(p unsafe.Pointer) uint64 { return AddFloat64(p, 1) }, math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1))},
		{"add float64 to nan", func(p unsafe.Pointer) uint64 { return AddFloat64(p, 1) }, math.Float64bits(math.NaN()), math.Float64bits(math.NaN()), math.Float64bits(math.NaN())},
		// Operations on four bytes leave the other four alone.
		{"add32", func(p unsafe.Pointer) uint64 { return uint64(Add32(p, 3)) }, 7<<32 | max32, max32, 7<<32 | 2},
		{"swap32", func(p unsafe.Pointer) uint64 { return uint64(Swap32(p, 3)) }, 7<<32 | max32, max32, 7<<32 | 3},
		{"compare swap32", func(p unsafe.Pointer) uint64 { return uint64(CompareSwap32(p, max32, 3)) }, 7<<32 | max32, max32, 7<<32 | 3},
		{"compare swap32 of another", func(p unsafe.Pointer) uint64 { return uint64(CompareSwap32(p, 1, 3)) }, 7<<32 | max32, max32, 7<<32 | max32},
		{"and32", func(p unsafe.Pointer) uint64 { return uint64(And32(p, 0xf0f0)) }, 7<<32 | max32, max32, 7<<32 | 0xf0f0},
		{"or32", func(p unsafe.Pointer) uint64 { return uint64(Or32(p, 0xf0f0)) }, 7<<32 | 1<<31, 1 << 31, 7<<32 | 1<<31 | 0xf0f0},
		{"xor32", func(p unsafe.Pointer) uint64 { return uint64(Xor32(p, max32)) }, 7<<32 | 1<<31, 1 << 31, 7<<32 | 1<<31 - 1},
		{"load32", func(p unsafe.Pointer) uint64 { return uint64(Load32(p)) }, 7<<32 | 9, 9, 7<<32 | 9},
		{"add float32", func(p unsafe.Pointer) uint64 { return uint64(AddFloat32(p, -0.5)) }, 7<<32 | uint64(math.Float32bits(2)), uint64(math.Float32bits(2)), 7<<32 | uint64(math.Float32bits(1.5))},
	} {
		word := c.start // the lower half comes first on every machine that Go calls little-endian
		if got := c.do(unsafe.Pointer(&word)); got != c.old || word != c.end {
			t.Errorf("%s on %#x: returned %#x, left %#x; want %#x and %#x", c.name, c.start, got, word, c.old, c.end)
		}
	}
}

// TestAtomicTogether lets goroutines work on one word, one operation at a time: no
// update is lost.
func TestAtomicTogether(t *testing.T) {
	const workers, rounds = 4, 100_000
	const n = workers * rounds
	for _, c := range []struct {
		name string
		do   func(p unsafe.Pointer, id int)
		want uint64
	}{
		{"add64", func(p unsafe.Pointer, _ int) { Add64(p, 1) }, n},
		{"add32", func(p unsafe.Pointer, _ int) { Add32(p, 1) }, n},
		{"add float64", func(p unsafe.Pointer, _ int) { AddFloat64(p, 1) }, math.Float64bits(n)},
		{"add float32", func(p unsafe.Pointer, _ int) { AddFloat32(p, 1) }, uint64(math.Float32bits(n))},
		{"xor64", func(p unsafe.Pointer, id int) { Xor64(p, 1<<(20*id)) }, 0},
		{"xor32", func(p unsafe.Pointer, id int) { Xor32(p, 1<<(8*id)) }, 0},
		{"and64, or64", func(p unsafe.Pointer, id int) { And64(p, ^uint64(1<<id)); Or64(p, 1<<id) }, 1<<workers - 1},
		{"and32, or32", func(p unsafe.Pointer, id int) { And32(p, ^uint32(1<<id)); Or32(p, 1<<id) }, 1<<workers - 1},
		{"compare swap64", func(p unsafe.Pointer, _ int) {
			for old := Load64(p); CompareSwap64(p, old, old+1) != old; old = Load64(p) {
			}
		}, n},
		{"compare swap32", func(p unsafe.Pointer, _ int) {
			for old := Load32(p); CompareSwap32(p, old, old+1) != old; old = Load32(p) {
			}
		}, n},
	} {
		var word uint64
		var wg sync.WaitGroup
		start := make(chan struct{}) // or the first would be done before the last begins
		for id := range workers {
			wg.Go(func() {
				<-start
				for range rounds {
					c.do(unsafe.Pointer(&word), id)
				}
			})
		}
		close(start)
		wg.Wait()
		if word != c.want {
			t.Errorf("%s: %d updates, but the word is %#x, want %#x", c.name, n, word, c.want)
		}
	}
}

// TestSwapTogether passes tokens through one word: each comes out as often as it
// went in.
func TestSwapTogether(t *testing.T) {
	const workers, rounds = 4, 50_000
	for name, swap := range map[string]func(p unsafe.Pointer, v uint64) uint64{
		"swap64": Swap64,
		"swap32": func(p unsafe.Pointer, v uint64) uint64 { return uint64(Swap32(p, uint32(v))) },
	} {
		var word uint64
		var out [workers]uint64
		var wg sync.WaitGroup
		for id := range workers {
			wg.Go(func() {
				for i := range uint64(rounds) {
					out[id] += swap(unsafe.Pointer(&word), uint64(id)*rounds+i+1)
				}
			})
		}
		wg.Wait()
		sum := word
		for _, o := range out {
			sum += o
		}
		if want := uint64(workers * rounds * (workers*rounds + 1) / 2); sum != want {
			t.Errorf("%s: what came out makes %d, want %d", name, sum, want)
		}
	}
}

// TestStoreOrder passes data behind a flag: whoever sees the flag sees the data.
// The race detector checks the order, too.
func TestStoreOrder(t *testing.T) {
	var data [4]uint64
	var flag, back uint64
	const rounds = 20000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := uint64(1); i <= rounds; i++ {
			for Load[uint64](unsafe.Pointer(&flag)) != i {
				runtime.Gosched()
			}
			for _, d := range data {
				if d != i {
					t.Errorf("the flag is at %d, the data at %v", i, data)
					return
				}
			}
			Release()
			Store(unsafe.Pointer(&back), i)
		}
	}()
	for i := uint64(1); i <= rounds; i++ {
		for j := range data {
			data[j] = i
		}
		Release()
		Store(unsafe.Pointer(&flag), i)
		for Load[uint64](unsafe.Pointer(&back)) != i {
			select {
			case <-done:
				if t.Failed() {
					return
				}
			default:
				runtime.Gosched()
			}
		}
	}
	<-done
}
