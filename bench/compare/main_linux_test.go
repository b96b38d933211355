package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/internal/skip"
)

// build returns the program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "compare")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	return program
}

// exits runs a command and returns its status and what it wrote.
func exits(t *testing.T, argv ...string) (int, string) {
	t.Helper()
	text, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	} else if err != nil {
		return exit.ExitCode(), string(text)
	}
	return 0, string(text)
}

func TestStatus(t *testing.T) {
	program := build(t)
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		args   []string
		status int
		text   string
	}{
		{nil, missing, "apt-get install openmpi-bin libopenmpi-dev gcc"},
		{[]string{"-collectives"}, missing, "apt-get install mpich libmpich-dev gcc"},
		{[]string{"-ucx"}, missing, "apt-get install ucx-utils"},
		{[]string{"-h"}, 0, "-quick"},
		{[]string{"-nonsense"}, usage, "-nonsense"},
		{[]string{"-rounds", "-1"}, usage, "negative"},
		{[]string{"more"}, usage, "no arguments"},
		{[]string{"worker"}, failed, "workers of a measurement"},
		{[]string{"transport"}, failed, "compare -ucx starts"},
	} {
		if status, text := exits(t, append([]string{program}, c.args...)...); status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%q: status %d, %q; want %d and %q", c.args, status, text, c.status, c.text)
		}
	}
}

// needs skips the test without a tool.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			skip.Now(t, skip.NoMPI, tool+" is not installed")
		}
	}
}

// quick runs a short comparison and returns the record and the page.
func quick(t *testing.T, flags ...string) (record []byte, page string) {
	t.Helper()
	saved := filepath.Join(t.TempDir(), "saved")
	args := append(flags, "-quick", "-rounds", "1", "-batch", "20us", "-json", "-save", saved)
	status, text := exits(t, append([]string{build(t)}, args...)...)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, text)
	}
	record, err := os.ReadFile(saved + ".json")
	if err != nil || string(record) != text {
		t.Errorf("saved: %v, %d bytes; printed: %d bytes", err, len(record), len(text))
	}
	md, err := os.ReadFile(saved + ".md")
	if err != nil || !strings.Contains(string(md), "-quick -rounds 1") {
		t.Errorf("page: %v\n%s", err, md)
	}
	return record, string(md)
}

// Figures are not looked at: a measurement is no test.
func TestCompare(t *testing.T) {
	needs(t, "oshcc")
	file, _ := quick(t)
	var r struct {
		perf.Record
		Rows []struct {
			Op, State     string
			Size, PEs     int
			Ours          float64 `json:"ours_ns"`
			Theirs        float64 `json:"theirs_ns"`
			Ratio, Wanted float64
			Met           *bool
			Samples       []perf.Sample
		} `json:"rows"`
	}
	if err := json.Unmarshal(file, &r); err != nil {
		t.Fatal(err)
	}
	if r.Name != "compare" || !strings.Contains(r.Peer, "UCX") || len(r.Rows) < 20 {
		t.Errorf("record %q with peer %q and %d rows", r.Name, r.Peer, len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.Op == "" || row.Size < 8 || row.PEs < 2 || row.Ours <= 0 || row.Theirs <= 0 || row.Ratio <= 0 || (row.Wanted > 0) != (row.Met != nil) || len(row.Samples) != 1 {
			t.Errorf("row %+v", row)
		}
	}
}

func TestCompareCollectives(t *testing.T) {
	needs(t, "oshcc", "mpicc.openmpi", "mpicc.mpich", "mpiexec.hydra")
	file, page := quick(t, "-collectives")
	var r perf.Record
	if err := json.Unmarshal(file, &r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{perf.OSHMEM, perf.OpenMPI, perf.MPICH} {
		if !strings.Contains(r.Peer, name+": ") || !strings.Contains(page, " "+name+" |") {
			t.Errorf("%q and the page: want %s", r.Peer, name)
		}
	}
	seen := map[string]int{}
	for _, row := range r.Rows {
		seen[fmt.Sprintf("%s of %d", row.Op, row.PEs)] = len(row.Peers)
		if row.Ours.Median <= 0 || row.Theirs.Median <= 0 || row.Ratio <= 0 || len(row.Samples) != 1 {
			t.Errorf("row %+v", row)
		}
	}
	for of, peers := range map[string]int{"allreduce of 2": 3, "reducescatter of 2": 2, "broadcast of 4": 2, "reducescatter of 4": 0} {
		if n, ok := seen[of]; !ok || n != peers {
			t.Errorf("%s: %d peers to choose from, want %d", of, n, peers)
		}
	}
	if len(r.Goals) != 12 {
		t.Errorf("goals %+v, want three for each of four groups", r.Goals)
	}
}

func TestCompareNCCL(t *testing.T) {
	needs(t, "mpicc.openmpi", "mpicc.mpich", "mpiexec.hydra")
	file, page := quick(t, "-nccl", "-only", " 1 KiB, device")
	var r perf.Record
	if err := json.Unmarshal(file, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 5 || len(r.Goals) != 2 || !strings.Contains(page, "# Package nccl on its host library") {
		t.Errorf("%d rows, goals %+v, page\n%s", len(r.Rows), r.Goals, page)
	}
	for _, row := range r.Rows {
		if row.Ours.Median <= 0 || row.Ratio <= 0 || len(row.Peers) != 2 {
			t.Errorf("row %+v", row)
		}
	}
}

func TestCompareUCX(t *testing.T) {
	if _, err := exec.LookPath("ucx_perftest"); err != nil {
		skip.Now(t, skip.NoVendor, "ucx_perftest is not installed: Debian's package is ucx-utils")
	}
	file, page := quick(t, "-ucx", "-only", "fetch_add")
	var r perf.Record
	if err := json.Unmarshal(file, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 3 || !strings.Contains(r.Peer, "ucx_perftest: 1.") || !strings.Contains(page, "| tcp, fetch_add 8 B, target asleep |") {
		t.Errorf("%d rows, peer %q, page\n%s", len(r.Rows), r.Peer, page)
	}
	for _, row := range r.Rows {
		if row.Ours.Median <= 0 || row.Ratio <= 0 || len(row.Samples) != 1 {
			t.Errorf("row %+v", row)
		}
	}
}
