package perf

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/goshmem/goshmem/internal/chart"
)

// Pairs is how fast each PE puts to, or gets from, each.
type Pairs struct {
	Name  string      `json:"name"` // "put, kernel"
	Bytes int         `json:"bytes"`
	GBps  [][]float64 `json:"gb_per_s"` // by the PE that copies, then by whose memory it is
}

// pairOf is what tells the row of a pair.
func pairOf(from, to int) string { return fmt.Sprintf("pair %d %d", from, to) }

// pairUp makes the rows of pairs maps, and returns the other rows.
func pairUp(rows []Row, n int) (maps []Pairs, rest []Row) {
	for _, op := range []string{OpPut, OpGet} {
		kernel, plain := newPairs(op+", kernel", n), newPairs(op+", copy", n)
		found := false
		for _, r := range rows {
			var from, to int
			if _, err := fmt.Sscanf(r.Buffers, "pair %d %d", &from, &to); err != nil || r.Op != op {
				continue
			}
			found = true
			kernel.Bytes, plain.Bytes = r.Size, r.Size
			kernel.GBps[from][to], plain.GBps[from][to] = float64(r.Size)/r.Ours.Median, float64(r.Size)/r.Theirs.Median
		}
		if found {
			maps = append(maps, kernel, plain)
		}
	}
	for _, r := range rows {
		if !strings.HasPrefix(r.Buffers, "pair ") {
			rest = append(rest, r)
		}
	}
	return maps, rest
}

func newPairs(name string, n int) Pairs {
	p := Pairs{Name: name, GBps: make([][]float64, n)}
	for i := range p.GBps {
		p.GBps[i] = make([]float64, n)
	}
	return p
}

// write prints the map for people.
func (p Pairs) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s of %s, GB/s: rows are the PEs that copy, columns those whose memory it is\n", p.Name, bytesOf(p.Bytes))
	w := tabwriter.NewWriter(b, 6, 0, 2, ' ', tabwriter.AlignRight)
	for to := range p.GBps {
		fmt.Fprintf(w, "\t%d", to)
	}
	fmt.Fprintln(w, "\t")
	for from, values := range p.GBps {
		fmt.Fprint(w, from)
		for _, v := range values {
			fmt.Fprintf(w, "\t%.1f", v)
		}
		fmt.Fprintln(w, "\t")
	}
	w.Flush() //nolint:errcheck // a Builder takes everything
}

// SaveMaps draws the maps of a record: file is the name of the pictures, .png or .svg, to
// which each map's is added. Blocking.
func (r Record) SaveMaps(file string) error {
	kind := filepath.Ext(file)
	for _, p := range r.Pairs {
		name := strings.TrimSuffix(file, kind) + "-" + strings.ReplaceAll(p.Name, ", ", "-") + kind
		c := chart.Pairs{Title: fmt.Sprintf("%s of %s, GB/s", p.Name, bytesOf(p.Bytes)), Rows: "PE that copies", Columns: "PE whose memory it is", Values: p.GBps}
		if err := c.Save(name); err != nil {
			return err
		}
	}
	return nil
}
