package ncclperf

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSizes: the sizes of the usual command lines.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		min, max, step, factor int64
		want                   []int64
	}{
		{8, 64, 1 << 20, 2, []int64{8, 16, 32, 64}},
		{8, 60, 0, 2, []int64{8, 16, 32}},
		{32, 32, 1, 0, []int64{32}},
		{10, 35, 10, 0, []int64{10, 20, 30}},
		{0, 4, 0, 2, []int64{0, 2, 4}},
	} {
		o := Options{MinBytes: c.min, MaxBytes: c.max, StepBytes: c.step, Factor: c.factor}
		if got := o.sizes(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"8": 8, "64K": 65536, "128M": 128 << 20, "1G": 1 << 30, "2g": 2 << 30, "4KB": 4096,
		"": -1, "K": -1, "-1": -1, "1.5M": -1, "9999999999G": -1, "1KK": -1} {
		got, err := ParseBytes(text)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestInvalid: what is refused, and in which words.
func TestInvalid(t *testing.T) {
	for says, change := range map[string]func(*Options){
		`no test "all_reduced"`: func(o *Options) { o.Test = "all_reduced" },
		"must not be larger":    func(o *Options) { o.MaxBytes = 1 },
		"a factor of 1":         func(o *Options) { o.Factor = 1 },
		"do not get from":       func(o *Options) { o.StepBytes, o.MinBytes = 0, 8 },
		"0 ranks":               func(o *Options) { o.GPUs = 0 },
		"none can be negative":  func(o *Options) { o.Check = -1 },
		"-a is 0 to 3":          func(o *Options) { o.Average = 4 },
		`-d: "real"`:            func(o *Options) { o.Type = "real" },
		`-o: "xor"`:             func(o *Options) { o.Op = "xor" },
		`-r: root "first"`:      func(o *Options) { o.Root = "first" },
		"use -G or -z":          func(o *Options) { o.Graph, o.Blocking = 1, true },
	} {
		o := Defaults()
		change(&o)
		if err := o.Valid(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := Defaults().Valid(); err != nil {
		t.Error(err)
	}
}

// TestFactors: the bandwidth of the bus by nccl-tests' arithmetic.
func TestFactors(t *testing.T) {
	for name, want := range map[string]float64{"all_reduce": 1.5, "all_gather": .75, "reduce_scatter": .75, "alltoall": .75, "gather": .75, "scatter": .75, "broadcast": 1, "reduce": 1, "sendrecv": 1} {
		if got := all()[name].factor(4); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if len(all()) != 9 {
		t.Errorf("%d tests", len(all()))
	}
}

// TestCounts: parts are multiples of 16 bytes.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name        string
		bytes       int64
		size, ranks int
		count       int
		total       int64
	}{{"all_reduce", 33, 4, 3, 8, 32}, {"all_gather", 1024, 4, 3, 84, 1008}, {"alltoall", 8, 4, 2, 0, 0}, {"sendrecv", 9, 1, 5, 9, 9}} {
		got := all()[c.name].count(c.bytes, c.size, c.ranks)
		if total := all()[c.name].bytes(got, c.size, c.ranks); got != c.count || total != c.total {
			t.Errorf("%+v: %d elements, %d bytes", c, got, total)
		}
	}
}

// TestData: over any number of ranks all results but averages are elements of the type, and
// a wrong result is noticed.
func TestData(t *testing.T) {
	b := make([]byte, 8)
	for _, e := range elements() {
		for _, op := range opNames() {
			for n := 1; n <= 8; n++ {
				limit := e.limit(op, n)
				for i := range 50 {
					for r := range n {
						v := value(op, limit, r, i)
						if e.put(b, v); e.get(b) != v {
							t.Fatalf("%s %s: %v is no element", e.name, op, v)
						}
					}
					want := reduced(op, limit, n, i)
					if e.put(b, want); op != "avg" && e.get(b) != want {
						t.Fatalf("%s %s of %d ranks: %v is no element", e.name, op, n, want)
					}
					if !e.right(op, e.get(b), want) || e.right(op, want+2+2*e.step*want, want) {
						t.Fatalf("%s %s of %d ranks: %v is judged wrongly", e.name, op, n, want)
					}
				}
			}
		}
	}
}

// TestDataTellsRanksApart: no rank has what another has.
func TestDataTellsRanksApart(t *testing.T) {
	for _, e := range elements() {
		for r := 1; r < 8; r++ {
			same := true
			for i := range 64 {
				same = same && value("none", e.limit("none", 8), 0, i) == value("none", e.limit("none", 8), r, i)
			}
			if same && r*3%e.limit("none", 8) != 0 {
				t.Errorf("%s: ranks 0 and %d have the same", e.name, r)
			}
		}
	}
}

func TestFits(t *testing.T) {
	for want, c := range map[string]struct {
		v     float64
		width int
	}{"1.25": {1.25, 6}, "123456.5": {123456.5, 8}, "1234567": {1234567.4, 7}, "1.2e+09": {1.2e9, 6}, "0.00": {0, 6}} {
		if got := fits(c.v, c.width); got != want {
			t.Errorf("%v in %d: %q, want %q", c.v, c.width, got, want)
		}
	}
}

// TestReport is a whole report.
func TestReport(t *testing.T) {
	zero, two := int64(0), int64(2)
	rows := []Row{
		{Size: 1 << 20, Count: 1 << 18, Type: "float", Op: "sum", Root: -1, OutOfPlace: Side{12.345, 84.94, 84.94, &zero}, InPlace: &Side{11, 95.33, 95.33, &two}},
		{Size: 8, Count: 2, Type: "float", Op: "none", Root: 0, OutOfPlace: Side{10, math.NaN(), 0, nil}},
	}
	var b strings.Builder
	h := Header{Library: "host", Version: 22809, Ranks: []Place{{Rank: 0, Pid: 77, Host: "here", Device: "0", Bus: "none", Called: "host"}}}
	o := Defaults()
	if err := h.write(&b, o); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
	}
	rows[1].OutOfPlace.AlgBW = 0
	if err := summarise(rows).write(&b, o.Test); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# nThread 1 nGpus 1 minBytes 33554432 maxBytes 33554432 step: 1048576(bytes) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n",
		"#  Rank  0 Group  0 Pid     77 on here device 0 [none] host\n",
		"     1048576        262144     float     sum      -1     12.35   84.94   84.94      0     11.00   95.33   95.33      2\n",
		"           8             2     float    none       0     10.00     NaN    0.00    N/A         -       -       -      -\n",
		"# Out of bounds values : 2 FAILED\n",
		"# Avg bus bandwidth    : 60.09\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// TestSave: a report in files, of which none is overwritten, and nothing secret in them.
func TestSave(t *testing.T) {
	t.Setenv("GOSHMEM_TOKEN", "secret-token")
	t.Setenv("PASSWORD", "secret-word")
	t.Setenv("NCCL_DEBUG", "WARN")
	zero := int64(0)
	r := Report{Options: Defaults(), Header: Header{Library: "host", Version: 22809, Ranks: []Place{{Pid: 7}}},
		Rows:    []Row{{Size: 1024, Count: 256, Type: "float", Op: "sum", Root: -1, OutOfPlace: Side{Micros: 2, BusBW: 1, Wrong: &zero}}},
		Summary: Summary{Checked: true, Average: 1}}
	name := filepath.Join(t.TempDir(), "report.json")
	for _, want := range []string{name, name + ".0", name + ".1"} {
		got, err := r.SaveJSON(name)
		if err != nil || got != want {
			t.Fatalf("%s, %v; want %s", got, err, want)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(text), "secret") {
		t.Fatalf("%v: %s", err, text)
	}
	var back struct {
		Version string            `json:"version"`
		Env     map[string]string `json:"env"`
		NCCL    int               `json:"nccl_version"`
		Results []Row             `json:"results"`
		Out     struct {
			Okay bool `json:"okay"`
		} `json:"out_of_bounds"`
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.Version != "3" || back.NCCL != 22809 || len(back.Results) != 1 || back.Results[0].OutOfPlace.Micros != 2 || !back.Out.Okay || back.Env["NCCL_DEBUG"] != "WARN" {
		t.Errorf("read back: %+v", back)
	}
	if err := r.SaveCurves(filepath.Join(t.TempDir(), "report.svg")); err != nil {
		t.Error(err)
	}
	if _, err := r.SaveJSON("report.txt"); err == nil {
		t.Error("a report that is no JSON by its name")
	}
}
