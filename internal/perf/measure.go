package perf

import (
	"fmt"
	"runtime"
	"time"
)

// A side does an operation n times and says how long that took.
type side func(n int) (time.Duration, error)

// loop makes a side of a function that contains the loop, as a user's would.
func loop(f func(n int) error) side {
	return func(n int) (time.Duration, error) {
		start := time.Now()
		err := f(n)
		return time.Since(start), err
	}
}

// warmUp is how many operations go before n that are timed.
func warmUp(n int) int { return n/10 + 1 }

// warm lets a side run for a while before the run that counts.
func warm(s side) side {
	return func(n int) (time.Duration, error) {
		if _, err := s(warmUp(n)); err != nil {
			return 0, err
		}
		return s(n)
	}
}

// bench is a row before it is measured.
type bench struct {
	Case
	name   string
	ours   side
	rivals []rival // none: nothing to compare with
	wanted float64
	note   string
	allocs bool // they mean something: all of them are made by the operation
}

// rival is whom a bench is compared with.
type rival struct {
	name string
	side side
}

// against is the only rival of a bench.
func against(name string, s side) []rival { return []rival{{name, s}} }

// contest measures benches in turns: each round takes one sample of each, so that
// whatever happens to the machine for a while happens to all of them.
type contest struct {
	rounds int
	batch  time.Duration
	cores  []int
}

// entry is a bench with the lengths of its batches.
type entry struct {
	bench
	n   int   // operations per sample of ours
	m   []int // of the rivals
	row Row
}

func (c contest) run(benches []bench) ([]Row, error) {
	entries := make([]*entry, len(benches))
	for i, b := range benches {
		var err error
		if entries[i], err = c.prepare(b); err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
	}
	for round := range c.rounds {
		for _, e := range entries {
			s, err := c.sample(e, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.name, err)
			}
			e.row.Samples = append(e.row.Samples, s)
		}
	}
	rows := make([]Row, len(entries))
	for i, e := range entries {
		e.row.settle()
		rows[i] = e.row
	}
	return rows, nil
}

// prepare warms both sides up and finds batches that are long enough.
func (c contest) prepare(b bench) (*entry, error) {
	e := &entry{bench: b, row: Row{Case: b.Case, Name: b.name, Unit: "ns", Wanted: b.wanted, Note: b.note}}
	var err error
	if e.n, err = c.calibrate(b.ours); err != nil {
		return nil, err
	}
	for _, r := range b.rivals {
		m, err := c.calibrate(r.side)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		e.m = append(e.m, m)
		e.row.rival(r.name, len(b.rivals))
	}
	if b.allocs {
		e.row.Allocs, err = allocations(b.ours, max(e.n, minAllocs))
	}
	return e, err
}

// calibrate doubles n until n operations take at least as long as a batch, twice:
// once may be because somebody else had the core.
func (c contest) calibrate(s side) (int, error) {
	for n, long := 1, 0; ; {
		d, err := s(n)
		switch {
		case err != nil:
			return n, err
		case d < c.batch:
			n, long = 2*n, 0
		case long > 0:
			return n, nil
		default:
			long++
		}
	}
}

// minAllocs is over how many operations allocations are counted at least: what
// the Go runtime allocates for itself meanwhile must not show.
const minAllocs = 1000

// allocations returns the allocations of one operation, rounded down as package
// testing does.
func allocations(s side, n int) (*int64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s(n)
	runtime.ReadMemStats(&after)
	per := int64(after.Mallocs-before.Mallocs) / int64(n)
	return &per, err
}

// maxTries is how often a sample is taken again because the cores moved.
const maxTries = 4

// sample lets all sides have their turn, in another order every round.
func (c contest) sample(e *entry, round int) (Sample, error) {
	for try := 1; ; try++ {
		s := Sample{N: e.n, Before: probe(c.cores)}
		theirs := make([]float64, len(e.rivals))
		for i := range len(e.rivals) + 1 {
			turn := (i + round) % (len(e.rivals) + 1)
			side, n, to := e.ours, e.n, &s.Ours
			if turn > 0 {
				side, n, to = e.rivals[turn-1].side, e.m[turn-1], &theirs[turn-1]
			}
			var err error
			if *to, err = per(side, n); err != nil {
				return s, err
			}
		}
		s.oppose(theirs)
		s.After = probe(c.cores)
		s.State = stateOf(s.Before, s.After)
		if s.State != Moved || try == maxTries {
			return s, nil
		}
	}
}

// per returns the nanoseconds of one operation.
func per(s side, n int) (float64, error) {
	d, err := s(n)
	return float64(d) / float64(n), err
}
