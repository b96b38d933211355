package shmem

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// Check says whether a world runs in checked mode. There every operation is
// recorded for others to read: a wait that ends without its value names who wrote
// there last, and from where. Errors carry the line of the program, the promises of
// non-blocking operations and of contexts are checked, and broken ones are
// [ErrMisuse]. It costs each operation about a microsecond.
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

// lastWriter says who has last written to a place in this PE's own memory, as far as
// records reach; "" out of checked mode.
func (w *World) lastWriter(p unsafe.Pointer) string {
	if !w.info.Checked {
		return ""
	}
	at := uintptr(p) - uintptr(w.own)
	var last engine.Record
	who := noPeer
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
