package ipc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// card is what a PE tells the others while a world comes into being. It lies behind its
// control heap, with the number of meetings before it.
type card struct {
	size   uint64
	blocks uint64 // of a kernel that waits for others, as many as its device has room for
	handle device.IPCHandle
	tag    uint64 // what stands in its memory, to be found through a mapping
	dev    int64
	base   uint64 // for PEs of this process
	skip   uint64 // bytes of the allocation before the heap begins
	driver text
	uuid   text
	name   text
	kind   uint64 // of what follows: its place in kinds
	reason [480]byte
	// kernels is why it has none; it can do without if all do.
	kernels [200]byte
}

type text [64]byte

func put(to []byte, s string) { clear(to[copy(to[:len(to)-1], s):]) }

func (t *text) set(s string)   { put(t[:], s) }
func (t *text) String() string { return get(t[:]) }

func get(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// desk is the room for the word that counts meetings, and for two cards, which take turns:
// one is still read when the next is written.
const (
	deskCard = 64
	cardRoom = 1024
	desk     = 4096
)

// kinds are the kinds of error that one PE can tell another of.
func kinds() []error {
	return []error{engine.ErrFailed, engine.ErrMismatch, device.ErrUnsupported, device.ErrNoDevice, device.ErrMemory, device.ErrArgument, device.ErrFault, device.ErrArch}
}

// fail writes why this PE cannot go on.
func (c *card) fail(err error) {
	c.kind = 0
	for i, k := range kinds() {
		if errors.Is(err, k) {
			c.kind = uint64(i)
		}
	}
	put(c.reason[:], strings.ReplaceAll(err.Error(), "\n", "; "))
}

// deskOf is where a PE's card and count of meetings are.
func (p *plane) deskOf(pe int) unsafe.Pointer { return unsafe.Add(p.control.Base(pe), p.around) }

// show puts the own card where the others find it at the next meeting.
func (p *plane) show(c *card) { *p.card(p.rank, p.met+1) = *c }

// card is where a PE's card for a meeting is.
func (p *plane) card(pe int, meeting uint64) *card {
	return (*card)(unsafe.Add(p.deskOf(pe), deskCard+uintptr(meeting%2)*cardRoom))
}

// read reads the cards of all PEs for the latest meeting.
func (p *plane) read() []card {
	list := make([]card, p.n)
	for pe := range list {
		list[pe] = *p.card(pe, p.met)
	}
	return list
}

// meet returns when all PEs have called it as often as this one.
func (p *plane) meet(ctx context.Context, kind engine.Kind) error {
	p.met++
	mem.Release()
	mem.Store(p.deskOf(p.rank), p.met)
	for pe := range p.n {
		p.control.Ring(pe)
	}
	missing := func() (list []int) {
		for pe := range p.n {
			if mem.Load64(p.deskOf(pe)) < p.met {
				list = append(list, pe)
			}
		}
		return list
	}
	err := p.control.Wait(ctx, engine.Call{Kind: kind}, func() bool { return missing() == nil })
	if s := (*engine.Stall)(nil); errors.As(err, &s) {
		s.Absent = missing()
	}
	return err
}

// judge is the error of a world of which some PE has failed, nil if none has. It is the
// same for all.
func judge(cards []card) error {
	for pe := range cards {
		if reason := get(cards[pe].reason[:]); reason != "" {
			return &engine.Stall{Cause: kinds()[cards[pe].kind], Detail: fmt.Sprintf("PE %d: %s", pe, reason)}
		}
	}
	for pe := range cards {
		a, b := &cards[0], &cards[pe]
		switch {
		case a.driver != b.driver:
			return mismatch("PE 0 uses the driver %v, PE %d the driver %v: all must have the same", &a.driver, pe, &b.driver)
		case a.size != b.size:
			return mismatch("PE 0 has a heap of %d bytes, PE %d one of %d: GOSHMEM_HEAP_SIZE must be the same everywhere", a.size, pe, b.size)
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return &engine.Stall{Cause: engine.ErrMismatch, Detail: fmt.Sprintf(format, args...)}
}
