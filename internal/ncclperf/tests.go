package ncclperf

import (
	"maps"
	"slices"
)

// test is a collective as nccl-tests measures it.
type test struct {
	reduces, rooted bool
	parts           bool // a size is that of all ranks' parts together: the count is one part
	// factor is what the bandwidth of the algorithm is multiplied by to be comparable with
	// that of the links.
	factor func(n float64) float64
	// inPlace says that there is a form with one buffer, whose result can be checked.
	inPlace bool
	send    shape // what of the buffers is used
	recv    shape
}

// shape says how many elements a buffer has: the count, or that for each rank; and of
// which ranks.
type shape struct {
	perRank  bool
	rootOnly bool
}

func whole(float64) float64     { return 1 }
func others(n float64) float64  { return (n - 1) / n }
func twoWays(n float64) float64 { return 2 * (n - 1) / n }

// all is every test, by nccl-tests' names.
func all() map[string]test {
	return map[string]test{
		"all_reduce":     {reduces: true, factor: twoWays, inPlace: true},
		"all_gather":     {parts: true, factor: others, inPlace: true, recv: shape{perRank: true}},
		"reduce_scatter": {reduces: true, parts: true, factor: others, inPlace: true, send: shape{perRank: true}},
		"broadcast":      {rooted: true, factor: whole, inPlace: true, send: shape{rootOnly: true}},
		"reduce":         {reduces: true, rooted: true, factor: whole, inPlace: true, recv: shape{rootOnly: true}},
		"alltoall":       {parts: true, factor: others, send: shape{perRank: true}, recv: shape{perRank: true}},
		"gather":         {rooted: true, parts: true, factor: others, inPlace: true, recv: shape{perRank: true, rootOnly: true}},
		"scatter":        {rooted: true, parts: true, factor: others, inPlace: true, send: shape{perRank: true, rootOnly: true}},
		"sendrecv":       {factor: whole},
	}
}

// Tests are the names of the collectives that can be measured.
func Tests() []string { return slices.Sorted(maps.Keys(all())) }

// count is the elements of one call for a size in bytes: parts are rounded down to
// multiples of 16 bytes.
func (t test) count(bytes int64, size, ranks int) int {
	n := bytes / int64(size)
	if !t.parts {
		return int(n)
	}
	line := int64(16 / size)
	return int(n / int64(ranks) / line * line)
}

// bytes is the size that a count has.
func (t test) bytes(count, size, ranks int) int64 {
	n := int64(count) * int64(size)
	if t.parts {
		n *= int64(ranks)
	}
	return n
}
