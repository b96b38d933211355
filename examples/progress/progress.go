// Package progress shows on a terminal how far a long loop has come: one line,
// rewritten in place. Where nobody watches, in a file or a pipe, it writes nothing.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

// pause is the least time between two states of the line: more often nobody can
// read it, and the loop has something better to do.
const pause = 100 * time.Millisecond

// Line is how far one loop has come. A nil Line is silent, for PEs that leave the
// talking to another one. One goroutine uses it.
type Line struct {
	w           io.Writer // nil: silent
	done, total int
	shown       time.Time
}

// New returns the line of a loop of total steps. It is silent unless w is a terminal.
func New(w io.Writer, total int) *Line {
	if !terminal(w) {
		w = nil
	}
	return &Line{w: w, total: total}
}

// Step says that one more step is done.
func (l *Line) Step() {
	if l == nil || l.w == nil {
		return
	}
	l.Show(l.done+1, l.total)
}

// Show says that so many of all steps are done, for who counts by himself.
func (l *Line) Show(done, total int) {
	if l == nil || l.w == nil {
		return
	}
	l.done, l.total = done, total
	if now := time.Now(); now.Sub(l.shown) >= pause {
		l.shown = now
		// A line that cannot be written is no reason to end the loop.
		_, _ = fmt.Fprintf(l.w, "\r%d of %d (%d%%)", l.done, l.total, 100*l.done/max(l.total, 1))
	}
}

// Done clears the line for what is written next.
func (l *Line) Done() {
	if l != nil && l.w != nil {
		_, _ = fmt.Fprint(l.w, "\r\x1b[K")
	}
}

// terminal says whether w is a device that shows characters. So is /dev/null, where
// a line does no harm.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
