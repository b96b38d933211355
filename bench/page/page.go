// Package page writes records of measurements as pages of docs/results.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/goshmem/goshmem/internal/chart"
	"github.com/goshmem/goshmem/internal/perf"
)

//go:embed *.md.tmpl
var templates embed.FS

// content is what the page is made of.
type content struct {
	perf.Record
	Command     string
	Met, Missed []perf.Row
	Unwanted    []perf.Row // no ratio is wanted of them
}

// Of is the page of a record. It says that command took the figures.
func Of(r perf.Record, command string) []byte {
	c := content{Record: r, Command: command}
	for _, row := range r.Rows {
		switch {
		case row.Wanted == 0:
			c.Unwanted = append(c.Unwanted, row)
		case row.Verdict() == "yes":
			c.Met = append(c.Met, row)
		default:
			c.Missed = append(c.Missed, row)
		}
	}
	var b bytes.Buffer
	name := "page.md.tmpl"
	if slices.Contains([]string{"collectives", "gpu", "modes", "nccl", "provider", "ucx"}, r.Name) {
		name = r.Name + ".md.tmpl"
	}
	t := template.New(name).Funcs(template.FuncMap{"line": line, "noted": noted, "mixed": mixed, "parts": parts, "disturbed": disturbed, "beside": beside, "matrix": matrix, "mib": func(n int) string { return chart.Bytes(int64(n)) }})
	template.Must(t.ParseFS(templates, name))
	template.Must(t, t.Execute(&b, c)) // a page that does not fit its record is a mistake in the page
	return b.Bytes()
}

// disturbed says whether other programs wanted the cores: before anything was
// measured, more than one did on average.
func disturbed(m perf.Machine) bool {
	minute, _, _ := strings.Cut(m.LoadBefore, " ")
	load, err := strconv.ParseFloat(minute, 64)
	return err == nil && load > 1
}

// Save writes a record to name.json and its page to name.md. Blocking.
func Save(r perf.Record, name, command string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = errors.Join(os.WriteFile(name+".json", append(text, '\n'), 0o666), os.WriteFile(name+".md", Of(r, command), 0o666))
	}
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// noted is a row of a table of devices, whose rows may have no peer.
func noted(r perf.Row) string {
	cells := []string{r.Name, r.Show(r.Ours.Median), r.Show(r.Ours.Min) + " to " + r.Show(r.Ours.Max), "", "", "", "", r.Note}
	if r.Ratio > 0 {
		cells[3], cells[4] = r.Show(r.Theirs.Median), fmt.Sprintf("%.3f", r.Ratio)
	}
	if r.Wanted > 0 {
		cells[5], cells[6] = fmt.Sprintf("<= %.2f", r.Wanted), r.Verdict()
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// beside is a row of a table in which every row has a peer of its own, or none.
func beside(r perf.Row) string {
	cells := strings.Split(noted(r), " | ")
	return strings.Join(slices.Insert(cells, 3, r.Peer), " | ")
}

// matrix is a table of pairs.
func matrix(p perf.Pairs) string {
	head, under := "| |", "|---|"
	var rows strings.Builder
	for i, values := range p.GBps {
		head, under = head+fmt.Sprintf(" %d |", i), under+"---|"
		fmt.Fprintf(&rows, "\n| %d |", i)
		for _, v := range values {
			fmt.Fprintf(&rows, " %.1f |", v)
		}
	}
	return head + "\n" + under + rows.String()
}

// line is a row of a table.
func line(r perf.Row) string {
	wanted, met := "", ""
	if r.Wanted > 0 {
		wanted, met = fmt.Sprintf("<= %.2f", r.Wanted), r.Verdict()
	}
	cells := []string{r.Name, r.Show(r.Ours.Median), r.Show(r.Theirs.Median), fmt.Sprintf("%.2f", r.Ratio), wanted, met, r.State}
	return "| " + strings.Join(cells, " | ") + " |"
}

// mixed are the rows in which PEs wait for each other and that were seen in several
// states, once for each. Other rows hardly depend on how far apart the cores are.
func mixed(rows []perf.Row) []perf.Row {
	var list []perf.Row
	for _, row := range rows {
		meets := slices.Contains([]string{perf.OpSeen, perf.OpPingPong, perf.OpBarrier, perf.OpSync}, row.Op)
		if !meets || row.State != perf.Mixed {
			continue
		}
		for _, part := range row.ByState() {
			part.Name = fmt.Sprintf("%s (%d of %d samples)", part.Name, len(part.Samples), len(row.Samples))
			list = append(list, part)
		}
	}
	return list
}
