package mem

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

type mover func(dst, src unsafe.Pointer, n uintptr)

func moves() map[string]mover { return map[string]mover{"put": Put, "get": Get} }

// pattern is memory whose bytes do not repeat themselves at any distance.
func pattern(n, seed int) []byte {
	b := arena(n)
	for i := range b {
		b[i] = byte(uint32(i+seed) * 2654435761 >> 24)
	}
	return b
}

const margin = 192 // bytes around a copy that must stay as they are

// copied copies n bytes between two places that begin at these offsets from a
// multiple of 64, and looks at all bytes and those around.
func copied(t *testing.T, name string, move mover, n, to, from int) {
	t.Helper()
	src, dst := pattern(n+2*margin, 1), pattern(n+2*margin, 2)
	want := bytes.Clone(dst)
	copy(want[64+to:], src[64+from:64+from+n])
	move(at(dst, 64+to), at(src, 64+from), uintptr(n))
	if !bytes.Equal(dst, want) {
		t.Fatalf("%s of %d bytes from offset %d to offset %d: %s", name, n, from, to, difference(dst, want, 64+to))
	}
	if !bytes.Equal(src, pattern(n+2*margin, 1)) {
		t.Fatalf("%s of %d bytes from offset %d to offset %d changed its source", name, n, from, to)
	}
}

// difference says where two blocks begin to differ.
func difference(got, want []byte, start int) string {
	for i := range got {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %#x, must be %#x", i-start, got[i], want[i])
		}
	}
	return "no difference"
}

// sizes are all small ones and those around where another way to copy begins, which
// is in edges.
func sizes() []int {
	var list []int
	for n := range 600 {
		list = append(list, n)
	}
	for _, edge := range edges {
		for d := -2; d <= 2; d++ {
			list = append(list, edge+d)
		}
	}
	return list
}

// TestSizes copies all sizes between all kinds of alignment.
func TestSizes(t *testing.T) {
	offsets := []int{0, 1, 8, 31, 63}
	variants(t, func(t *testing.T) {
		for name, move := range moves() {
			for _, n := range sizes() {
				for _, to := range offsets {
					for _, from := range offsets {
						copied(t, name, move, n, to, from)
					}
				}
			}
		}
	})
}

// moved copies n bytes within one block, by some bytes up or down.
func moved(t *testing.T, name string, move mover, n, by int) {
	t.Helper()
	start := margin
	if by < 0 {
		start -= by
	}
	b := pattern(start+max(by, 0)+n+margin, 3)
	want := bytes.Clone(b)
	copy(want[start+by:], b[start:start+n])
	move(at(b, start+by), at(b, start), uintptr(n))
	if !bytes.Equal(b, want) {
		t.Fatalf("%s of %d bytes by %d: %s", name, n, by, difference(b, want, start+by))
	}
}

// TestOverlap copies within one block by all distances up to where the two ranges
// are apart, of small sizes, and by those that matter of larger ones.
func TestOverlap(t *testing.T) {
	variants(t, func(t *testing.T) {
		for name, move := range moves() {
			for n := range 140 {
				for by := -n - 1; by <= n+1; by++ {
					moved(t, name, move, n, by)
				}
			}
			for _, n := range []int{256, 257, 511, 512, 513, 1000, 8 << 10, 25 << 10, 1<<20 + 5} {
				for _, by := range []int{0, 1, 8, 31, 63, 64, 65, 200, n / 2, n - 1, n, n + 1} {
					moved(t, name, move, n, by)
					moved(t, name, move, n, -by)
				}
			}
		}
	})
}

// FuzzBlock copies any size from anywhere to anywhere, within one block or not.
func FuzzBlock(f *testing.F) {
	f.Add(uint32(100), int32(3), uint8(1), uint8(2), false)
	f.Add(uint32(8<<10), int32(-8<<10), uint8(0), uint8(0), true)
	f.Add(uint32(25<<10+3), int32(1), uint8(63), uint8(8), false)
	f.Fuzz(func(t *testing.T, size uint32, distance int32, to, from uint8, ours bool) {
		n, by := int(size%(2<<20)), int(distance%(2<<20))
		name := map[bool]string{false: "put", true: "get"}[ours]
		variants(t, func(t *testing.T) {
			moved(t, name, moves()[name], n, by)
			copied(t, name, moves()[name], n, int(to%64), int(from%64))
		})
	})
}
