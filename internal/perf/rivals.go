package perf

import "slices"

// Rival is one of several peers of a row.
type Rival struct {
	Name    string  `json:"name"`
	Summary Summary `json:"summary"` // per operation
	Ratio   float64 `json:"ratio"`   // ours by theirs, median of the samples
}

// rival adds one of n peers.
func (r *Row) rival(name string, n int) {
	r.Peer = name
	if n > 1 {
		r.Peers = append(r.Peers, Rival{Name: name})
	}
}

// oppose fills in what the peers needed, in the order of the row's.
func (s *Sample) oppose(theirs []float64) {
	switch len(theirs) {
	case 0:
	case 1:
		s.Theirs = theirs[0]
	default:
		s.Peers = theirs
	}
}

// settleRivals compares the row with each of its peers, and chooses the one with the
// smallest median.
func (r *Row) settleRivals() {
	if len(r.Peers) == 0 {
		return
	}
	r.Peers = slices.Clone(r.Peers) // rows by state share them
	best, used := 0, steady(r.Samples)
	for i := range r.Peers {
		p := &r.Peers[i]
		var theirs, ratios []float64
		for _, s := range used {
			theirs, ratios = append(theirs, s.Peers[i]), append(ratios, s.Ours/s.Peers[i])
		}
		p.Summary, p.Ratio = summarize(theirs), summarize(ratios).Median
		if p.Summary.Median < r.Peers[best].Summary.Median {
			best = i
		}
	}
	r.Peer = r.Peers[best].Name
	for i := range r.Samples {
		r.Samples[i].Theirs = r.Samples[i].Peers[best]
	}
}
