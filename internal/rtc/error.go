package rtc

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// ErrArch is in errors about an architecture that the compiler does not know.
var ErrArch = device.ErrArch

// Error is what a compiler has against a source.
type Error struct {
	Compiler string // with its version
	Source   string // its name
	Arch     string // the architecture
	Call     string // the library's function
	Status   int    // what it returned
	Text     string // the status in words
	Log      string // the compiler's whole log
}

// shownLines is how many lines of a log an error shows.
const shownLines = 4

// Error is what was called and what came back, with the first lines of the log.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s of %q for %s: status %d", e.Compiler, e.Call, e.Source, e.Arch, e.Status)
	if e.Text != "" {
		text += " (" + e.Text + ")"
	}
	if e.Log == "" {
		return text
	}
	lines := strings.Split(strings.TrimSpace(e.Log), "\n")
	rest := len(lines) - shownLines
	if rest > 0 {
		lines = append(lines[:shownLines], fmt.Sprintf("... and %d lines more", rest))
	}
	return text + ": " + strings.Join(lines, "; ")
}
