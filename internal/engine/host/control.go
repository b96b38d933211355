package host

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// MaxTeams is how many teams a world can have at once, the world included.
const MaxTeams = engine.OnStreams

// maxSlots has a second slot for each team, for its meetings on streams.
const maxSlots = 2 * MaxTeams

// control is the shared part of one PE: it stands at the start of the PE's
// segment, the heap follows at heapStart. Every PE sees every control. All
// fields are atomic, because others read them at any time. Words that different
// PEs write stand in different pairs of cache lines.
type control struct {
	magic atomic.Uint64
	state atomic.Uint32 // engine.State; written by the owner only
	exit  atomic.Int32  // exit code asked of the other processes, plus one; 0: none

	doomed atomic.Uint32 // 1: a fault that was asked for kills its process; reason says which
	saying atomic.Uint32 // odd while the PE writes its reason
	fate   atomic.Uint32 // of a shadow: 0, or how it is known that the PE has ended; see far.go
	heard  atomic.Uint32 // of a shadow: messages of the PE that have come here
	_      [96]byte

	alarm atomic.Uint32 // not 0: something happened that every waiter must look at
	_     [124]byte

	bell     atomic.Uint32 // changes whenever the PE is rung
	sleepers atomic.Int32  // goroutines of the PE that sleep or are about to
	_        [120]byte

	call    atomic.Uint64     // engine.Call packed: the board
	siteFor atomic.Uint64     // the call that site belongs to
	site    [15]atomic.Uint64 // text
	reason  [63]atomic.Uint64 // text

	slots [maxSlots]slot
	stage [MaxTeams][stages][engine.StageSize]byte // of the first slots, by generation

	recorded atomic.Uint64 // operations recorded so far
	records  [engine.RecordsKept]record

	end [63]atomic.Uint64 // of a shadow: text about the end of the PE
}

// depth is how many meetings of a team have records at a time: a member that does not
// wait can be so many ahead of another, less one. stages is how many have stages.
const (
	depth  = 32
	stages = 8
)

// slot is what one PE shows the members of one team.
type slot struct {
	comings [depth]coming         // of its latest meetings, by generation
	gave    atomic.Uint64         // generation<<8 | why this PE has given the team up
	staged  [stages]atomic.Uint64 // generation<<16 | bytes of the stage, for other nodes
	_       [56]byte
	tally   atomic.Uint64 // generation<<16 | members counted; the first member's is used
	_       [120]byte
	near    [depth]atomic.Uint64 // the same of this node, for each meeting; that of each node's first member is used
	opened  atomic.Uint64        // generation<<8 | disagreement; the first member's is used
	ended   atomic.Uint64        // generation<<8 | gaveUp of the first meeting that a member gave up; that of each node's first member is used
	_       [112]byte
}

// coming is one member's coming to one meeting: a cache line, so that who waits for the
// member gets what it came with along with the news.
type coming struct {
	arrived atomic.Uint64 // generation<<8 | kind
	slip    engine.Slip
}

// at is the record of a meeting.
func (s *slot) at(generation uint64) *coming { return &s.comings[generation%depth] }

const (
	magic     = 0x676f73686d656d08 // "goshmem", layout 8
	pageSize  = 4096
	heapStart = (unsafe.Sizeof(control{}) + pageSize - 1) &^ (pageSize - 1)
)

// A room is what each team has behind every heap. Behind those of processes they are
// as large as they are good for, and take memory only when they are used.
const (
	processRoom   = 256 << 10
	goroutineRoom = 32 << 10
)

// segmentSize is how much a PE shares: control, heap and rooms.
func segmentSize(heapSize, room uintptr) uintptr { return heapStart + heapSize + MaxTeams*room }

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

// say writes the reason of this PE.
func (c *control) say(text string) {
	c.saying.Add(1)
	storeText(c.reason[:], text)
	c.saying.Add(1)
}

// said reads a reason, and not while it is written: a PE that gives a team up and then
// fails says two things, one soon after the other. One that dies in between stays silent
// halfway, which is better than nothing.
func (c *control) said() string {
	for range 1000 {
		before := c.saying.Load()
		text := loadText(c.reason[:])
		if before&1 == 0 && c.saying.Load() == before {
			return text
		}
		runtime.Gosched()
	}
	return loadText(c.reason[:])
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
