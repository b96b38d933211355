package main

import (
	"strings"
	"testing"
)

// TestPage: a page has the median and the ends of every program's rates.
func TestPage(t *testing.T) {
	results := make([]result, len(programs()))
	for i := range results {
		results[i] = result{rates: []float64{3, 1, 2}, unit: "units"}
	}
	text := page(results, 2, "0.00 0.01 0.02")
	for _, p := range programs() {
		if row := "| " + p.name + " | `" + strings.Join(p.args, " ") + "` | 2 units | 1 to 3 | " + p.note + " |\n"; !strings.Contains(text, row) {
			t.Errorf("there is no %q in\n%s", row, text)
		}
	}
}

// TestRate: what the programs print is understood.
func TestRate(t *testing.T) {
	for line, want := range map[string]string{
		"[vm 0] 2000 x 2000 on 2 x 1 PEs: norm 42, as it must be; 2787 MFlop/s": "2787",
		"[vm 0] 1048576 keys on 2 PEs: sorted, none lost; 32.7 Mkeys/s":         "32.7",
		"[vm 0] 8388608 updates on 2 PEs: 0.0039 GUP/s":                         "0.0039",
	} {
		if found := rate.FindStringSubmatch(line); found == nil || found[1] != want {
			t.Errorf("%s: %v", line, found)
		}
	}
}
