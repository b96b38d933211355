package perf

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Summary
	}{
		{nil, Summary{}},
		{[]float64{3}, Summary{3, 3, 3}},
		{[]float64{9, 1, 5}, Summary{5, 1, 9}},
		{[]float64{4, 1, 2, 9}, Summary{3, 1, 9}},
	} {
		if got := summarize(c.values); got != c.want {
			t.Errorf("summarize(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

// The ratio is that of neighbours: here the machine changed its state between
// the rounds, so that the medians of the two sides do not belong together.
func TestSettle(t *testing.T) {
	row := Row{Wanted: 1.3, Samples: []Sample{
		{Ours: 100, Theirs: 100, State: Near},
		{Ours: 300, Theirs: 500, State: Far},
		{Ours: 120, Theirs: 100, State: Near},
		{Ours: 360, Theirs: 500, State: Far},
		{Ours: 600, Theirs: 500, State: Far},
	}}
	row.settle()
	if row.Ours.Median != 300 || row.Theirs.Median != 500 || row.Ratio != 1.0 {
		t.Errorf("median %v, peer's median %v, ratio %v; want 300, 500, 1", row.Ours.Median, row.Theirs.Median, row.Ratio)
	}
	if row.State != Mixed || row.Met == nil || !*row.Met {
		t.Errorf("state %q, met %v; want %q and met", row.State, row.Met, Mixed)
	}
}

// Samples that say more about others than about us count only if there are not
// enough of the rest.
func TestSettleLeavesOut(t *testing.T) {
	row := Row{}
	for i := range 6 {
		row.Samples = append(row.Samples, Sample{Ours: 1, Theirs: 2, State: Near}, Sample{Ours: 8, Theirs: 2, State: []string{Busy, Moved}[i%2]})
	}
	row.settle()
	if row.LeftOut != 0 || row.State != Mixed || row.Ours.Max != 8 {
		t.Errorf("six steady samples: %+v", row)
	}
	row.Samples = append(row.Samples, Sample{Ours: 1, Theirs: 2, State: Near})
	row.settle()
	if row.LeftOut != 6 || row.State != Near || row.Ours.Max != 1 || row.Ratio != 0.5 {
		t.Errorf("seven steady samples: %+v", row)
	}
}

func TestSettleWithoutAPeer(t *testing.T) {
	row := Row{Wanted: 1.3, Samples: []Sample{{Ours: 7, State: Near}}}
	row.settle()
	if row.Ratio != 0 || row.Met != nil || row.State != Near {
		t.Errorf("ratio %v, met %v, state %q; want no ratio and no verdict", row.Ratio, row.Met, row.State)
	}
}

func TestByState(t *testing.T) {
	row := Row{Name: "x", Case: Case{Op: OpP}, Wanted: 1, Samples: []Sample{
		{Ours: 300, Theirs: 200, State: Far},
		{Ours: 50, Theirs: 100, State: Near},
		{Ours: 320, Theirs: 200, State: Far},
	}}
	row.settle()
	parts := row.ByState()
	if len(parts) != 2 || parts[0].State != Near || parts[0].Ratio != 0.5 || parts[1].OursNS != 310 || parts[1].TheirsNS != 200 || *parts[1].Met {
		t.Errorf("parts %+v", parts)
	}
	if row.State != Mixed || len(row.Samples) != 3 {
		t.Errorf("the row itself is now %+v", row)
	}
}

func TestMissed(t *testing.T) {
	yes, no := true, false
	r := Record{Rows: []Row{
		{Name: "met", Wanted: 1, Met: &yes},
		{Name: "missed", Wanted: 1, Met: &no},
		{Name: "not measured", Wanted: 1},
		{Name: "no limit"},
	}}
	if got := r.Missed(); !slices.Equal(got, []string{"missed", "not measured"}) {
		t.Errorf("missed: %q", got)
	}
}

func TestStateOf(t *testing.T) {
	for ns, want := range map[float64]string{0: "", 55: Near, 110: Near, 250: Far, 2000: Busy} {
		if got := StateOf(ns); got != want {
			t.Errorf("StateOf(%v) = %q, want %q", ns, got, want)
		}
	}
	if got := stateOf(60, 260); got != Moved {
		t.Errorf("near before and far after is %q, want %q", got, Moved)
	}
}

func TestWriteTable(t *testing.T) {
	met, allocs := false, int64(2)
	r := Record{Name: "shmem", Rounds: 7, Batch: "2ms", Notes: []string{"a note"}, Rows: []Row{
		{Name: "P", Unit: "ns", Ours: Summary{2, 1.5, 4}, Peer: "Go atomic add", Theirs: Summary{Median: 1}, Ratio: 2, Wanted: 1, Met: &met, Allocs: &allocs, State: Near},
		{Name: "launch", Unit: "ns", Ours: Summary{7.25e6, 7e6, 8e6}, Wanted: 2},
		{Name: "memory", Unit: "bytes", Ours: Summary{5 << 20, 5 << 20, 5 << 20}, Note: "VmRSS"},
	}}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"P ", "2.0 ns", "1.5 ns to 4.0 ns", "Go atomic add", "2.00", "<= 1.00", " no ", " 2 ", Near, "7.2 ms", "unknown", "5.0 MiB", "VmRSS", "a note"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

func TestStatusBytes(t *testing.T) {
	const text = "Name:\tfirst\nVmHWM:\t    8192 kB\nVmRSS:\t    4096 kB\n"
	got, err := largest([]string{text, strings.ReplaceAll(text, "4096", "6144")}, "VmRSS")
	if err != nil || got != 6144*1024 {
		t.Errorf("largest VmRSS is %v, %v; want %d", got, err, 6144*1024)
	}
	if _, err := statusBytes(text, "VmSwap"); err == nil || !strings.Contains(err.Error(), "VmSwap") {
		t.Errorf("a field that is not there: %v", err)
	}
}

func TestExpectFindsALoopThatDoesNothing(t *testing.T) {
	if err := expect("the sum", 0, 100, nil); err == nil {
		t.Error("a sum of 0 after 100 additions is no error")
	}
	x := int64(math.MaxInt32)
	if err := addLoop(&x, 100); err != nil || x != math.MaxInt32+100 {
		t.Errorf("addLoop: %v, sum %d", err, x)
	}
}
