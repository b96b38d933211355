package launcher

import "testing"

// TestCulprit: who failed first by what the ranks say. They end in the order 0, 1, ...
func TestCulprit(t *testing.T) {
	const follows1 = "shmem: barrier: PE 1 gave this team up: shmem: broadcast: root 99 out of range: the team has 4 PEs; PE 0 is in barrier #1"
	const sum, most = "allreduce (sum) of 8 int64", "allreduce (max) of 8 int64"
	for name, c := range map[string]struct {
		says []string
		want int
	}{
		"nothing":             {[]string{"", "", ""}, 0},
		"own errors":          {[]string{"PE 0: out of cheese", "PE 1: shmem: put: PE 7 out of range: this world has 2 PEs"}, 0},
		"gave up":             {[]string{"PE 0: " + follows1, "PE 1: shmem: broadcast: root 99 out of range: the team has 4 PEs"}, 1},
		"wrapped":             {[]string{"2026/01/02 step 3: " + follows1, "PE 1: out of cheese"}, 1},
		"through another":     {[]string{"PE 0: shmem: barrier: PE 2 gave this team up: shmem: sync: out of", "PE 1: x", "PE 2: shmem: sync: PE 1 (host h, pid 11) failed: x; PE 2 is in sync #1"}, 1},
		"another world":       {[]string{"PE 0: shmem: barrier: PE 1 (host h, pid 99) died; it was last in alloc #1", "PE 1: x"}, 0},
		"no such rank":        {[]string{"PE 0: shmem: barrier: PE 7 failed: x", "PE 1: x"}, 0},
		"a circle":            {[]string{"PE 0: " + follows1, "PE 1: shmem: barrier: PE 0 failed: x"}, 0},
		"not by shmem":        {[]string{"PE 0: I think that PE 1 failed: see there", "PE 1: x"}, 0},
		"smallest group":      {[]string{"PE 0: shmem: alloc: PE 1 asked 64 bytes, PEs 0, 2 asked 128 bytes (alloc #2, a.go:1)", "PE 1: shmem: alloc: PE 1 asked 64 bytes, PEs 0, 2 asked 128 bytes (alloc #2, a.go:1)", ""}, 1},
		"two sizes":           {[]string{"PE 0: shmem: alloc: PE 1 asked 64 bytes, PE 0 asked 128 bytes (alloc #2, a.go:1)", "PE 1: x"}, 0},
		"other call":          {[]string{"PE 0: shmem: barrier: PE 1 is in finalize #1 where PE 0 is in barrier #1; PE 0", "PE 1: shmem: finalize: PE 0 is in barrier #1 where PE 1 is in finalize #1", "PE 2: shmem: barrier: PE 0 gave this team up: PE 1 is in finalize #1 where PE 0 is in barrier #1"}, 1},
		"other call of two":   {[]string{"PE 0: shmem: barrier: PE 1 is in finalize #1 where PE 0 is in barrier #1; PE 0", "PE 1: shmem: finalize: PE 0 is in barrier #1 where PE 1 is in finalize #1"}, 0},
		"other operation":     {[]string{"PE 0: shmem: allreduce: PE 1 asked for " + most + " (a.go:2), PE 0 for " + sum + " (allreduce #1, a.go:1)", "PE 1: shmem: allreduce: PE 0 gave this team up: PE 1 asked for " + most + ", PE 0 for " + sum + " (allreduce #1, a.go:1); PE 1 asked for " + most + "; PE 0 is", "PE 2: shmem: allreduce: PE 0 gave this team up: PE 1 asked for allre; PE 2 asked for " + sum + "; PE 0 is"}, 1},
		"two other sides":     {[]string{"PE 0: shmem: split strided: PE 1 passed 1, 1, 1, PE 0 passed 0, 1, 1 (split #1, a.go:1)", "PE 1: shmem: split strided: PE 0 passed 0, 1, 1, PE 1 passed 1, 1, 1 (split #1, a.go:1)", "PE 2: shmem: split strided: PE 0 passed 0, 1, 1, PE 2 passed 2, 1, 1 (split #1, a.go:1)"}, 0},
		"one side of a split": {[]string{"PE 0: shmem: split strided: PE 1 passed 1, 1, 1, PE 0 passed 0, 1, 1 (split #1, a.go:1)", "PE 1: shmem: split strided: PE 0 passed 0, 1, 1, PE 1 passed 1, 1, 1 (split #1, a.go:1)", "PE 2: shmem: split strided: PE 1 passed 1, 1, 1, PE 2 passed 0, 1, 1 (split #1, a.go:1)"}, 1},
	} {
		var ranks []RankResult
		for i, line := range c.says {
			ranks = append(ranks, RankResult{Rank: i, Pid: 10 + i, Code: 1, Stderr: []string{"shmem: earlier", line}})
		}
		if got := culprit(ranks, 0); got != c.want {
			t.Errorf("%s: rank %d, want %d", name, got, c.want)
		}
	}
}

// TestCulpritThatDidNotFail: a rank that was told to end, or ended well, is not named.
func TestCulpritThatDidNotFail(t *testing.T) {
	for _, named := range []RankResult{{Rank: 1, Code: 143, Termed: true}, {Rank: 1, Code: 137, Killed: true}, {Rank: 1}} {
		ranks := []RankResult{{Code: 1, Stderr: []string{"PE 0: shmem: barrier: PE 1 failed: x"}}, named}
		if got := culprit(ranks, 0); got != 0 {
			t.Errorf("%+v is named", named)
		}
	}
}
