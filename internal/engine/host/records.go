package host

import (
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// record is an engine.Record in shared memory. number is its place in the row of all
// records, from 1; 0 before the first.
type record struct {
	number atomic.Uint64
	head   atomic.Uint64 // deed<<32 | peer
	at     atomic.Uint64
	bytes  atomic.Uint64
	when   atomic.Int64 // nanoseconds since 1970
	site   [7]atomic.Uint64
}

// writing is the number of a record that is being written.
const writing = ^uint64(0)

// Record writes r over the oldest record. If another goroutine is still at work there,
// or was overtaken by others all around, r is lost.
func (h *Heap) Record(r engine.Record) {
	number := h.own.recorded.Add(1)
	c := &h.own.records[number%engine.RecordsKept]
	if old := c.number.Load(); old > number || !c.number.CompareAndSwap(old, writing) {
		return
	}
	c.head.Store(uint64(r.Deed)<<32 | uint64(uint32(r.Peer)))
	c.at.Store(uint64(r.At))
	c.bytes.Store(uint64(r.Bytes))
	c.when.Store(r.When.UnixNano())
	storeText(c.site[:], r.Site[max(0, len(r.Site)-8*len(c.site)):]) // its end is the line
	c.number.Store(number)
}

// Records reads the records of pe. One that is written meanwhile is left out.
func (h *Heap) Records(pe int) []engine.Record {
	h.far.refresh(pe)
	c := h.ctl[pe]
	last := c.recorded.Load()
	var list []engine.Record
	for n := max(last, engine.RecordsKept) - engine.RecordsKept + 1; n <= last; n++ {
		if r, ok := c.records[n%engine.RecordsKept].read(n); ok {
			list = append(list, r)
		}
	}
	return list
}

// latest returns the last record, if there is one that is not being written.
func (c *control) latest() engine.Record {
	last := c.recorded.Load()
	if last == 0 {
		return engine.Record{}
	}
	r, _ := c.records[last%engine.RecordsKept].read(last)
	return r
}

func (c *record) read(number uint64) (engine.Record, bool) {
	if c.number.Load() != number {
		return engine.Record{}, false
	}
	head := c.head.Load()
	r := engine.Record{
		Deed: engine.Deed(head >> 32), Peer: int(uint32(head)),
		At: uintptr(c.at.Load()), Bytes: uintptr(c.bytes.Load()),
		When: time.Unix(0, c.when.Load()), Site: loadText(c.site[:]),
	}
	if c.number.Load() != number { // written meanwhile
		return engine.Record{}, false
	}
	return r, true
}
