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
// this process for those of the node, map them all, watch the processes, and connect to
// other nodes.
func open(ctx context.Context, job engine.Job) (*Heap, error) {
	if job.Size > maxPEs {
		return nil, fmt.Errorf("%d PEs: at most %d in a world", job.Size, maxPEs)
	}
	mine, err := newCard(job.HeapSize)
	if err != nil {
		return nil, err
	}
	p, err := trade(ctx, job, mine)
	if err != nil {
		mine.close()
		if errors.Is(err, unix.EMFILE) {
			err = fmt.Errorf("%w: ulimit -n must allow at least 24, and 5 for each process of the node", err)
		}
		return nil, err
	}
	h, err := p.join()
	if err != nil {
		p.close()
		return nil, err
	}
	if p.nodes > 1 {
		if err := h.span(ctx, p); err != nil {
			return nil, errors.Join(err, h.Close(), h.Unmap())
		}
	}
	return h, nil
}

// join makes the heap of what was traded, and watches the processes of the node.
func (p *placement) join() (*Heap, error) {
	m, err := p.mapAll()
	if err != nil {
		return nil, err
	}
	h := newHeap(p.job.Rank, p.job.Config, m.controls(p.job.Rank), processRoom, nil, sharedMemory{fd: p.mine.segment, whole: p.nodes > 1})
	for pe, s := range m.segments {
		if s == nil {
			h.base[pe] = nil
		}
	}
	h.policy = &processes{ctl: h.ctl, own: h.own, looks: looksFor(m.near())}
	h.unmap = m.unmap
	for _, c := range p.cards {
		h.peers = append(h.peers, peer{host: c.host, pid: c.pid})
	}
	stop, err := watch(h, p.cards)
	if err != nil {
		return nil, errors.Join(err, m.unmap())
	}
	h.closers = append(h.closers, stop, func() error { p.close(); return nil })
	return h, nil
}

// mapping is what this process has mapped of a world.
type mapping struct {
	heapSize uintptr
	segments []unsafe.Pointer // of the PEs; nil: of another node
	shadows  unsafe.Pointer   // of all PEs, used for those of other nodes; nil: there are none
}

// mapAll maps the segment of every PE of the node, or none.
func (p *placement) mapAll() (*mapping, error) {
	m := &mapping{heapSize: p.job.HeapSize, segments: make([]unsafe.Pointer, p.job.Size)}
	for pe := range p.cards {
		if p.node[pe] != p.node[p.job.Rank] {
			continue
		}
		var err error
		if m.segments[pe], err = p.cards[pe].mapSegment(p.job.HeapSize); err != nil {
			return nil, errors.Join(err, m.unmap())
		}
		if pe != p.job.Rank { // the mapping holds the memory; our own we punch holes into
			p.cards[pe].closeSegment()
		}
	}
	if p.shadows.segment >= 0 {
		var err error
		if m.shadows, err = mapShared(p.shadows.segment, shadowsSize(p.job.Size)); err != nil {
			return nil, errors.Join(fmt.Errorf("map what PEs of other nodes show: %w", err), m.unmap())
		}
		p.shadows.close()
	}
	return m, nil
}

// controls are those of all PEs: in their segments, or their shadows.
func (m *mapping) controls(rank int) []unsafe.Pointer {
	all := make([]unsafe.Pointer, len(m.segments))
	for pe, s := range m.segments {
		if all[pe] = s; s == nil {
			all[pe] = unsafe.Add(m.shadows, uintptr(pe)*heapStart)
		}
	}
	return all
}

// near counts the PEs of the node.
func (m *mapping) near() (n int) {
	for _, s := range m.segments {
		if s != nil {
			n++
		}
	}
	return n
}

// unmap is for a world of which nobody uses anything: one that does not come into being,
// or is over.
func (m *mapping) unmap() error {
	var errs []error
	for _, s := range m.segments {
		if s != nil {
			errs = append(errs, unix.MunmapPtr(s, segmentSize(m.heapSize, processRoom)))
		}
	}
	if m.shadows != nil {
		errs = append(errs, unix.MunmapPtr(m.shadows, shadowsSize(len(m.segments))))
	}
	return errors.Join(errs...)
}

// shadowsSize has room for all PEs, so that each has its place. It takes memory only for
// those of other nodes.
func shadowsSize(pes int) uintptr { return uintptr(pes) * heapStart }

// newShadows makes memory for what PEs of other nodes show.
func newShadows(mine card, pes int) (card, error) {
	c := card{rank: -1, host: mine.host, pid: mine.pid, segment: -1, process: -1}
	var err error
	if c.segment, err = newShared(shadowsSize(pes)); err != nil {
		return c, err
	}
	if c.process, err = unix.FcntlInt(uintptr(mine.process), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		c.close()
		return c, fmt.Errorf("handle of this process: %w", err)
	}
	return c, nil
}

// card is what a PE gives the others: its memory and a handle of its process.
type card struct {
	rank    int
	host    string
	pid     int
	segment int // memfd, -1 once it is mapped and no longer needed
	process int // pidfd
}

// newCard makes this process's segment and handle. Pages come with Commit.
func newCard(heapSize uintptr) (card, error) {
	host, err := os.Hostname()
	if err != nil {
		return card{}, fmt.Errorf("host name: %w", err)
	}
	c := card{host: host, pid: os.Getpid(), segment: -1, process: -1}
	if c.segment, err = newShared(segmentSize(heapSize, processRoom)); err != nil {
		return card{}, err
	}
	if c.process, err = unix.PidfdOpen(c.pid, 0); err != nil {
		c.close()
		return card{}, fmt.Errorf("pidfd_open: %w (needs Linux 5.3)", err)
	}
	return c, nil
}

// newShared makes memory that processes can share. The memfd has its full size from the
// start and is sealed, so that no process can truncate it under another one's feet.
func newShared(size uintptr) (int, error) {
	fd, err := unix.MemfdCreate("goshmem", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("memfd_create: %w", err)
	}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return -1, errors.Join(fmt.Errorf("a segment of %d bytes: %w", size, err), unix.Close(fd))
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return -1, errors.Join(fmt.Errorf("seal the segment: %w", err), unix.Close(fd))
	}
	return fd, nil
}

func mapShared(fd int, size uintptr) (unsafe.Pointer, error) {
	return unix.MmapPtr(fd, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
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
	p, err := mapShared(c.segment, uintptr(st.Size))
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

// sharedMemory backs the own heap with pages of the memfd. Those that a network adapter
// knows stay what they are.
type sharedMemory struct {
	fd    int
	whole bool // no page is given back
}

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
	if m.whole || lo >= hi {
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
