package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loop shows n steps and returns what was written.
func loop(l *Line, n int, b *strings.Builder) string {
	for range n {
		l.Step()
	}
	l.Done()
	return b.String()
}

func TestLineIsRewrittenInPlace(t *testing.T) {
	var b strings.Builder
	got := loop(&Line{w: &b, total: 4}, 1, &b)
	if want := "\r1 of 4 (25%)\r\x1b[K"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestStepsThatFollowAtOnceAreNotShown(t *testing.T) {
	var b strings.Builder
	const steps = 100_000
	got := loop(&Line{w: &b, total: steps}, steps, &b)
	if n := strings.Count(got, "\r"); n > steps/100 {
		t.Errorf("%d steps were written %d times", steps, n)
	}
}

func TestSilent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var b strings.Builder
	for name, line := range map[string]*Line{
		"no line":        nil,
		"a file":         New(file, 2),
		"another writer": New(&b, 2),
		"no writer":      New(nil, 2),
	} {
		if got := loop(line, 2, &b); got != "" {
			t.Errorf("%s: wrote %q", name, got)
		}
	}
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
}

func TestDeviceIsShown(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if !terminal(device) {
		t.Error("a character device counts as a file")
	}
}
