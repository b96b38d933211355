package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/perf"
)

// Figures are not looked at: a measurement is no test.
func TestPerfShmem(t *testing.T) {
	dir := t.TempDir()
	program, saved := filepath.Join(dir, "goshmem"), filepath.Join(dir, "saved.json")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	out, err := exec.Command(program, "perf", "shmem", "--json", "--rounds", "1", "--batch", "20us", "--save", saved).Output()
	if err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(saved); err != nil || string(file) != string(out) {
		t.Errorf("saved: %v, %d bytes; printed: %d bytes", err, len(file), len(out))
	}
	var r perf.Record
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != perf.Schema || r.Rounds != 1 || len(r.Rows) == 0 || len(r.Rows[0].Samples) != 1 {
		t.Errorf("schema %d, %d rounds, rows %+v", r.Schema, r.Rounds, r.Rows)
	}
	for want, args := range map[string][]string{
		"rounds":                   {"perf", "shmem", "--rounds", "0"},
		"0 rounds":                 {"perf", "reduce", "--rounds", "0"},
		"unknown command":          {"perf", "nonsense"},
		"workers of a measurement": {"perf", "worker"},
	} {
		text, err := exec.Command(program, args...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(string(text), want) {
			t.Errorf("%v: %v, %s; want a failure that says %q", args, err, text, want)
		}
	}
}
