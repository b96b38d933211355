//go:build !race

package mem

import (
	"sync"
	"testing"
	"unsafe"
)

// The race detector rightly calls these tests races: puts of plain moves are.

// hammer writes two patterns over each other from one goroutine and reads from
// another: whatever is read must be one of the two.
func hammer[T comparable](t *testing.T, name string, a, b T, write func(p unsafe.Pointer, v *T), read func(p unsafe.Pointer) T) {
	t.Helper()
	const rounds = 200_000
	p := at(arena(64), 0)
	write(p, &a)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for range 100 {
				write(p, &a)
				write(p, &b)
			}
		}
	})
	seen := map[T]int{}
	for range rounds {
		v := read(p)
		if v != a && v != b {
			t.Errorf("%s of %d bytes: read %v, which is neither %v nor %v", name, unsafe.Sizeof(v), v, a, b)
			break
		}
		if seen[v]++; seen[a] > 30_000 && seen[b] > 30_000 {
			break
		}
	}
	close(stop)
	wg.Wait()
}

// pieces hammers T in the three ways in which it is moved.
func pieces[T comparable](t *testing.T, a, b T) {
	t.Helper()
	size := unsafe.Sizeof(a)
	load := func(p unsafe.Pointer) T { return Load[T](p) }
	hammer(t, "store and load", a, b, func(p unsafe.Pointer, v *T) { Store(p, *v) }, load)
	// Local sides as aligned as symmetric ones: a put promises no more.
	put := func(p unsafe.Pointer, v *T) {
		local := [1]uint64{}
		*(*T)(unsafe.Pointer(&local)) = *v
		Put(p, unsafe.Pointer(&local), size)
	}
	get := func(p unsafe.Pointer) T {
		local := [1]uint64{}
		Get(unsafe.Pointer(&local), p, size)
		return *(*T)(unsafe.Pointer(&local))
	}
	hammer(t, "put and load", a, b, put, load)
	hammer(t, "put and get", a, b, put, get)
}

// TestOnePiece: values of 1, 2, 4 and 8 bytes are never seen half written, whatever
// they consist of.
func TestOnePiece(t *testing.T) {
	type pair8 struct{ a, b uint8 }
	type pair16 struct{ a, b uint16 }
	type pair32 struct{ a, b uint32 }
	type mixed struct {
		a uint32
		b uint16
		c [2]uint8
	}
	pieces(t, uint8(0), uint8(0xff))
	pieces(t, uint16(0), uint16(0xffff))
	pieces(t, uint32(0), uint32(0xffffffff))
	pieces(t, uint64(0), ^uint64(0))
	pieces(t, 0.0, -1.7976931348623157e308)
	pieces(t, pair8{1, 2}, pair8{254, 253})
	pieces(t, [2]uint8{1, 2}, [2]uint8{254, 253})
	pieces(t, pair16{1, 2}, pair16{0xfffe, 0xfffd})
	pieces(t, [4]uint8{1, 2, 3, 4}, [4]uint8{254, 253, 252, 251})
	pieces(t, pair32{1, 2}, pair32{0xfffffffe, 0xfffffffd})
	pieces(t, [8]uint8{1, 2, 3, 4, 5, 6, 7, 8}, [8]uint8{8, 7, 6, 5, 4, 3, 2, 1})
	pieces(t, mixed{1, 2, [2]uint8{3, 4}}, mixed{0xfffffffe, 0xfffd, [2]uint8{0xfc, 0xfb}})
}
