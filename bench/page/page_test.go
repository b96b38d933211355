package page

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/perf"
)

func TestPage(t *testing.T) {
	yes, no := true, false
	half := func(state string) perf.Sample { return perf.Sample{Ours: 10, Theirs: 20, N: 1, State: state} }
	r := perf.Record{
		When: time.Date(2026, 11, 30, 4, 5, 0, 0, time.UTC), Rounds: 2, Batch: "4ms", Peer: "Open MPI OSHMEM: 4.1.4, UCX 1.13.1",
		Machine: perf.Machine{OS: "linux", Arch: "amd64", Cores: 2, CPU: "a CPU", Commit: "abc", LoadBefore: "0.1", LoadAfter: "0.2"},
		Rows: []perf.Row{
			{Name: "put 8 B, hot", Unit: "ns", Peer: "Open MPI OSHMEM", Ours: perf.Summary{Median: 3}, Theirs: perf.Summary{Median: 9}, Ratio: 0.333, Wanted: 0.6, Met: &yes, State: perf.Near},
			{Name: "barrier_all", Unit: "ns", Ours: perf.Summary{Median: 3000}, Theirs: perf.Summary{Median: 2000}, Ratio: 1.5, Wanted: 1.05, Met: &no, State: perf.Far},
			{Name: "get", Case: perf.Case{Op: perf.OpGet}, Unit: "ns", Ratio: 1, State: perf.Mixed, Samples: []perf.Sample{half(perf.Near), half(perf.Far)}},
			{Name: "seen", Case: perf.Case{Op: perf.OpSeen}, Unit: "ns", Ratio: 1, State: perf.Mixed, Samples: []perf.Sample{half(perf.Near), half(perf.Far), half(perf.Far)}},
		},
	}
	text := string(Of(r, "go run ./bench/compare -x"))
	for _, want := range []string{
		"# goshmem beside Open MPI OSHMEM\n", "\n    go run ./bench/compare -x\n", "2026-11-30 04:05 UTC", "linux/amd64, 2 x a CPU", "commit abc", "0.1 before, 0.2 after", "UCX 1.13.1",
		"Wanted and met: 1\n\n| what |", "|---|\n| put 8 B, hot | 3.0 ns | 9.0 ns | 0.33 | <= 0.60 | yes | near |\n",
		"Wanted and missed: 1\n\n| what |", "| barrier_all | 3000.0 ns | 2000.0 ns | 1.50 | <= 1.05 | no | far |\n",
		"| seen (1 of 3 samples) | 10.0 ns | 20.0 ns | 0.50 |  |  | near |\n", "| seen (2 of 3 samples) | 10.0 ns | 20.0 ns | 0.50 |  |  | far |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "get (") || strings.Contains(text, "Provisional") {
		t.Errorf("state by state for a row that does not depend on it, or a disturbed machine with a load of 0.1:\n%s", text)
	}
	r.Machine.LoadBefore = "1.50 0.10 0.10"
	if text := string(Of(r, "c")); !strings.Contains(text, "\n\n**Provisional**: the load") {
		t.Errorf("a load of 1.5 is not mentioned:\n%s", text)
	}
	for _, r := range []perf.Record{{}, {Rows: []perf.Row{{Name: "x"}}}} {
		if text := string(Of(r, "c")); strings.Contains(text, "state by state\n\n|") || strings.Contains(text, "\n\n\n") {
			t.Errorf("tables without rows, or two empty lines, in the page of %+v:\n%s", r, text)
		}
	}
}

func TestPageOfCollectives(t *testing.T) {
	yes := true
	row := perf.Row{Case: perf.Case{Op: perf.OpAllReduce, PEs: 2, Buffers: perf.Heap}, Name: "allreduce 8 B, heap, 2 PEs", Unit: "ns", Peer: perf.MPICH, Ours: perf.Summary{Median: 3}, Ratio: 0.5, Wanted: 1, Met: &yes, State: perf.Near,
		Peers: []perf.Rival{{Name: perf.OpenMPI, Summary: perf.Summary{Median: 9}}, {Name: perf.MPICH, Summary: perf.Summary{Median: 6}}}}
	alone := perf.Row{Case: perf.Case{Op: perf.OpReduceScatter, PEs: 2, Buffers: perf.Heap}, Name: "reducescatter 8 B, heap, 2 PEs", Unit: "ns", Peer: perf.OpenMPI, Theirs: perf.Summary{Median: 4}, Ratio: 2}
	other := row
	other.Buffers = perf.Private
	r := perf.Record{Name: "collectives", Rows: []perf.Row{row, other, alone}, Goals: []perf.Goal{{What: "all", Value: 0.5, Wanted: 0.8, Met: true}, {What: "worst", Value: 2, Wanted: 1.25}}}
	text := string(Of(r, "go run ./bench/compare -collectives"))
	for _, want := range []string{
		"| all | 0.50 | <= 0.80 | met |\n| worst | 2.00 | <= 1.25 | missed |\n",
		"## 2 PEs, heap\n\n| what | ours | Open MPI | MPICH | ratio | met | cores |\n|---|---|---|---|---|---|---|\n| allreduce 8 B | 3.0 ns | 9.0 ns | **6.0 ns** | 0.50 | yes | near |\n| reducescatter 8 B | 0.0 ns | 4.0 ns |  | 2.00 |  |  |\n",
		"\n\n## 2 PEs, private\n\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	r.Name = "nccl"
	if text := string(Of(r, "c")); !strings.HasPrefix(text, "# Package nccl on its host library") || !strings.Contains(text, "## 2 PEs, heap\n\n| what |") {
		t.Errorf("the page of package nccl:\n%s", text)
	}
	if text := string(Of(perf.Record{Name: "collectives"}, "c")); strings.Contains(text, "\n\n\n") || strings.Contains(text, "| figure |") {
		t.Errorf("two empty lines, or a table without rows:\n%s", text)
	}
}

func TestPageOfDevices(t *testing.T) {
	yes := true
	copied := perf.Row{Case: perf.Case{Op: perf.OpHostTo, Size: 4096}, Name: "host to device 4 KiB", Unit: "ns", Peer: "C", Note: "2.0 GB/s", Wanted: 1.03, Met: &yes,
		Ours: perf.Summary{Median: 2000, Min: 1900, Max: 2100}, Theirs: perf.Summary{Median: 1990}, Ratio: 1.005}
	alone := perf.Row{Name: "launch to completion", Unit: "ns", Ours: perf.Summary{Median: 5000, Min: 4000, Max: 6000}}
	r := perf.Record{Name: "gpu", Peer: "C: driver API 12.9", Rows: []perf.Row{copied, alone}, Notes: []string{"cuda:0: a GPU", "a note"}}
	text := string(Of(r, "goshmem perf gpu --compare"))
	for _, want := range []string{
		"# Package gpu on devices, beside a program in C\n", "\n    goshmem perf gpu --compare\n", "| theirs | C: driver API 12.9, `bench/peers/cuda.c`", "\n\n- cuda:0: a GPU\n- a note\n\n",
		"met: 1\n\n| what |", "| host to device 4 KiB | 2000.0 ns | 1900.0 ns to 2100.0 ns | 1990.0 ns | 1.005 | <= 1.03 | yes | 2.0 GB/s |\n",
		"ratio wanted: 1\n\n| what |", "| launch to completion | 5000.0 ns | 4000.0 ns to 6000.0 ns |  |  |  |  |  |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	r.Peer, r.Rows = "", []perf.Row{alone}
	text = string(Of(r, "c"))
	if !strings.HasPrefix(text, "# Package gpu on devices\n") || !strings.Contains(text, "## Figures\n\n| what |") || strings.Contains(text, "theirs") || strings.Contains(text, "\n\n\n") {
		t.Errorf("the page without a peer:\n%s", text)
	}
}

// Save writes what Of makes, and the record.
func TestPageOfProviders(t *testing.T) {
	text := string(Of(perf.Record{
		Name: "provider", Notes: []string{"2 PEs"}, Goals: []perf.Goal{{What: "table", Value: 5, Wanted: 20, Met: true}},
		Rows:  []perf.Row{{Name: "bulk put", Unit: "ns", Peer: "copy", Ours: perf.Summary{Median: 3, Min: 2, Max: 4}, Theirs: perf.Summary{Median: 2}, Ratio: 1.5, Note: "9 GB/s"}, {Name: "table", Unit: "ns"}},
		Pairs: []perf.Pairs{{Name: "put, copy", Bytes: 64 << 20, GBps: [][]float64{{0.5, 1}, {2, 3}}}},
	}, "goshmem perf provider"))
	for _, want := range []string{
		"\n    goshmem perf provider\n", "\n- 2 PEs\n", "| table | 5.00 | <= 20.00 | met |\n",
		"| bulk put | 3.0 ns | 2.0 ns to 4.0 ns | copy | 2.0 ns | 1.500 |  |  | 9 GB/s |\n| table | 0.0 ns | 0.0 ns to 0.0 ns |  |  |  |  |  |  |\n",
		"## put, copy of 64M, GB/s\n", "| | 0 | 1 |\n|---|---|---|\n| 0 | 0.5 | 1.0 |\n| 1 | 2.0 | 3.0 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

func TestSave(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	r := perf.Record{Name: "gpu", Rows: []perf.Row{{Name: "a row"}}}
	if err := Save(r, name, "c"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name + ".md")
	if err != nil || string(text) != string(Of(r, "c")) {
		t.Errorf("page %q, %v", text, err)
	}
	text, err = os.ReadFile(name + ".json")
	var got perf.Record
	if err = errors.Join(err, json.Unmarshal(text, &got)); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("record %+v, %v; want %+v", got, err, r)
	}
	if err := Save(r, filepath.Join(name, "y"), "c"); err == nil || !strings.HasPrefix(err.Error(), "save: ") {
		t.Errorf("into a folder that is none: %v", err)
	}
}

// TestPageOfUCX: a row is met or missed by its own limit.
func TestPageOfUCX(t *testing.T) {
	yes := true
	r := perf.Record{Name: "ucx", Rounds: 9, Peer: "ucx_perftest: 1.13.1", Rows: []perf.Row{
		{Name: "posix, get 8 B", Unit: "ns", Ours: perf.Summary{Median: 50}, Theirs: perf.Summary{Median: 15}, Ratio: 3.3, Wanted: 3.67, Met: &yes},
		{Name: "tcp, fetch_add 8 B, target asleep", Unit: "ns", Ours: perf.Summary{Median: 20000}, Theirs: perf.Summary{Median: 10000}, Ratio: 2},
	}}
	text := string(Of(r, "go run ./bench/compare -ucx"))
	for _, want := range []string{
		"# The transport between nodes beside ucx_perftest\n", "\n    go run ./bench/compare -ucx\n", "| theirs | ucx_perftest: 1.13.1 |",
		"met: 1\n\n| what |", "| posix, get 8 B | 50.0 ns | 15.0 ns | 3.30 | <= 3.67 | yes |  |\n", "| tcp, fetch_add 8 B, target asleep | 20.0 us | 10.0 us | 2.00 |  |  |  |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// TestModes: a row has its factor, and one without a peer its reason.
func TestModes(t *testing.T) {
	with := perf.Row{Name: "put, checked", Unit: "ns", Peer: "no mode", Ours: perf.Summary{Median: 30}, Theirs: perf.Summary{Median: 10}, Ratio: 3}
	alone := perf.Row{Name: "put, no mode", Unit: "ns", Ours: perf.Summary{Median: 10}, Note: "no go command"}
	text := string(Of(perf.Record{Name: "modes", Rows: []perf.Row{with, alone}, Notes: []string{"a note"}}, "goshmem perf modes"))
	for _, want := range []string{"# What the modes cost\n", "\n    goshmem perf modes\n", "\n- a note\n", "\n| put, checked | 30.0 ns | no mode | 10.0 ns | 3.00 |  |\n", "\n| put, no mode | 10.0 ns |  |  |  | no go command |\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}
