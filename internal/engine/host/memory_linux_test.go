package host

import (
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// segment makes and maps the segment of one process.
func segment(t *testing.T, size uintptr) (sharedMemory, unsafe.Pointer) {
	t.Helper()
	c, err := newCard(size)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.mapSegment(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.MunmapPtr(p, heapStart+size); err != nil {
			t.Error(err)
		}
		c.close()
	})
	return sharedMemory{fd: c.segment}, unsafe.Add(p, heapStart)
}

// blocks is how many bytes of memory a segment occupies.
func blocks(t *testing.T, m sharedMemory) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Fstat(m.fd, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// TestReleaseEdges releases ranges that begin and end at, before and behind page
// edges: what was released reads as zero, nothing else has changed.
func TestReleaseEdges(t *testing.T) {
	const size = 5 * pageSize
	for name, memory := range map[string]func() (memory, unsafe.Pointer){
		"processes": func() (memory, unsafe.Pointer) { return segment(t, size) },
		"goroutines": func() (memory, unsafe.Pointer) {
			return goMemory{}, unsafe.Add(goSegment(size), heapStart)
		},
	} {
		m, base := memory()
		whole := unsafe.Slice((*byte)(base), size)
		edges := []uintptr{0, 1, 128, pageSize - 128, pageSize - 1, pageSize, pageSize + 1, pageSize + 128, 2*pageSize - 1, 2 * pageSize, 3*pageSize + 8, 4 * pageSize, size - 128, size}
		for _, lo := range edges {
			for _, hi := range edges {
				if hi <= lo {
					continue
				}
				if err := m.commit(base, 0, size); err != nil {
					t.Fatal(err)
				}
				for i := range whole {
					whole[i] = 0xff
				}
				if err := m.release(base, lo, hi-lo); err != nil {
					t.Fatal(err)
				}
				for i, b := range whole {
					if inside := uintptr(i) >= lo && uintptr(i) < hi; inside != (b == 0) {
						t.Fatalf("%s: released [%d, %d), byte %d is %#x", name, lo, hi, i, b)
					}
				}
			}
		}
	}
}

// TestCommitTakesAndReleaseGives counts pages: none at first, those of the block
// after commit, and those that it had alone are gone after release.
func TestCommitTakesAndReleaseGives(t *testing.T) {
	const size = 64 << 20
	m, base := segment(t, size)
	if got := blocks(t, m); got != 0 {
		t.Errorf("a new segment of %d bytes occupies %d", size, got)
	}
	if err := m.commit(base, 3*pageSize, 16<<20); err != nil {
		t.Fatal(err)
	}
	if got := blocks(t, m); got < 16<<20 || got > 17<<20 {
		t.Errorf("16 MiB are committed, the segment occupies %d bytes", got)
	}
	if err := m.release(base, 3*pageSize, 16<<20); err != nil {
		t.Fatal(err)
	}
	if got := blocks(t, m); got != 0 {
		t.Errorf("all is released, the segment occupies %d bytes", got)
	}
	for i := range uintptr(100) { // many small blocks on pages that they share
		if err := m.commit(base, i*640, 600); err != nil {
			t.Fatal(err)
		}
	}
	if got := blocks(t, m); got != 16*pageSize {
		t.Errorf("64000 bytes of small blocks occupy %d", got)
	}
	for i := range uintptr(100) {
		if err := m.release(base, i*640, 600); err != nil {
			t.Fatal(err)
		}
	}
	if got := blocks(t, m); got > 16*pageSize {
		t.Errorf("released small blocks occupy %d bytes", got)
	}
}

// TestSeals: nobody who gets the descriptor can shrink the memory under another
// one's feet, grow it, or take the seals off.
func TestSeals(t *testing.T) {
	m, base := segment(t, 4*pageSize)
	*(*uint64)(base) = 7
	for _, size := range []uintptr{0, heapStart, segmentSize(4*pageSize, processRoom) - 1, segmentSize(5*pageSize, processRoom)} {
		if err := unix.Ftruncate(m.fd, int64(size)); !errors.Is(err, unix.EPERM) {
			t.Errorf("truncate to %d: %v", size, err)
		}
	}
	if _, err := unix.FcntlInt(uintptr(m.fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); !errors.Is(err, unix.EPERM) {
		t.Errorf("another seal: %v", err)
	}
	if err := unix.Fallocate(m.fd, 0, int64(segmentSize(4*pageSize, processRoom)), pageSize); !errors.Is(err, unix.EPERM) {
		t.Errorf("grow: %v", err)
	}
	if got := *(*uint64)(base); got != 7 {
		t.Errorf("the memory holds %d", got)
	}
}

// TestSegmentIsPrivate: the descriptors do not survive an exec, and the segment has no name.
func TestSegmentIsPrivate(t *testing.T) {
	c, err := newCard(pageSize)
	if err != nil {
		t.Fatal(err)
	}
	for name, fd := range map[string]int{"segment": c.segment, "process": c.process} {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("%s: flags %#x, %v: a child would inherit it", name, flags, err)
		}
	}
	var st unix.Stat_t
	if err := unix.Fstat(c.segment, &st); err != nil || st.Nlink != 0 {
		t.Errorf("the segment has %d names, %v", st.Nlink, err)
	}
	c.close()
	c.close() // does nothing
	if c.segment != -1 || c.process != -1 {
		t.Errorf("closed, but %+v", c)
	}
}

// TestMapSegmentSize refuses a segment of another size than this PE's own.
func TestMapSegmentSize(t *testing.T) {
	c, err := newCard(4 * pageSize)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.rank = 3
	if _, err := c.mapSegment(8 * pageSize); !errors.Is(err, engine.ErrMismatch) {
		t.Errorf("heaps of two sizes: %v", err)
	} else if want := "PE 3 has a heap of 16384 bytes, this PE 32768: GOSHMEM_HEAP_SIZE must be the same everywhere"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
