package perf

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// ProviderOptions say how to measure providers. The zero value of what is not in Options is
// right under a launcher.
type ProviderOptions struct {
	Options
	PEs     int    // goroutines of this process; 0: this process is one PE of a launched job
	Largest int    // bytes of the largest copy; 0: 256 MiB, on platform host 4 MiB
	Only    string // rows whose name contains it
}

// hostBulk is the largest copy on platform host.
const hostBulk = 4 << 20

// Provider measures what kernels do with the memory of peers: copies between all pairs of
// PEs and of growing size, each beside a copy of the device's, what translation costs, and
// all-reduces beside package nccl. The record is PE 0's; those of the others have no rows.
func Provider(ctx context.Context, o ProviderOptions) (Record, error) {
	if o.PEs < 0 || o.Largest < 0 {
		return Record{}, fmt.Errorf("%d PEs, copies of %d bytes: numbers are not negative", o.PEs, o.Largest)
	}
	if o.Largest == 0 {
		best, err := gpu.Best()
		if err != nil {
			return Record{}, err
		}
		if o.Largest = hostBulk; best.Platform() != "host" {
			o.Largest = gpuLargest
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as in work
	var extra Record
	r, err := record(ctx, "provider", o.Options, nil, func(m *measurement, ctx context.Context, _ string) (rows []Row, err error) {
		err = o.world(ctx, func(ctx context.Context, w *shmem.World) error {
			if o.PEs == 0 {
				extra.Rank = w.MyPE()
			}
			p, err := newPeers(ctx, w, o.Largest)
			if err != nil {
				return err
			}
			return p.part(func() (err error) {
				if rows, err = (contest{rounds: m.Rounds, batch: m.Batch}).run(p.cases(o.Largest, o.Only)); err == nil {
					extra = p.outcome(rows)
				}
				return err
			})
		})
		return extra.Rows, err
	})
	r.Pairs, r.Goals, r.Notes, r.Rank = extra.Pairs, extra.Goals, extra.Notes, extra.Rank
	return r, err
}

// world runs f as the PEs of this process.
func (o ProviderOptions) world(ctx context.Context, f func(context.Context, *shmem.World) error) error {
	options := shmem.Options{HeapSize: o.Largest + room}
	if o.PEs > 0 {
		return shmem.RunLocal(ctx, o.PEs, options, f)
	}
	w, err := shmem.Init(ctx, options)
	if err != nil {
		return err
	}
	if err := f(ctx, w); err != nil {
		return err // the others hear of it when this process ends
	}
	return w.Finalize(ctx)
}

// outcome is what PE 0 has found.
func (m *peers) outcome(rows []Row) (r Record) {
	r.Pairs, r.Rows = pairUp(rows, m.w.NPEs())
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Note = row.speed(); row.Op == OpAllReduce {
			row.Note = ""
		}
		if m.d.Platform() != "host" && strings.HasSuffix(row.Name, "MapOf") {
			r.Goals = append(r.Goals, goal(row.Name+", us", row.Ours.Median/1e3, tableWanted))
		}
	}
	r.Notes = []string{
		fmt.Sprintf("%d PEs, engine %s, %v", m.w.NPEs(), m.w.Info().Engine, m.d),
		"one pair of PEs copies at a time; the time is that of the PE that copies, until its stream is done",
		"ours is a kernel that goes through a table; theirs a copy that the device makes, a kernel with the peer's own pointer, or the library's all-reduce",
	}
	switch {
	case m.lib == nil:
		r.Notes = append(r.Notes, "no library's all-reduce: "+m.missing)
	case !m.lib.registered:
		r.Notes = append(r.Notes, "no registered window: "+m.lib.missing)
		fallthrough
	default:
		r.Notes = append(r.Notes, fmt.Sprintf("library: %v; NCCL_NVLS_ENABLE=%q", m.lib.comm.Library(), os.Getenv("NCCL_NVLS_ENABLE")))
	}
	return r
}
