package reduce

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fenced are n bytes of pages before and after which there is nothing: whoever
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

// TestFences folds from and to the very first and the very last bytes that are mapped:
// not one byte beside them is read or written.
func TestFences(t *testing.T) {
	room := unix.Getpagesize()
	blocks := [][]byte{fenced(t, room), fenced(t, room), fenced(t, room), fenced(t, room)}
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		size := int(what.Size())
		for _, n := range []int{1, 15, 16, 17, 32, 33, 63, 64, 65, 127, 129, 200} {
			for _, last := range []bool{false, true} {
				var sources [][]byte
				var from []unsafe.Pointer
				for i, v := range vectorsOf(what, n, 3) {
					place := blocks[i][:n*size]
					if last {
						place = blocks[i][room-n*size:]
					}
					copy(place, v)
					sources, from = append(sources, v), append(from, unsafe.Pointer(unsafe.SliceData(place)))
				}
				dst := blocks[3][:n*size]
				Fold(what, op, unsafe.Pointer(unsafe.SliceData(dst)), from, n, s)
				compare(t, what, op, dst, sources)
				dst = blocks[3][room-n*size:]
				Fold(what, op, unsafe.Pointer(unsafe.SliceData(dst)), from[:2], n, s)
				compare(t, what, op, dst, sources[:2])
			}
		}
	})
}
