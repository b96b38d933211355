package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/perf"
)

// Figures are not looked at: a measurement is no test. That sums are right the measurement
// looks at itself.
func TestPerfProvider(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	saved := filepath.Join(dir, "saved")
	c := perfProviderCommand()
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs([]string{"--pes", "2", "--rounds", "1", "--batch", "20us", "--largest", "64K", "--json", "--save", saved, "--maps", filepath.Join(dir, "maps.svg")})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(saved + ".json"); err != nil || string(file) != out.String() {
		t.Errorf("saved: %v, %d bytes; printed: %d bytes", err, len(file), out.Len())
	}
	var r perf.Record
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, row := range r.Rows {
		names += row.Name + "\n"
		if row.Ours.Median <= 0 || row.Op == perf.OpAllReduce && len(row.Peers) != 2 {
			t.Errorf("%+v", row)
		}
	}
	for _, want := range []string{"bulk put, 64 KiB", "bulk get, 64 KiB", "dependent load", "table of 2 ranks", "one-shot all-reduce, 64 KiB", "two-shot all-reduce, 1 KiB"} {
		if !strings.Contains(names, want) {
			t.Errorf("no row %q in\n%s", want, names)
		}
	}
	if len(r.Pairs) != 4 {
		t.Errorf("%d maps", len(r.Pairs))
	}
	for _, p := range r.Pairs {
		for from, values := range p.GBps {
			if len(values) != 2 || values[0] <= 0 || values[1] <= 0 {
				t.Errorf("%s of PE %d: %v", p.Name, from, values)
			}
		}
		if picture, err := os.ReadFile(filepath.Join(dir, "maps-"+strings.ReplaceAll(p.Name, ", ", "-")+".svg")); err != nil || !strings.Contains(string(picture), p.Name) {
			t.Errorf("the picture of %s: %v", p.Name, err)
		}
	}
	for says, args := range map[string][]string{"-1 PEs": {"--pes", "-1"}, "from 64K": {"--largest", "8"}, "is no size": {"--largest", "x"}} {
		c := perfProviderCommand()
		c.SetArgs(args)
		c.SetOut(&out)
		c.SetErr(&out)
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}
