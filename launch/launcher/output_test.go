package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestLinesOfTwoRanks(t *testing.T) {
	var out bytes.Buffer
	var mu sync.Mutex
	a := &lineWriter{mu: &mu, out: &out, prefix: "a: "}
	b := &lineWriter{mu: &mu, out: &out, prefix: "b: "}
	steps := []struct {
		w    *lineWriter
		text string
	}{{a, "on"}, {b, "two\nth"}, {a, "e"}, {a, "\n"}, {b, "ree"}, {a, "\n\nlast"}, {b, "\n"}}
	for _, s := range steps {
		if n, err := s.w.Write([]byte(s.text)); n != len(s.text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if want := "b: two\na: one\na: \na: \nb: three\na: last\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestEndlessLineIsCut(t *testing.T) {
	var out bytes.Buffer
	w := &lineWriter{mu: new(sync.Mutex), out: &out, prefix: "> "}
	chunk := bytes.Repeat([]byte{'x'}, 1000)
	most := 0
	for range 2*maxLine/len(chunk) + 2 {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
		most = max(most, cap(w.line))
	}
	if most > 2*maxLine {
		t.Errorf("%d bytes kept", most)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || lines[0] != "> "+strings.Repeat("x", maxLine) || lines[1] != lines[0] {
		t.Errorf("%d lines, the first of %d bytes", len(lines), len(lines[0]))
	}
	out.Reset()
	rest := len(w.line)
	if err := w.Close(); err != nil || out.Len() != rest+3 {
		t.Errorf("error %v, %d bytes at the end, want %d", err, out.Len(), rest+3)
	}
}

// A line of exactly the largest length is not cut, and no empty one follows.
func TestLongestLine(t *testing.T) {
	var out bytes.Buffer
	w := &lineWriter{mu: new(sync.Mutex), out: &out}
	text := strings.Repeat("y", maxLine) + "\nz\n"
	if _, err := w.Write([]byte(text)); err != nil || out.String() != text {
		t.Errorf("error %v, %d bytes, want %d", err, out.Len(), len(text))
	}
}

func TestTail(t *testing.T) {
	var k tail
	for i := range 30 {
		if _, err := k.Write([]byte(strings.Repeat(string(rune('a'+i%26)), 3000) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.Write([]byte("x\n\ny")); err != nil {
		t.Fatal(err)
	}
	last := k.last()
	if len(last) != tailLines || !slices.Equal(last[7:], []string{"x", "", "y"}) {
		t.Errorf("%d lines, the end is %q", len(last), last[7:])
	}
	if want := strings.Repeat("d", tailWidth); last[6] != want {
		t.Errorf("line %.10q of %d bytes, want %d", last[6], len(last[6]), tailWidth)
	}
}

// TestTailOfPanic: what a program panicked with is kept, however long the stack is.
func TestTailOfPanic(t *testing.T) {
	for first, kept := range map[string]bool{
		"panic: boom": true, "fatal error: all goroutines are asleep - deadlock!": true,
		"shmem: PE 3 panicked: boom": true, "it said panic: boom": false,
	} {
		for _, frames := range []int{0, 8, 9, 10, 50} {
			var k tail
			fmt.Fprintf(&k, "before\n%s\n%s", first, strings.Repeat("frame\n", frames))
			last := k.last()
			begins := slices.Index(last, first)
			if want := kept || frames < tailLines; (begins >= 0) != want || len(last) > tailLines+2 {
				t.Errorf("%q and %d frames: %q", first, frames, last)
			}
			if slices.Contains(last[max(begins, 0):], "...") != (kept && frames >= tailLines) {
				t.Errorf("%q and %d frames: %q", first, frames, last)
			}
		}
	}
}
