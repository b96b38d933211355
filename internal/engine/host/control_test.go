package host

import (
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
)

// line is a pair of cache lines, which are fetched together.
const line = 128

// TestControlLines: words that different PEs write while others look at them stand
// in different pairs of cache lines.
func TestControlLines(t *testing.T) {
	var c control
	var s slot
	type field struct {
		name     string
		writer   string
		at, size uintptr
	}
	fields := []field{
		{"magic", "owner", unsafe.Offsetof(c.magic), unsafe.Sizeof(c.magic)},
		{"state", "owner", unsafe.Offsetof(c.state), unsafe.Sizeof(c.state)},
		{"exit", "owner", unsafe.Offsetof(c.exit), unsafe.Sizeof(c.exit)},
		{"alarm", "who fails", unsafe.Offsetof(c.alarm), unsafe.Sizeof(c.alarm)},
		{"bell", "who rings a sleeper", unsafe.Offsetof(c.bell), unsafe.Sizeof(c.bell)},
		{"sleepers", "who rings a sleeper", unsafe.Offsetof(c.sleepers), unsafe.Sizeof(c.sleepers)}, // one follows the other
		{"call", "owner's board", unsafe.Offsetof(c.call), unsafe.Sizeof(c.call)},
		{"siteFor", "owner's board", unsafe.Offsetof(c.siteFor), unsafe.Sizeof(c.siteFor)},
		{"site", "owner's board", unsafe.Offsetof(c.site), unsafe.Sizeof(c.site)},
		{"reason", "owner's board", unsafe.Offsetof(c.reason), unsafe.Sizeof(c.reason)},
	}
	for i := range c.slots[:2] {
		at := unsafe.Offsetof(c.slots) + uintptr(i)*unsafe.Sizeof(s)
		who := string(rune('0' + i))
		fields = append(fields,
			field{"comings" + who, "owner in team " + who, at + unsafe.Offsetof(s.comings), unsafe.Sizeof(s.comings)},
			field{"gave" + who, "owner in team, at its end " + who, at + unsafe.Offsetof(s.gave), unsafe.Sizeof(s.gave)},
			field{"tally" + who, "members of team " + who, at + unsafe.Offsetof(s.tally), unsafe.Sizeof(s.tally)},
			field{"opened" + who, "last member of team " + who, at + unsafe.Offsetof(s.opened), unsafe.Sizeof(s.opened)},
			field{"ended" + who, "last member of team " + who, at + unsafe.Offsetof(s.ended), unsafe.Sizeof(s.ended)})
	}
	for i, a := range fields {
		for _, b := range fields[:i] {
			if a.writer != b.writer && a.at/line <= (b.at+b.size-1)/line && b.at/line <= (a.at+a.size-1)/line {
				t.Errorf("%s at %d (written by %s) shares a line with %s at %d (written by %s)", a.name, a.at, a.writer, b.name, b.at, b.writer)
			}
		}
	}
}

// TestControlFits: the heap follows the control on a page of its own, and words
// that are moved in one piece are aligned.
func TestControlFits(t *testing.T) {
	if heapStart%pageSize != 0 || heapStart < unsafe.Sizeof(control{}) || heapStart >= unsafe.Sizeof(control{})+pageSize {
		t.Errorf("a control of %d bytes, but the heap starts at %d", unsafe.Sizeof(control{}), heapStart)
	}
	for _, size := range []uintptr{pageSize, 3 * pageSize, 1 << 20} {
		for range 20 {
			if p := uintptr(goSegment(size)); p%pageSize != 0 {
				t.Errorf("a segment starts at %#x", p)
			}
		}
	}
	if end := unsafe.Offsetof(control{}.slots) + maxSlots*unsafe.Sizeof(slot{}); end > heapStart {
		t.Errorf("the slots end at %d, the heap starts at %d", end, heapStart)
	}
}

// TestText stores and loads strings of all lengths up to beyond what fits.
func TestText(t *testing.T) {
	var words [15]atomic.Uint64
	for n := range 2 * len(words) * 8 {
		want := strings.Repeat("0123456789abcde", 20)[:n]
		storeText(words[:], "what stood here before is longer than this, and goes")
		storeText(words[:], want)
		if got := loadText(words[:]); got != want[:min(n, len(words)*8)] {
			t.Fatalf("%d bytes: stored %q, loaded %q", n, want, got)
		}
	}
	storeText(words[:], "ends\x00here")
	if got := loadText(words[:]); got != "ends" {
		t.Errorf("a zero byte ends a text, but it is %q", got)
	}
	storeText(words[:], "")
	if got := loadText(words[:]); got != "" {
		t.Errorf("an empty text is %q", got)
	}
}

// TestTextTorn reads while another writes: whatever comes, it is made of the two
// texts and no longer than the place for it.
func TestTextTorn(t *testing.T) {
	var words [4]atomic.Uint64
	a, b := strings.Repeat("a", 32), strings.Repeat("b", 32)
	storeText(words[:], a)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				storeText(words[:], a)
				storeText(words[:], b)
			}
		}
	}()
	for range 20000 {
		if got := loadText(words[:]); len(got) != 32 || strings.Trim(got, "ab") != "" {
			t.Errorf("read %q", got)
			break
		}
	}
	close(stop)
	<-done
}
