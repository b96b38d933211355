package launcher

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// maxLine bounds what is kept of a line that does not end.
const maxLine = 1 << 20

// lineWriter passes whole lines on to a writer that it shares with others, each
// with a prefix in front. What a Write completes is passed on in one call.
type lineWriter struct {
	mu     *sync.Mutex // held while writing to out
	out    io.Writer
	prefix string
	line   []byte // begun, not ended
}

func (w *lineWriter) Write(p []byte) (int, error) {
	var whole []byte
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := maxLine - len(w.line); len(line) > room {
			line, after, ended = rest[:room], rest[room:], true
		}
		w.line = append(w.line, line...)
		if ended {
			whole = w.finish(whole)
		}
		rest = after
	}
	return len(p), w.pass(whole)
}

// finish moves the begun line to the end of whole.
func (w *lineWriter) finish(whole []byte) []byte {
	whole = append(append(append(whole, w.prefix...), w.line...), '\n')
	if cap(w.line) > 64<<10 {
		w.line = nil // one long line must not cost memory for the rest of the job
	}
	w.line = w.line[:0]
	return whole
}

func (w *lineWriter) pass(whole []byte) error {
	if len(whole) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(whole)
	return err
}

// Close ends a last line that has no newline.
func (w *lineWriter) Close() error {
	if len(w.line) == 0 {
		return nil
	}
	return w.pass(w.finish(nil))
}

// tail keeps the last lines of a stream, and the last one that began a panic: the
// stack that follows it is often longer than the tail.
type tail struct {
	lines []string
	line  []byte
	panic string
	since int // lines since then
}

const (
	tailLines = 10
	tailWidth = 2048 // of a longer line only the beginning is kept
)

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		t.line = append(t.line, line[:min(len(line), tailWidth-len(t.line))]...)
		if !ended {
			return n, nil
		}
		t.finish()
		p = rest
	}
}

func (t *tail) finish() {
	line := string(t.line)
	t.since++
	if beginsPanic(line) {
		t.panic, t.since = line, 0
	}
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
	t.line = t.line[:0]
}

// last returns the lines; call it when nothing is written any more.
func (t *tail) last() []string {
	if len(t.line) > 0 {
		t.finish()
	}
	if t.panic != "" && t.since >= tailLines {
		return append([]string{t.panic, "..."}, t.lines...)
	}
	return t.lines
}

// beginsPanic says whether a line is the first of what a Go program says when it
// ends badly; shmem.Main says it with the number of the PE.
func beginsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
		strings.HasPrefix(line, "shmem: PE ") && strings.Contains(line, " panicked: ")
}
