package launcher

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestHello(t *testing.T) {
	s, out, errs := spec("hello", 4)
	res, err := Run(t.Context(), s)
	if err != nil || res.First != -1 || res.Report() != "" {
		t.Fatalf("error %v, first %d, report %q", err, res.First, res.Report())
	}
	lines := strings.Fields(out.String())
	slices.Sort(lines)
	want := strings.Fields("0 1 2 3 [0] [1] [2] [3] hello hello hello hello")
	if !slices.Equal(lines, want) || errs.String() != "" {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
}

func TestDefaultPrefix(t *testing.T) {
	s, out, _ := spec("hello", 1)
	s.Prefix = nil
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(host, ".")
	if want := "[" + short + " 0] hello 0\n"; out.String() != want {
		t.Errorf("stdout %q, want %q", out, want)
	}
}

func TestStdinGoesToRank0(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("only once\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer r.Close()
	s, out, _ := spec("cat", 3)
	s.Stdin = r
	if _, err := Run(t.Context(), s); err != nil || out.String() != "[0] only once\n" {
		t.Errorf("error %v, output %q", err, out)
	}
}

func TestOutputDir(t *testing.T) {
	s, out, errs := spec("both", 2)
	s.OutputDir = filepath.Join(t.TempDir(), "new", "folder")
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for r := range 2 {
		for stream, shown := range map[string]*lockedBuffer{"out": out, "err": errs} {
			b, err := os.ReadFile(fmt.Sprintf("%s/rank-%d.std%s", s.OutputDir, r, stream))
			if err != nil {
				t.Fatal(err)
			}
			prefix := fmt.Sprintf("[%d] ", r)
			if n := strings.Count(shown.String(), prefix); n != 100 || strings.Count(string(b), "\n") != 100 ||
				!strings.HasPrefix(string(b), stream+" 0\n"+stream+" 1\n") {
				t.Errorf("rank %d std%s: %d lines shown, file begins %.20q", r, stream, n, b)
			}
		}
	}
}

func TestMergeKeepsOrder(t *testing.T) {
	s, _, _ := spec("both", 1)
	raw := newBuffer()
	s.Merge, s.Output = true, func(int) (stdout, stderr io.Writer) { return raw, nil }
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(raw.String(), "out 0\nerr 0\nout 1\nerr 1\n") || strings.Count(raw.String(), "\n") != 200 {
		t.Errorf("output %.60q", raw)
	}
}

func TestLongLines(t *testing.T) {
	s, out, _ := spec("long", 2)
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(out.String()) {
		counts[line]++
	}
	want := map[string]int{}
	for _, r := range []string{"0", "1"} {
		want["["+r+"] "+strings.Repeat(r, 1<<20)+"\n"] = 3
		want["["+r+"] part whole\n"] = 3
	}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("%d different lines, want %d; %d bytes", len(counts), len(want), len(out.String()))
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestReaderOfOutputGone(t *testing.T) {
	s, _, _ := spec("wait", 2)
	s.Stdout = brokenPipe{}
	_, err := Run(t.Context(), s)
	mustCode(t, err, 128+13)
}
