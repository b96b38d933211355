package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// maxPEs bounds a world: a tally word counts members in 16 bits, and every
// process maps every segment.
const maxPEs = 4096

func probe() engine.Verdict {
	fd, err := unix.MemfdCreate("goshmem-probe", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return engine.Verdict{Reason: fmt.Sprintf("anonymous shared memory: memfd_create: %v", err)}
	}
	if err := unix.Close(fd); err != nil {
		return engine.Verdict{Reason: fmt.Sprintf("anonymous shared memory: close: %v", err)}
	}
	return engine.Verdict{OK: true, Reason: "processes over anonymous shared memory, and goroutines"}
}

// open joins a world of processes: make the own segment, trade it and a handle of
// this process for everybody else's, map them all, and watch the processes.
func open(ctx context.Context, job engine.Job) (*Heap, error) {
	if job.Size > maxPEs {
		return nil, fmt.Errorf("%d PEs: at most %d on one machine", job.Size, maxPEs)
	}
	mine, err := newCard(job.HeapSize)
	if err != nil {
		return nil, err
	}
	cards, err := trade(ctx, job, mine)
	if err != nil {
		mine.close()
		return nil, err
	}
	segments, err := mapAll(cards, job)
	if err != nil {
		closeCards(cards)
		return nil, err
	}
	h := newHeap(job.Rank, job.Config, segments, processRoom, nil, sharedMemory{fd: mine.segment})
	h.policy = &processes{ctl: h.ctl, own: h.own, looks: looksFor(job.Size)}
	for _, c := range cards {
		h.peers = append(h.peers, peer{host: c.host, pid: c.pid})
	}
	stop, err := watch(h, cards)
	if err != nil {
		closeCards(cards)
		return nil, errors.Join(err, unmapAll(segments, job.HeapSize))
	}
	h.closers = append(h.closers, stop, func() error { closeCards(cards); return nil })
	return h, nil
}

// mapAll maps every PE's segment, or none.
func mapAll(cards []card, job engine.Job) ([]unsafe.Pointer, error) {
	segments := make([]unsafe.Pointer, job.Size)
	for pe := range cards {
		var err error
		if segments[pe], err = cards[pe].mapSegment(job.HeapSize); err != nil {
			return nil, errors.Join(err, unmapAll(segments, job.HeapSize))
		}
		if pe != job.Rank { // the mapping holds the memory; our own we punch holes into
			cards[pe].closeSegment()
		}
	}
	return segments, nil
}

// unmapAll is for a world that does not come into being: nobody has an address in
// it yet.
func unmapAll(segments []unsafe.Pointer, heapSize uintptr) error {
	var errs []error
	for _, s := range segments {
		if s != nil {
			errs = append(errs, unix.MunmapPtr(s, segmentSize(heapSize, processRoom)))
		}
	}
	return errors.Join(errs...)
}

// card is what a PE gives the others: its memory and a handle of its process.
type card struct {
	rank    int
	host    string
	pid     int
	segment int // memfd, -1 once it is mapped and no longer needed
	process int // pidfd
}

// newCard makes this process's segment and handle. The memfd has its full size
// from the start and is sealed, so that no process can truncate it under another
// one's feet; pages come with Commit.
func newCard(heapSize uintptr) (card, error) {
	host, err := os.Hostname()
	if err != nil {
		return card{}, fmt.Errorf("host name: %w", err)
	}
	c := card{host: host, pid: os.Getpid(), segment: -1, process: -1}
	if c.segment, err = unix.MemfdCreate("goshmem", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING); err != nil {
		return card{}, fmt.Errorf("memfd_create: %w", err)
	}
	if err := unix.Ftruncate(c.segment, int64(segmentSize(heapSize, processRoom))); err != nil {
		c.close()
		return card{}, fmt.Errorf("a segment of %d bytes: %w", heapSize, err)
	}
	if _, err := unix.FcntlInt(uintptr(c.segment), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		c.close()
		return card{}, fmt.Errorf("seal the segment: %w", err)
	}
	if c.process, err = unix.PidfdOpen(c.pid, 0); err != nil {
		c.close()
		return card{}, fmt.Errorf("pidfd_open: %w (needs Linux 5.3)", err)
	}
	return c, nil
}

// mapSegment maps the segment of a card for as long as this process lives.
func (c *card) mapSegment(heapSize uintptr) (unsafe.Pointer, error) {
	var st unix.Stat_t
	if err := unix.Fstat(c.segment, &st); err != nil {
		return nil, fmt.Errorf("segment of PE %d: %w", c.rank, err)
	}
	if want := int64(segmentSize(heapSize, processRoom)); st.Size != want {
		return nil, &engine.Stall{Cause: engine.ErrMismatch, Detail: fmt.Sprintf("PE %d has a heap of %d bytes, this PE %d: GOSHMEM_HEAP_SIZE must be the same everywhere", c.rank, st.Size-int64(segmentSize(0, processRoom)), heapSize)}
	}
	p, err := unix.MmapPtr(c.segment, 0, nil, uintptr(st.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map the heap of PE %d (%d bytes): %w: lower GOSHMEM_HEAP_SIZE, or raise the limit of the address space (ulimit -v)", c.rank, heapSize, err)
	}
	return p, nil
}

// close gives the descriptors back. Nothing was written through them, so there is
// no error to report.
func (c *card) close() {
	c.closeSegment()
	if c.process >= 0 {
		_ = unix.Close(c.process)
		c.process = -1
	}
}

func (c *card) closeSegment() {
	if c.segment >= 0 {
		_ = unix.Close(c.segment)
		c.segment = -1
	}
}

func closeCards(cards []card) {
	for i := range cards {
		cards[i].close()
	}
}

// sharedMemory backs the own heap with pages of the memfd.
type sharedMemory struct{ fd int }

// commit takes pages now, so that too little memory is an error here and not a
// bus error at some later store.
func (sharedMemory) commit(base unsafe.Pointer, at, n uintptr) error {
	lo, hi := at&^(pageSize-1), (at+n+pageSize-1)&^(pageSize-1)
	err := unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(base, lo)), hi-lo), unix.MADV_POPULATE_WRITE)
	if err == unix.EINVAL { // before Linux 5.14: pages come at first touch
		return nil
	}
	return err
}

// release keeps the promise that free memory reads as zero: whole pages are
// punched out, what is left at the edges is cleared.
func (m sharedMemory) release(base unsafe.Pointer, at, n uintptr) error {
	lo, hi := (at+pageSize-1)&^(pageSize-1), (at+n)&^(pageSize-1)
	if lo >= hi {
		clear(unsafe.Slice((*byte)(unsafe.Add(base, at)), n))
		return nil
	}
	clear(unsafe.Slice((*byte)(unsafe.Add(base, at)), lo-at))
	clear(unsafe.Slice((*byte)(unsafe.Add(base, hi)), at+n-hi))
	err := unix.Fallocate(m.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(heapStart+lo), int64(hi-lo))
	if err != nil {
		return fmt.Errorf("give %d bytes back: %w", hi-lo, err)
	}
	return nil
}
