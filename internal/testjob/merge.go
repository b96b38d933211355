package testjob

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/launch/launcher"
)

// verdict is the result of one test over all ranks, or of tests that no rank ran.
type verdict struct {
	test   string // "": the processes themselves
	tests  int    // how many it stands for, if more than one
	status status
	why    string // for one that failed
	ranks  []int  // on which it failed
}

// merge puts the ranks' reports together. A test that some ranks skip and the
// others pass has passed: it may have something to do on those only. A rank that
// ends badly although all its tests passed fails the job as such.
func merge(ranks []*transcript, res launcher.Result) []verdict {
	var all []verdict
	blamed := map[int]bool{} // ranks that a failed test accounts for
	for _, test := range names(ranks) {
		v := judge(test, ranks, res.Ranks)
		for _, r := range v.ranks {
			blamed[r] = true
		}
		all = append(all, v)
	}
	process := verdict{status: failed}
	for _, r := range res.Ranks {
		if r.Code != 0 && !blamed[r.Rank] {
			process.add(fmt.Sprintf("rank %d: %v outside of tests", r.Rank, r), r.Rank)
		}
	}
	if len(process.ranks) > 0 {
		all = append(all, process)
	}
	return all
}

// names returns the tests of all ranks, each once, in the order of the first
// rank that has it.
func names(ranks []*transcript) []string {
	var all []string
	seen := map[string]bool{}
	for _, t := range ranks {
		for _, name := range t.order {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

func judge(test string, ranks []*transcript, ends []launcher.RankResult) verdict {
	v := verdict{test: test, status: skipped}
	var bad []int
	for r, t := range ranks {
		switch t.status[test] {
		case failed:
			bad = append(bad, r)
		case passed:
			v.status = passed
		}
	}
	if len(bad) > 0 {
		v.add("failed on "+launcher.RankList(bad), bad...)
	}
	for r, t := range ranks {
		if t.status[test] == missing {
			v.add(fmt.Sprintf("not reported by rank %d (%v)", r, ends[r]), r)
		}
	}
	return v
}

// add makes the test one that failed, for one more reason, on these ranks.
func (v *verdict) add(why string, ranks ...int) {
	v.status = failed
	v.ranks = append(v.ranks, ranks...)
	v.why = strings.TrimPrefix(v.why+"; "+why, "; ")
}
