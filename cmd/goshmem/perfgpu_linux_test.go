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

// Figures are not looked at: a measurement is no test.
func TestPerfGPU(t *testing.T) {
	var out bytes.Buffer
	saved := filepath.Join(t.TempDir(), "devices")
	c := perfGPUCommand()
	c.SetOut(&out)
	c.SetArgs([]string{"--platform", "host", "--compare", "--only", "launch, 4", "--rounds", "1", "--batch", "20us", "--json", "--save", saved})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	var r perf.Record
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || !strings.Contains(strings.Join(r.Notes, "\n"), "for platform cuda, not host") {
		t.Errorf("rows %+v, notes %q", r.Rows, r.Notes)
	}
	if file, err := os.ReadFile(saved + ".json"); err != nil || string(file) != out.String() {
		t.Errorf("saved: %v, %d bytes; printed: %d bytes", err, len(file), out.Len())
	}
	page, err := os.ReadFile(saved + ".md")
	if want := "\n    gpu --batch 20µs --compare --json --only launch, 4 --platform host --rounds 1 --save devices\n"; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("page: %v\n%s\nwant %q in it", err, page, want)
	}
	c.SetArgs([]string{"--platform", "nonsense"})
	if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("platform nonsense: %v", err)
	}
}
