package perf

import (
	"fmt"
	"math"
)

// Goal is something that is wanted of several rows together. It is recorded, no test
// looks at it.
type Goal struct {
	What   string  `json:"what"`
	Value  float64 `json:"value"`
	Wanted float64 `json:"wanted"` // at most
	Met    bool    `json:"met"`
}

func goal(what string, value, wanted float64) Goal { return Goal{what, value, wanted, value <= wanted} }

// String is the goal as people read it.
func (g Goal) String() string {
	verdict := "missed"
	if g.Met {
		verdict = "met"
	}
	return fmt.Sprintf("%s: %.2f, wanted <= %.2f: %s", g.What, g.Value, g.Wanted, verdict)
}

// What is wanted of the ratios of collectives to the fastest peer of each row.
const (
	meanWanted  = 0.8  // their geometric mean
	aboveWanted = 0.1  // of the rows may be above 1
	worstWanted = 1.25 // the largest
	largeWanted = 0.35 // a large all-reduce in the heap, to MPI
)

// collectiveGoals are those of each group of rows, and that of the largest all-reduce.
func collectiveGoals(rows []Row) []Goal {
	var goals []Goal
	for _, g := range []struct {
		name, buffers string
		pes           int
	}{
		{"2 PEs, heap", Heap, 2},
		{"2 PEs, private", Private, 2},
		{"4 PEs, heap", Heap, 4},
		{"4 PEs, private", Private, 4},
	} {
		var ratios []float64
		for _, r := range rows {
			if r.PEs == g.pes && r.Buffers == g.buffers {
				ratios = append(ratios, r.Ratio)
			}
		}
		if len(ratios) > 0 {
			goals = append(goals, spread(g.name, ratios)...)
		}
	}
	for _, r := range rows {
		if r.Op == OpAllReduce && r.Size == MostBytes && r.PEs == 2 && r.Buffers == Heap {
			goals = append(goals, goal(r.Name+", to the fastest MPI", r.against(OpenMPI, MPICH), largeWanted))
		}
	}
	return goals
}

// smallMost is the largest vector that counts as small, in bytes.
const smallMost = 4096

// nodesGoals are that small reductions over nodes take no longer than Open MPI's.
func nodesGoals(rows []Row) []Goal {
	var goals []Goal
	for _, r := range rows {
		if r.Op == OpAllReduce && r.Size <= smallMost {
			goals = append(goals, goal(r.Name+", over two nodes", r.Ratio, 1))
		}
	}
	return goals
}

// libraryGoals are those of package nccl, but for the largest ratio.
func libraryGoals(rows []Row) []Goal {
	var ratios []float64
	for _, r := range rows {
		if r.Buffers == Device {
			ratios = append(ratios, r.Ratio)
		}
	}
	if len(ratios) == 0 {
		return nil
	}
	return spread("memory of platform host", ratios)[:2]
}

// spread are the three goals of a group of rows.
func spread(name string, ratios []float64) []Goal {
	sum, above, worst := 0.0, 0, 0.0
	for _, r := range ratios {
		sum += math.Log(r)
		worst = max(worst, r)
		if r > 1 {
			above++
		}
	}
	n := float64(len(ratios))
	return []Goal{
		goal(fmt.Sprintf("%s: geometric mean of %d ratios", name, len(ratios)), math.Exp(sum/n), meanWanted),
		goal(name+": part of the rows above 1", float64(above)/n, aboveWanted),
		goal(name+": largest ratio", worst, worstWanted),
	}
}

// against is the largest ratio to one of some peers.
func (r Row) against(names ...string) float64 {
	most := 0.0
	for _, p := range r.Peers {
		for _, name := range names {
			if p.Name == name {
				most = max(most, p.Ratio)
			}
		}
	}
	return most
}
