package launcher

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// When a PE fails without dying, all others learn of it at once, and their processes
// end in any order. Who failed first is then in what they say: package shmem ends
// with one line on stderr that names the PE that it follows, or how two PEs differ.
var (
	// follows is a PE that another one names as the reason of its own end. A pid must
	// be that of the rank: the PEs of a world that is a part of the job have other numbers.
	follows = regexp.MustCompile(`shmem: .*?\bPE (\d+)(?: \(host [^()]*, pid (\d+)\))? (?:gave this team up|failed: |died|exited with|refused|asked [^;]*, PEs )`)
	// differs begins a sentence about two PEs of which either may be wrong.
	differs = regexp.MustCompile(`shmem: [a-z0-9 ]+: PE \d+ (?:is in [^;]* where PE|asked for|passed) `)
	// claims are what PEs were asked for, each up to the next or to a semicolon.
	claims = regexp.MustCompile(`\bPE (\d+) (?:asked for|for|passed) `)
	// place is where a program asked.
	place = regexp.MustCompile(` \([^()]*(?:#|\.go:)\d[^()]*\).*`)
	// calls is the call that failed.
	calls = regexp.MustCompile(`shmem: ([a-z0-9 ]+): `)
)

// culprit is the rank that failed first by what the ranks say, or first, the one that
// ended first, if they do not agree on another one that failed by itself.
func culprit(ranks []RankResult, first int) int {
	at := first
	for range ranks { // a circle ends somewhere in it
		next := ranks[at].leader(ranks)
		if next < 0 || next == at {
			break
		}
		at = next
	}
	if differs.MatchString(ranks[at].verdict()) {
		at = odd(ranks)
	}
	if at < 0 || !ranks[at].failed() {
		return first
	}
	return at
}

// failed is true of a rank that failed without having been told to end.
func (r RankResult) failed() bool { return r.Code != 0 && !r.Termed && !r.Killed }

// verdict is the line of stderr in which package shmem says why a rank ended, "" if
// there is none.
func (r RankResult) verdict() string {
	for _, mark := range []string{"PE " + strconv.Itoa(r.Rank) + ": ", "shmem: "} {
		for _, line := range slices.Backward(r.Stderr) {
			if strings.HasPrefix(line, mark) || mark == "shmem: " && strings.Contains(line, mark) {
				return line
			}
		}
	}
	return ""
}

// leader is the rank that r says it follows, -1 if it does not.
func (r RankResult) leader(ranks []RankResult) int {
	line := r.verdict()
	m := follows.FindStringSubmatch(line)
	if m == nil || differs.MatchString(line) {
		return -1
	}
	pe, err := strconv.Atoi(m[1])
	if err != nil || pe >= len(ranks) || m[2] != "" && m[2] != strconv.Itoa(ranks[pe].Pid) {
		return -1
	}
	return pe
}

// odd is the rank that was asked for something else than all others, -1 if there is no
// such rank. Those of which nobody says what they were asked for do not count; if
// nobody says anything it is the call that counts.
func odd(ranks []RankResult) int {
	asked := map[int]string{}
	for _, own := range []bool{true, false} { // what others say may be cut off
		for _, r := range ranks {
			r.claims(asked, own)
		}
	}
	if len(asked) == 0 {
		for _, r := range ranks {
			if m := calls.FindStringSubmatch(r.verdict()); m != nil {
				asked[r.Rank] = m[1]
			}
		}
	}
	sides := map[string][]int{}
	for pe, what := range asked {
		sides[what] = append(sides[what], pe)
	}
	for _, side := range sides {
		if len(sides) == 2 && len(side) == 1 && len(asked) > 2 && side[0] < len(ranks) {
			return side[0]
		}
	}
	return -1
}

// claims notes what PEs were asked for as far as r says it, of itself or of others of
// which nothing is known.
func (r RankResult) claims(asked map[int]string, own bool) {
	line := r.verdict()
	found := claims.FindAllStringSubmatchIndex(line, -1)
	for i, m := range found {
		end := len(line)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		what, _, _ := strings.Cut(line[m[1]:end], ";")
		pe, err := strconv.Atoi(line[m[2]:m[3]])
		if _, known := asked[pe]; err == nil && !known && (pe == r.Rank || !own) {
			asked[pe] = strings.TrimRight(place.ReplaceAllString(what, ""), ", ")
		}
	}
}
