package perf

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// The peer of a row is the fastest of its peers; the ratio to it is that of neighbours.
func TestSettleChoosesAPeer(t *testing.T) {
	row := Row{Wanted: 1, Peers: []Rival{{Name: "slow"}, {Name: "fast"}}, Samples: []Sample{
		{Ours: 10, Peers: []float64{30, 20}, State: Near},
		{Ours: 40, Peers: []float64{70, 60}, State: Far},
		{Ours: 12, Peers: []float64{18, 20}, State: Near},
	}}
	row.settle()
	want := []Rival{{"slow", Summary{30, 18, 70}, 40. / 70}, {"fast", Summary{20, 20, 60}, 0.6}}
	if row.Peer != "fast" || row.Theirs.Median != 20 || row.Ratio != 0.6 || row.Samples[1].Theirs != 60 || !reflect.DeepEqual(row.Peers, want) {
		t.Errorf("row %+v, want peers %+v", row, want)
	}
	parts := row.ByState()
	if len(parts) != 2 || parts[1].Theirs.Median != 60 || row.Peers[0].Summary.Median != 30 {
		t.Errorf("by state: %+v; the row itself %+v", parts, row)
	}
}

func TestContestOfSeveral(t *testing.T) {
	var log []string
	a, b, c := &counter{each: 30, log: &log, name: "a"}, &counter{each: 20, log: &log, name: "b"}, &counter{each: 10, log: &log, name: "c"}
	rows, err := contest{rounds: 3, batch: 100}.run([]bench{{name: "x", ours: a.run, rivals: []rival{{"b", b.run}, {"c", c.run}}}})
	if err != nil {
		t.Fatal(err)
	}
	if turns := strings.Join(log[len(log)-9:], ""); turns != "abcbcacab" {
		t.Errorf("turns %s: the order must change every round", turns)
	}
	if r := rows[0]; r.Peer != "c" || r.Ratio != 3 || r.Peers[0].Ratio != 1.5 {
		t.Errorf("row %+v", r)
	}
}

func TestCollectiveGoals(t *testing.T) {
	row := func(op string, size, pes int, buffers string, ratio float64) Row {
		return Row{Case: Case{Op: op, Size: size, PEs: pes, Buffers: buffers}, Name: op, Ratio: ratio, Peers: []Rival{{Name: OSHMEM, Ratio: 5}, {Name: OpenMPI, Ratio: 0.3}, {Name: MPICH, Ratio: 0.25}}}
	}
	goals := collectiveGoals([]Row{
		row(OpBroadcast, 8, 2, Heap, 0.5),
		row(OpAllReduce, MostBytes, 2, Heap, 2),
		row(OpAllReduce, MostBytes, 2, Private, 0.25),
		row(OpAllReduce, MostBytes, 4, Heap, 0.7),
	})
	want := []Goal{
		{"2 PEs, heap: geometric mean of 2 ratios", 1, meanWanted, false},
		{"2 PEs, heap: part of the rows above 1", 0.5, aboveWanted, false},
		{"2 PEs, heap: largest ratio", 2, worstWanted, false},
		{"2 PEs, private: geometric mean of 1 ratios", 0.25, meanWanted, true},
		{"2 PEs, private: part of the rows above 1", 0, aboveWanted, true},
		{"2 PEs, private: largest ratio", 0.25, worstWanted, true},
		{"4 PEs, heap: geometric mean of 1 ratios", 0.7, meanWanted, true},
		{"4 PEs, heap: part of the rows above 1", 0, aboveWanted, true},
		{"4 PEs, heap: largest ratio", 0.7, worstWanted, true},
		{"allreduce, to the fastest MPI", 0.3, largeWanted, true},
	}
	if len(goals) != len(want) {
		t.Fatalf("goals %+v", goals)
	}
	for i, g := range goals {
		if g.What != want[i].What || math.Abs(g.Value-want[i].Value) > 1e-9 || g.Wanted != want[i].Wanted || g.Met != want[i].Met {
			t.Errorf("goal %+v, want %+v", g, want[i])
		}
	}
	if text := goals[1].String(); text != "2 PEs, heap: part of the rows above 1: 0.50, wanted <= 0.10: missed" {
		t.Errorf("goal %q", text)
	}
	if text := goals[5].String(); !strings.HasSuffix(text, ": met") {
		t.Errorf("goal %q", text)
	}
}
