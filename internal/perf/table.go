package perf

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable prints the record for people.
func (r Record) WriteTable(out io.Writer) error {
	var b strings.Builder
	r.Machine.head(&b)
	fmt.Fprintf(&b, "%s: %d rounds, batches of %s or more\n\n", r.Name, r.Rounds, r.Batch)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tours\tmin to max\tpeer\t\tratio\twanted\tmet\tallocs\tcores\tnote")
	for _, row := range r.Rows {
		fmt.Fprintln(w, strings.Join(row.cells(), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range r.Pairs {
		p.write(&b)
	}
	fmt.Fprintln(&b)
	for _, g := range r.Goals {
		fmt.Fprintln(&b, g)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// head describes the machine.
func (m Machine) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s/%s, %d x %s, kernel %s, %s", m.OS, m.Arch, m.Cores, m.CPU, m.Kernel, m.Go)
	if m.Commit != "" {
		fmt.Fprintf(b, ", commit %s", m.Commit)
	}
	fmt.Fprintf(b, "\nload %s before, %s after\n", m.LoadBefore, m.LoadAfter)
}

// cells are the columns of a row.
func (r Row) cells() []string {
	cells := []string{r.Name, r.Show(r.Ours.Median), r.Show(r.Ours.Min) + " to " + r.Show(r.Ours.Max), r.Peer, "", "", "", "", "", r.State, r.Note}
	if r.Ratio > 0 {
		cells[4], cells[5] = r.Show(r.Theirs.Median), fmt.Sprintf("%.2f", r.Ratio)
	}
	if r.Wanted > 0 {
		cells[6], cells[7] = fmt.Sprintf("<= %.2f", r.Wanted), r.Verdict()
	}
	if r.Allocs != nil {
		cells[8] = fmt.Sprint(*r.Allocs)
	}
	return cells
}

// Verdict says whether the wanted ratio was met: yes, no or unknown.
func (r Row) Verdict() string {
	switch {
	case r.Met == nil:
		return "unknown"
	case *r.Met:
		return "yes"
	}
	return "no"
}

// Show writes a quantity of the row's unit as people do.
func (r Row) Show(v float64) string {
	switch {
	case r.Unit == "bytes":
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	case v >= 1e6:
		return fmt.Sprintf("%.1f ms", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.1f us", v/1e3)
	}
	return fmt.Sprintf("%.1f ns", v)
}
