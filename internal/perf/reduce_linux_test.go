package perf

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func reduceTiny(t *testing.T) Record {
	t.Helper()
	o := tiny(t)
	o.largest = 512 << 10
	r, err := Reduce(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// limits are the rows of a record and what is wanted of them.
func limits(r Record) map[string]float64 {
	rows := map[string]float64{}
	for _, row := range r.Rows {
		rows[row.Name] = row.Wanted
	}
	return rows
}

func TestReduce(t *testing.T) {
	r := reduceTiny(t)
	wanted := map[string]float64{
		"float32 d = a + b, 16 KiB": 1.1, "float32 d = a + b, 256 KiB": 1.1, "float32 d = a + b, 512 KiB": 1.1,
		"float32 d += a, 16 KiB": 1.1, "float32 d += a, 256 KiB": 1.1, "float32 d += a, 512 KiB": 1.1,
		"BFloat16 d = a + b, 256 KiB": 0.125,
	}
	if runtime.NumCPU() >= 2 {
		wanted["float32 sum by two processes, to both, 512 KiB"] = 1
	}
	if got := limits(r); !maps.Equal(got, wanted) {
		t.Errorf("rows %v, want %v", got, wanted)
	}
	_, noC := exec.LookPath("cc")
	for _, row := range r.Rows {
		if len(row.Samples) != r.Rounds || row.Ours.Min <= 0 {
			t.Errorf("%s: %d samples, the fastest took %v ns", row.Name, len(row.Samples), row.Ours.Min)
		}
		if noC == nil && row.Ratio <= 0 {
			t.Errorf("%s: compared with %q, %s", row.Name, row.Peer, row.Note)
		}
	}
}

// Without a C compiler what needs one says so.
func TestReduceWithoutCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, row := range reduceTiny(t).Rows {
		if without := strings.HasPrefix(row.Name, "float32 d "); without != (row.Ratio == 0) || without != (row.Note == noCompiler) {
			t.Errorf("%s: ratio %v, note %q", row.Name, row.Ratio, row.Note)
		}
	}
}

func TestCompileSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cc"), []byte("#!/bin/sh\necho no such flag; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, _, err := compile(t.Context(), t.TempDir(), "wrong", nil); err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("error %v, want the compiler's words", err)
	}
}
