package shmem

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// Check says whether a world runs in checked mode. There every operation is
// recorded for others to read: a wait that ends without its value names who wrote
// there last, and from where. Errors carry the line of the program. These are found, as
// [ErrMisuse]: a source of a non-blocking put that changes before the quiet; a source
// that a non-blocking get has not filled yet; transfers with itself that overlap in
// part; a signal inside its own data; a serialized or private context that other
// goroutines use; and, when the memory is allocated again, stores to freed arrays. It
// costs each operation about half a microsecond.
type Check int

// The values of Check.
const (
	CheckDefault Check = iota // as GOSHMEM_CHECK says; off without it, on in package shmemtest
	CheckOn
	CheckOff
)

// checked settles option and environment.
func (o Options) checked() (bool, error) {
	text := os.Getenv(env.Checked)
	switch {
	case o.Check < CheckDefault || o.Check > CheckOff:
		return false, problem(ErrArgument, "Options.Check of %d: use CheckOn or CheckOff", o.Check)
	case o.Check != CheckDefault:
		return o.Check == CheckOn, nil
	case text != "" && text != "0" && text != "1":
		return false, problem(ErrArgument, "%s=%q is neither 0 nor 1", env.Checked, text)
	}
	return text == "1", nil
}

// lastWriter says who has last written to an offset of this PE's own memory, as far as
// records reach; "" out of checked mode. What was there before the allocation that is
// there now is nothing to it.
func (w *World) lastWriter(at engine.Offset) string {
	if !w.info.Checked {
		return ""
	}
	last, who := engine.Record{When: w.bornAt(at)}, noPeer
	for pe := range w.bases {
		for _, r := range w.heap.Records(pe) {
			if r.Peer == w.rank && r.Deed != engine.DeedGet && r.At <= at && at < r.At+r.Bytes && !r.When.Before(last.When) {
				who, last = pe, r
			}
		}
	}
	if who < 0 {
		return fmt.Sprintf(" (in the last %d operations of any PE nobody has written there)", engine.RecordsKept)
	}
	return fmt.Sprintf(" (last written by PE %d: %v of %d bytes, %s)", who, last.Deed, last.Bytes, last.Site)
}

// bornAt returns when the memory at an offset was allocated.
func (w *World) bornAt(at uintptr) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.holder(at); b != nil {
		return b.born
	}
	return time.Time{}
}

const (
	maxBuried  = 64      // freed blocks that are remembered
	maxTrodden = 4 << 20 // bytes of a new block that are looked at
)

// inter remembers a block that was freed, in checked mode. The caller holds w.mu.
func (w *World) inter(b *block) {
	if !w.info.Checked {
		return
	}
	if len(w.buried) == maxBuried {
		w.buried = slices.Delete(w.buried, 0, maxBuried/2)
	}
	w.buried = append(w.buried, b)
}

// trodden returns an error if memory that is about to be allocated is not zero:
// somebody has written there when it was nobody's. The caller holds w.mu.
func (w *World) trodden(at, n uintptr) error {
	if !w.info.Checked {
		return nil
	}
	fresh, err := w.bytesAt(at, min(n, maxTrodden))
	if err != nil {
		return err
	}
	i := firstSet(fresh)
	if i < 0 {
		return nil
	}
	off := at + uintptr(i)
	for _, b := range slices.Backward(w.buried) {
		if b.at <= off && off < b.at+b.n {
			return problem(ErrMisuse, "somebody has written to byte %d of an array of PE %d after it was freed%s: through a slice from Local or Peer", off-b.at, w.rank, b.history())
		}
	}
	return problem(ErrMisuse, "somebody has written to free memory of PE %d, at offset %d of its symmetric heap", w.rank, off)
}

// firstSet returns the place of the first byte that is not zero, -1 if all are.
func firstSet(memory []byte) int {
	var zeros [4096]byte
	for at := 0; at < len(memory); at += len(zeros) {
		some := memory[at:min(at+len(zeros), len(memory))]
		if !bytes.Equal(some, zeros[:len(some)]) {
			return at + slices.IndexFunc(some, func(b byte) bool { return b != 0 })
		}
	}
	return -1
}
