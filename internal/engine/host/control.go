package host

import (
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// MaxTeams is how many teams a world can have at once, the world included.
const MaxTeams = 64

// control is the shared part of one PE: it stands at the start of the PE's
// segment, the heap follows at heapStart. Every PE sees every control. All
// fields are atomic, because others read them at any time. Words that different
// PEs write stand in different pairs of cache lines.
type control struct {
	magic atomic.Uint64
	state atomic.Uint32 // engine.State; written by the owner only
	exit  atomic.Int32  // exit code asked of the other processes, plus one; 0: none
	_     [112]byte

	alarm atomic.Uint32 // not 0: something happened that every waiter must look at
	_     [124]byte

	bell     atomic.Uint32 // changes whenever the PE is rung
	sleepers atomic.Int32  // goroutines of the PE that sleep or are about to
	_        [120]byte

	call    atomic.Uint64     // engine.Call packed: the board
	siteFor atomic.Uint64     // the call that site belongs to
	site    [15]atomic.Uint64 // text
	reason  [63]atomic.Uint64 // text

	slots [MaxTeams]slot
	stage [MaxTeams][2][engine.StageSize]byte // of the slots, by parity of the generation

	recorded atomic.Uint64 // operations recorded so far
	records  [engine.RecordsKept]record
}

// slot is what one PE shows the members of one team.
type slot struct {
	arrived atomic.Uint64       // generation<<8 | kind of the last meeting entered
	slip    [2][3]atomic.Uint64 // by parity of the generation; in the cache line of arrived
	came    [2]atomic.Uint64    // by parity: what arrived was in a meeting that this PE did not wait out
	_       [56]byte
	more    [2]atomic.Uint64 // the fourth word for Gather
	_       [112]byte
	tally   atomic.Uint64 // generation<<16 | members counted; the first member's is used
	_       [120]byte
	opened  atomic.Uint64 // generation<<8 | disagreement; the first member's is used
	ended   atomic.Uint64 // generation<<8 | gaveUp of the first meeting that a member gave up; likewise
	_       [112]byte
}

const (
	magic     = 0x676f73686d656d03 // "goshmem", layout 3
	pageSize  = 4096
	heapStart = (unsafe.Sizeof(control{}) + pageSize - 1) &^ (pageSize - 1)
)

func (c *control) setState(s engine.State) { c.state.Store(uint32(s)) }

func (c *control) getState() engine.State { return engine.State(c.state.Load()) }

// storeText writes a short string to shared memory, cut to what fits. A reader may
// see a mixture of two texts while it is written; siteFor tells.
func storeText(words []atomic.Uint64, s string) {
	for i := range words {
		var w uint64
		for b := 0; b < 8 && i*8+b < len(s); b++ {
			w |= uint64(s[i*8+b]) << (8 * b)
		}
		words[i].Store(w)
		if w>>56 == 0 { // the text ends here
			return
		}
	}
}

func loadText(words []atomic.Uint64) string {
	buf := make([]byte, 0, len(words)*8)
	for i := range words {
		w := words[i].Load()
		for b := 0; b < 8; b++ {
			c := byte(w >> (8 * b))
			if c == 0 {
				return string(buf)
			}
			buf = append(buf, c)
		}
	}
	return string(buf)
}
