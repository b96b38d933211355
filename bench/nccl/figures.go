package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// row is what a figure is of. PyTorch has one mode.
type row struct {
	Op      string `json:"op"`
	Bytes   int64  `json:"bytes"`
	Measure string `json:"measure"`
	Mode    string `json:"mode"`
}

// line is what a contender writes: a figure, or what it is.
type line struct {
	row
	Micros float64 `json:"us"`

	Program string `json:"program"`
	Version int    `json:"version"` // of NCCL, as ncclGetVersion codes it; 0 where the host library works
	Ranks   int    `json:"ranks"`
}

// figures are what all contenders have written.
type figures struct {
	Begun          time.Time
	Visits, Wanted int
	Ranks          int
	Versions       map[string]int // of NCCL, by contender
	Failed         []string       // contenders that were left out, and why
	Rows           []row          // in the order in which they came
	Samples        map[string]map[row][]float64
}

// add keeps the figures of a contender: all of them or none. Libraries may write other lines.
func (f *figures) add(who string, out []byte) error {
	var lines []line
	for text := range bytes.Lines(out) {
		var l line
		if !bytes.HasPrefix(text, []byte("{")) {
			continue
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("it writes %q: %w", text, err)
		}
		if l.Program == "" && (l.Op == "" || l.Micros <= 0) {
			return fmt.Errorf("it writes %q, which is no figure", text)
		}
		lines = append(lines, l)
	}
	if len(lines) < 2 {
		return fmt.Errorf("it writes no figures: %q", out)
	}
	for _, l := range lines {
		f.keep(who, l)
	}
	return nil
}

func (f *figures) keep(who string, l line) {
	if f.Samples == nil {
		f.Samples, f.Versions = map[string]map[row][]float64{}, map[string]int{}
	}
	if l.Program != "" {
		f.Versions[who], f.Ranks = l.Version, l.Ranks
		return
	}
	if f.Samples[who] == nil {
		f.Samples[who] = map[row][]float64{}
	}
	f.Samples[who][l.row] = append(f.Samples[who][l.row], l.Micros)
	if !slices.Contains(f.Rows, l.row) {
		f.Rows = append(f.Rows, l.row)
	}
}

// ordered are the rows by collective, size, measure, and kind of communicator.
func (f *figures) ordered() []row {
	var ops []string
	for _, o := range collectives() {
		ops = append(ops, o.name)
	}
	return slices.SortedStableFunc(slices.Values(f.Rows), func(a, b row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(ops, a.Op), slices.Index(ops, b.Op)), cmp.Compare(a.Bytes, b.Bytes),
			cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.Mode, b.Mode))
	})
}

// micros is the median of a contender, 0 for none.
func (f *figures) micros(who string, r row) float64 {
	list := slices.Sorted(slices.Values(f.Samples[who][r]))
	if len(list) == 0 {
		return 0
	}
	return list[len(list)/2]
}

// record is a row in the file.
type record struct {
	row
	Samples map[string][]float64 `json:"samples"`
}

// save writes all samples to a file.
func (f *figures) save(name string) error {
	doc := struct {
		Begun    time.Time      `json:"begun"`
		Visits   int            `json:"visits"`
		Ranks    int            `json:"ranks"`
		Versions map[string]int `json:"nccl_versions"`
		Failed   []string       `json:"failed,omitempty"`
		Rows     []record       `json:"rows"`
	}{f.Begun, f.Visits, f.Ranks, f.Versions, f.Failed, nil}
	for _, r := range f.ordered() {
		one := record{r, map[string][]float64{}}
		for who, rows := range f.Samples {
			if list := rows[r]; len(list) > 0 {
				one.Samples[who] = list
			}
		}
		doc.Rows = append(doc.Rows, one)
	}
	text, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}
