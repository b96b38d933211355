package perf

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// counter is a side whose operations take an exact time.
type counter struct {
	each time.Duration
	runs []int
	log  *[]string
	name string
}

func (c *counter) run(n int) (time.Duration, error) {
	c.runs = append(c.runs, n)
	*c.log = append(*c.log, c.name)
	return time.Duration(n) * c.each, nil
}

func TestContest(t *testing.T) {
	var log []string
	ours, theirs := &counter{each: 30, log: &log, name: "ours"}, &counter{each: 20, log: &log, name: "theirs"}
	rows, err := contest{rounds: 4, batch: 1000}.run([]bench{{name: "x", ours: ours.run, rivals: against("y", theirs.run), wanted: 1}})
	if err != nil {
		t.Fatal(err)
	}
	row := rows[0]
	if len(row.Samples) != 4 || row.Ours.Median != 30 || row.Theirs.Median != 20 || row.Ratio != 1.5 || *row.Met {
		t.Errorf("row %+v", row)
	}
	if last := ours.runs[len(ours.runs)-1]; last != 64 || row.Samples[0].N != 64 { // the first power of two that takes 1000
		t.Errorf("a sample has %d operations, the record says %d; want 64", last, row.Samples[0].N)
	}
	if turns := log[len(log)-8:]; !slices.Equal(turns[:4], []string{"ours", "theirs", "theirs", "ours"}) {
		t.Errorf("turns %v: the order must change every round", turns)
	}
}

// A run that is long because somebody else had the core does not settle the length
// of batches.
func TestCalibrateTwice(t *testing.T) {
	runs := 0
	n, err := contest{batch: 1000}.calibrate(func(n int) (time.Duration, error) {
		if runs++; runs == 2 {
			return time.Second, nil
		}
		return time.Duration(100 * n), nil
	})
	if n != 16 || err != nil {
		t.Errorf("batches of %d, %v; want 16", n, err)
	}
}

func TestContestReportsFailure(t *testing.T) {
	broken := errors.New("broken")
	fails := func(int) (time.Duration, error) { return 0, broken }
	_, err := contest{rounds: 1}.run([]bench{{name: "x", ours: fails}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestAllocations(t *testing.T) {
	var kept []*[64]byte
	got, err := allocations(loop(func(n int) error {
		for range n {
			kept = append(kept[:0], new([64]byte), new([64]byte))
		}
		return nil
	}), minAllocs)
	if err != nil || *got != 2 {
		t.Errorf("%v allocations, %v; want 2", *got, err)
	}
}
