package mem

import (
	"bytes"
	"testing"
	"unsafe"
)

// arena is memory of which the first byte stands on a multiple of 64.
func arena(n int) []byte {
	b := make([]byte, n+64)
	off := -int(uintptr(unsafe.Pointer(&b[0]))) & 63
	return b[off : off+n : off+n]
}

func at(b []byte, i int) unsafe.Pointer { return unsafe.Pointer(&b[i]) }

// stored stores a value of T in the middle of other bytes, loads it back, and looks
// at its neighbours.
func stored[T comparable](t *testing.T, v T) {
	t.Helper()
	size := int(unsafe.Sizeof(v))
	b := arena(size + 128)
	for i := range b {
		b[i] = 0xa5
	}
	p := at(b, 64)
	Store(p, v)
	if got := Load[T](p); got != v {
		t.Errorf("%T: stored %v, loaded %v", v, v, got)
	}
	if got := *(*T)(p); got != v {
		t.Errorf("%T: stored %v, there is %v", v, v, got)
	}
	for i, x := range b {
		if (i < 64 || i >= 64+size) && x != 0xa5 {
			t.Errorf("%T: byte %d beside the value of %d bytes became %#x", v, i-64, size, x)
		}
	}
}

// TestStoreLoad moves values of all sizes, in one piece and in several.
func TestStoreLoad(t *testing.T) {
	stored(t, true)
	stored(t, int8(-5))
	stored(t, uint8(200))
	stored(t, int16(-300))
	stored(t, uint16(60000))
	stored(t, int32(-70000))
	stored(t, uint32(4e9))
	stored(t, float32(1.5))
	stored(t, int64(-1<<60))
	stored(t, uint64(1<<63|1))
	stored(t, uintptr(1<<40))
	stored(t, 3.25)
	stored(t, complex64(1+2i))
	stored(t, complex128(1+2i))
	stored(t, [2]uint8{1, 2})
	stored(t, struct{ a, b int16 }{-1, 7})
	stored(t, struct{ a, b uint32 }{1, 7})
	stored(t, struct {
		a uint8
		b uint32
	}{3, 9})
	stored(t, [3]uint8{1, 2, 3})
	stored(t, [3]uint32{1, 2, 3})
	stored(t, [5]float64{1, 2, 3, 4, 5})
	stored(t, [1000]uint16{999: 4})
	stored(t, struct{}{})
}

// TestNothing moves no bytes, from and to nowhere.
func TestNothing(t *testing.T) {
	b := arena(8)
	Put(nil, nil, 0)
	Get(nil, nil, 0)
	Put(at(b, 0), nil, 0)
	Zero(nil, 0)
	Release()
	Full()
	if !bytes.Equal(b, make([]byte, 8)) {
		t.Error("moving nothing has moved something")
	}
}

// TestZero clears what it is told and no more.
func TestZero(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 63, 100} {
		b := bytes.Repeat([]byte{9}, 128)
		Zero(at(b, 11), uintptr(n))
		for i, x := range b {
			if inside := i >= 11 && i < 11+n; inside != (x == 0) {
				t.Errorf("zero of %d bytes: byte %d is %d", n, i-11, x)
			}
		}
	}
}

// TestHide: the same pointer comes out, and what it points to stays on the stack.
func TestHide(t *testing.T) {
	x := 5
	if Hide(unsafe.Pointer(&x)) != unsafe.Pointer(&x) || Hide(nil) != nil {
		t.Error("another pointer came out")
	}
	sink := arena(64)
	if n := testing.AllocsPerRun(100, func() {
		y := [8]uint64{1, 2, 3}
		Put(at(sink, 0), Hide(unsafe.Pointer(&y)), unsafe.Sizeof(y))
	}); n != 0 {
		t.Errorf("%v allocations for a variable that is only copied", n)
	}
}

// TestAligned: the fast moves are taken where both sides allow them.
func TestAligned(t *testing.T) {
	b := arena(64)
	for i := range 16 {
		for j := range 16 {
			for _, size := range []int{2, 4, 8} {
				if got, want := aligned(at(b, i), at(b, j), uintptr(size-1)), i%size == 0 && j%size == 0; got != want {
					t.Errorf("offsets %d and %d are aligned to %d: %v", i, j, size, got)
				}
			}
		}
	}
}
