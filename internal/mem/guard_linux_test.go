package mem

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fenced is n bytes of pages before and after which there is nothing: whoever
// touches what is there ends the process.
func fenced(t *testing.T, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	b, err := unix.Mmap(-1, 0, n+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	for _, fence := range [][]byte{b[:page], b[page+n:]} {
		if err := unix.Mprotect(fence, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : page+n : page+n]
}

// TestFences copies to and from the very first and the very last bytes that are
// mapped: not one byte beside them is read or written.
func TestFences(t *testing.T) {
	const room = 128 << 10
	dst, src := fenced(t, room), fenced(t, room)
	for i := range src {
		src[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	variants(t, func(t *testing.T) {
		for name, move := range moves() {
			for _, n := range sizes() {
				for _, place := range [][2]int{{0, 0}, {room - n, room - n}, {0, room - n}, {room - n, 0}} {
					clear(dst[place[0] : place[0]+n])
					move(unsafe.Pointer(unsafe.SliceData(dst[place[0]:])), unsafe.Pointer(unsafe.SliceData(src[place[1]:])), uintptr(n))
					if got, want := dst[place[0]:place[0]+n], src[place[1]:place[1]+n]; string(got) != string(want) {
						t.Fatalf("%s of %d bytes from %d to %d: %s", name, n, place[1], place[0], difference(got, want, 0))
					}
				}
			}
		}
	})
}
