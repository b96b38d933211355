package perf

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// GPUOptions say how to measure devices. The zero value of what is not in Options is right.
type GPUOptions struct {
	Options
	Platform string // cuda, hip, host; "": that of the best device
	Peer     *Peer  // a program that does the same on the same devices; nil: there is none
	Missing  string // why there is none
	Only     string // rows whose name contains it
	Largest  int    // bytes of the largest copy; 0: 256 MiB, on platform host 16 MiB
}

// What is wanted of ratios to a program in C.
const (
	copyWanted    = 1.03
	enqueueWanted = 1.1
)

// The largest copies. On platform host all memory is that of the machine.
const (
	gpuLargest  = 256 << 20
	hostLargest = 16 << 20
)

// GPU measures package gpu on the first device of a platform, and between the first two if
// there are two. The peer gets the same orders, in turns with us.
func GPU(ctx context.Context, o GPUOptions) (Record, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as in work
	var said string
	var found []string
	r, err := record(ctx, "gpu", o.Options, nil, func(m *measurement, ctx context.Context, dir string) (rows []Row, err error) {
		g, err := newBoard(ctx, o.Platform, o.Largest)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, g.close()) }()
		found = g.about
		rows, said, err = g.rows(m, o, dir)
		return rows, err
	})
	r.Peer, r.Notes = said, append(found, gpuNotes()...)
	if o.Missing != "" {
		r.Notes = append(r.Notes, "there are no ratios: "+o.Missing)
	}
	return r, err
}

// rows measures everything, with a peer if there is one. Both sides keep their devices open.
func (g *board) rows(m *measurement, o GPUOptions, dir string) (rows []Row, said string, err error) {
	var theirs *remote
	if o.Peer != nil {
		c := comparison{measurement: *m}
		if theirs, err = c.hire(g.ctx, *o.Peer, dir, len(g.devices)); err != nil {
			return nil, "", err
		}
		defer func() { err = errors.Join(err, theirs.dismiss(true)) }()
		said = o.Peer.describe(theirs.said)
	}
	var benches []bench
	for _, s := range g.cases(o.Only) {
		b := bench{Case: s.Case, name: s.name, wanted: s.wanted, ours: warm(s.side), allocs: s.order.Every > 1}
		if theirs != nil {
			b.rivals = against(o.Peer.Name, theirs.side(s.order))
		}
		benches = append(benches, b)
	}
	rows, err = contest{rounds: m.Rounds, batch: m.Batch}.run(benches)
	for i := range rows {
		rows[i].Note = rows[i].speed()
	}
	return rows, said, err
}

// speed is how fast a row copies, "" if it does not.
func (r Row) speed() string {
	if r.Size == 0 || r.Ours.Median == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GB/s", float64(r.Size)/r.Ours.Median)
}

// gpuNotes are what a reader of the figures must know.
func gpuNotes() []string {
	return []string{
		"launch: what the host needs for the launch of an empty kernel, in batches of 1,000 with an idle device before each; the waits are not in it",
		"copies between pinned and device memory: many of them in one stream, between two events of the device",
		"CopyFrom and CopyTo: one after the other, from and to Go memory (in C: malloc), by the clock of the host",
		"write and wait: two streams store a word for each other, and wait for the other's; a round has two of both",
		"ratio is ours by theirs, the median of the ratios of the samples; both sides of a sample ran next to each other, and in another order every round",
	}
}
