package perf

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/perf/first"
	"github.com/goshmem/goshmem/launch/launcher"
)

// residentLimit is how much memory a PE that allocated nothing may have.
const residentLimit = 20 << 20

// resident are the rows of memory: of the largest of four PEs.
func (m *measurement) resident(ctx context.Context, p programs) ([]Row, error) {
	rows := []Row{{Name: "VmRSS"}, {Name: "VmHWM"}}
	spec := launcher.Spec{N: launched, Argv: append(slices.Clone(p.first), first.Memory)}
	for range m.Rounds {
		outputs, err := m.job(ctx, spec)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			bytes, err := largest(outputs, rows[i].Name)
			if err != nil {
				return nil, err
			}
			rows[i].Samples = append(rows[i].Samples, Sample{Ours: bytes, Theirs: residentLimit, N: 1})
		}
	}
	for i, name := range []string{"resident memory, nothing allocated", "its highest so far"} {
		rows[i].Name, rows[i].Note = name, rows[i].Name
		rows[i].Unit, rows[i].Peer, rows[i].Wanted = "bytes", "limit", 1
		rows[i].settle()
	}
	return rows, nil
}

// largest returns the largest value of a field among the status files of all PEs.
func largest(outputs []string, field string) (float64, error) {
	most := 0.0
	for pe, text := range outputs {
		bytes, err := statusBytes(text, field)
		if err != nil {
			return 0, fmt.Errorf("PE %d: %w", pe, err)
		}
		most = max(most, bytes)
	}
	return most, nil
}

// statusBytes reads a line like "VmRSS:	    8192 kB" of a status file.
func statusBytes(text, field string) (float64, error) {
	for line := range strings.Lines(text) {
		value, found := strings.CutPrefix(line, field+":")
		if !found {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 50)
		return float64(kib) * 1024, err
	}
	return 0, fmt.Errorf("the kernel's status of the process has no %s", field)
}
