package perf

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/perf/loops"
)

// TestModes: each mode has a row beside a world without; without the go command those of
// the race detector say why they have none.
func TestModes(t *testing.T) {
	o := tiny(t)
	o.loops = []string{loops.Put}
	t.Setenv("PATH", t.TempDir())
	r, err := Modes(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(modes()) {
		t.Errorf("%d rows for %d modes", len(r.Rows), len(modes()))
	}
	for i, row := range r.Rows {
		m := modes()[i]
		if len(row.Samples) != r.Rounds || row.Ours.Min <= 0 || m.race != (row.Ratio == 0) {
			t.Errorf("%s: %d samples, ratio %v", row.Name, len(row.Samples), row.Ratio)
		}
		if m.race && !strings.Contains(row.Note, "no build with -race") {
			t.Errorf("%s: note %q", row.Name, row.Note)
		}
	}
}

// TestLoops: every loop runs in weak mode and in a world without, and says how long it
// took; what is no loop is refused.
func TestLoops(t *testing.T) {
	for _, weak := range []string{"", "3"} {
		t.Setenv("GOSHMEM_WEAK", weak)
		for _, op := range loops.Ops() {
			var out bytes.Buffer
			if err := loops.Run([]string{op, "70"}, &out); err != nil || strings.HasPrefix(out.String(), "0") {
				t.Errorf("%s: %v, %q", op, err, out.String())
			}
		}
	}
	for _, bad := range [][]string{nil, {"sing", "3"}, {loops.Put, "0"}, {loops.Put, "x"}} {
		if err := loops.Run(bad, nil); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
