package engine

import (
	"fmt"
	"time"
)

// Deed is what an operation did.
type Deed uint8

// The deeds, in the words of error messages.
const (
	NoDeed Deed = iota
	DeedPut
	DeedGet
	DeedAtomic
	DeedSignal
)

var deedNames = [...]string{"nothing", "put", "get", "atomic", "signal"}

// String returns the deed in the words of error messages.
func (d Deed) String() string { return deedNames[min(int(d), len(deedNames)-1)] }

// Record is an operation of one PE on the memory of another, kept in checked mode.
type Record struct {
	Deed  Deed
	Peer  int // whose memory
	At    Offset
	Bytes uintptr
	When  time.Time
	Site  string // file:line
}

// latest says what was done, as the end of a sentence about who did it; "" if nothing was.
func (r *Record) latest() string {
	if r.Deed == NoDeed {
		return ""
	}
	return fmt.Sprintf(", latest operation: %v of %d bytes for PE %d (%s)", r.Deed, r.Bytes, r.Peer, r.Site)
}

// RecordsKept is how many records of a PE can be read back, the latest ones.
const RecordsKept = 64
