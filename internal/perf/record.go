package perf

import (
	"slices"
	"time"
)

// Schema is the version of a Record: it grows when a field changes its meaning.
const Schema = 2

// Record is one run of a measurement, with every sample that was taken.
type Record struct {
	Schema  int       `json:"schema"`
	Name    string    `json:"name"` // of the measurement: shmem
	When    time.Time `json:"when"`
	Rounds  int       `json:"rounds"`
	Peer    string    `json:"peer,omitempty"` // of a comparison: what they are and which versions
	Batch   string    `json:"batch"`          // the least time that a sample takes, except where an operation takes longer
	Machine Machine   `json:"machine"`
	Notes   []string  `json:"notes,omitempty"`
	Goals   []Goal    `json:"goals,omitempty"` // what is wanted of the rows together
	Rows    []Row     `json:"rows"`
	Pairs   []Pairs   `json:"pairs,omitempty"`
	Rank    int       `json:"-"` // whose it is, of several that measure together: those of others than 0 have no rows
}

// Case says what the row of a comparison is about, for programs that look for one.
type Case struct {
	Op       string  `json:"op,omitempty"`   // see Order
	Size     int     `json:"size,omitempty"` // bytes of one operation
	PEs      int     `json:"pes,omitempty"`
	Buffers  string  `json:"buffers,omitempty"`   // Hot or Rotating
	OursNS   float64 `json:"ours_ns,omitempty"`   // Ours.Median
	TheirsNS float64 `json:"theirs_ns,omitempty"` // Theirs.Median
}

// Row is one thing that was measured.
type Row struct {
	Case
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`           // ns or bytes
	Peer    string   `json:"peer,omitempty"` // what it was compared with: the fastest of Peers, if there are several
	Peers   []Rival  `json:"peers,omitempty"`
	Ours    Summary  `json:"ours"`               // per operation
	Theirs  Summary  `json:"theirs,omitzero"`    // of the peer, per operation
	Ratio   float64  `json:"ratio,omitempty"`    // median of the ratios of the samples; 0: nothing to compare with
	Wanted  float64  `json:"wanted,omitempty"`   // the largest ratio that is good enough; 0: no such limit
	Met     *bool    `json:"met,omitempty"`      // absent without a limit, or without a ratio
	Allocs  *int64   `json:"allocs,omitempty"`   // per operation; absent where it means nothing
	State   string   `json:"state,omitempty"`    // of the cores, see StateOf; "mixed" if samples differ
	LeftOut int      `json:"left_out,omitempty"` // samples that the figures do not contain: Moved and Busy ones
	Note    string   `json:"note,omitempty"`
	Samples []Sample `json:"samples"`
}

// Sample is one turn of both competitors.
type Sample struct {
	Ours   float64   `json:"ours"`
	Theirs float64   `json:"theirs,omitempty"` // of the row's Peer
	Peers  []float64 `json:"peers,omitempty"`  // of its Peers
	N      int       `json:"n"`                // operations that Ours is the mean of
	Before float64   `json:"before,omitempty"` // one way of a cache line between two cores, ns; 0: unknown
	After  float64   `json:"after,omitempty"`
	State  string    `json:"state,omitempty"`
}

// Summary is what samples come to.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// summarize returns the summary of values; the zero Summary of none.
func summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	median := sorted[half]
	if len(sorted)%2 == 0 {
		median = (sorted[half-1] + sorted[half]) / 2
	}
	return Summary{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// settle fills in what follows from the samples. The ratio is the median of the
// samples' own ratios: their two sides ran next to each other, the medians of the
// two sides may come from different states of the machine.
func (r *Row) settle() {
	r.settleRivals()
	var ours, theirs, ratios []float64
	used := steady(r.Samples)
	for _, s := range used {
		ours = append(ours, s.Ours)
		if s.Theirs > 0 {
			theirs, ratios = append(theirs, s.Theirs), append(ratios, s.Ours/s.Theirs)
		}
	}
	r.Ours, r.Theirs, r.Ratio = summarize(ours), summarize(theirs), summarize(ratios).Median
	r.State, r.LeftOut = commonState(used), len(r.Samples)-len(used)
	if r.Op != "" {
		r.OursNS, r.TheirsNS = r.Ours.Median, r.Theirs.Median
	}
	if r.Wanted > 0 && r.Ratio > 0 {
		met := r.Ratio <= r.Wanted
		r.Met = &met
	}
}

// enough is how many samples a median should have.
const enough = 7

// steady leaves out the samples during which the cores moved or somebody else had
// them, if enough others are left.
func steady(all []Sample) []Sample {
	left := slices.DeleteFunc(slices.Clone(all), func(s Sample) bool { return s.State == Moved || s.State == Busy })
	if len(left) < enough {
		return all
	}
	return left
}

// ByState returns the row once for each state that its samples were taken in, with
// those samples only.
func (r Row) ByState() []Row {
	var rows []Row
	for _, state := range []string{Near, Far, Busy, Moved, ""} {
		part := r
		part.Samples = slices.DeleteFunc(slices.Clone(r.Samples), func(s Sample) bool { return s.State != state })
		if len(part.Samples) > 0 {
			part.settle()
			rows = append(rows, part)
		}
	}
	return rows
}

// Missed names the rows with a limit that was not kept, or not measured.
func (r Record) Missed() []string {
	var names []string
	for _, row := range r.Rows {
		if row.Wanted > 0 && (row.Met == nil || !*row.Met) {
			names = append(names, row.Name)
		}
	}
	return names
}
