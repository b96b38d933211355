package killtest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
)

var (
	kills = flag.Int("kills", 40, "how many jobs in a row lose a random PE at a random moment")
	seed  = flag.Uint64("seed", 0, "of the storm; 0: from the clock")
	only  = flag.Int("round", -1, "do only this round of the storm again")
)

// TestStorm kills a random one of four working PEs at a random moment between the
// start of the job and its end, again and again.
func TestStorm(t *testing.T) {
	s := storm{seed: *seed, temp: t.TempDir(), found: map[string]int{}}
	if s.seed == 0 {
		s.seed = uint64(time.Now().UnixNano())
	}
	for round := range *kills {
		if *only >= 0 && round != *only {
			continue
		}
		if s.round(t, round); t.Failed() {
			t.Fatalf("again: -run TestStorm -kills %d -seed %d -round %d", *kills, s.seed, round)
		}
	}
	jobtest.NoLeftovers(t)
	t.Logf("storm of seed %d: %v", s.seed, s)
}

// storm is what was seen so far.
type storm struct {
	seed  uint64
	temp  string         // the folder for temporary files of the jobs
	found map[string]int // how victims and survivors ended
	told  durations
}

func (s storm) String() string {
	var parts []string
	for _, what := range sortedKeys(s.found) {
		parts = append(parts, fmt.Sprintf("%s: %d", what, s.found[what]))
	}
	return strings.Join(append(parts, fmt.Sprintf("from kill to error: %v", s.told)), "; ")
}

// round runs one job and kills one of its PEs.
func (s *storm) round(t *testing.T, round int) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(round)))
	victim, delay := rng.IntN(4), moment(rng)
	over, killed := make(chan struct{}), make(chan int64, 1)
	go assassin(t, victim, delay, over, killed)
	spec := launcher.Spec{N: 4, Settle: hardLimit / 2, Env: []string{"TMPDIR=" + s.temp}}
	j := start(t, spec, "storm", strconv.FormatUint(rng.Uint64(), 10))
	close(over)
	at := <-killed
	s.judge(t, j, victim, at)
	if files, err := os.ReadDir(s.temp); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v %v", files, err)
	}
}

// moment is when to kill: half of the time while the processes start and meet, half
// of the time while they work.
func moment(rng *rand.Rand) time.Duration {
	longest := 50 * time.Millisecond
	if rng.IntN(2) == 0 {
		longest = 12 * time.Millisecond
	}
	return time.Duration(rng.Int64N(int64(longest)))
}

// assassin kills the victim-th child of this process, as soon as there is one and
// delay is over, and says when it did; 0: the job was over before.
func assassin(t *testing.T, victim int, delay time.Duration, over <-chan struct{}, killed chan<- int64) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	}
	for {
		select {
		case <-over:
			killed <- 0
			return
		default:
		}
		if pids := children(t); len(pids) > victim {
			at := now()
			if err := unix.Kill(pids[victim], unix.SIGKILL); err != nil {
				t.Error(err)
			}
			killed <- at
			return
		}
	}
}

// children are the processes that this one has started and not collected, in the
// order in which it did: one thread starts them all.
func children(t *testing.T) []int {
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Error(err)
	}
	var pids []int
	for _, f := range files {
		list, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended since
		}
		for _, word := range strings.Fields(string(list)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Error(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// judge holds how every process of a job must have ended.
func (s *storm) judge(t *testing.T, j job, victim int, at int64) {
	stage := j.stage(victim)
	if j.Ranks[victim].Signal != "SIGKILL" {
		stage += ", not killed"
	}
	s.found["victim in "+stage]++
	for r := range j.Ranks {
		if r == victim {
			continue
		}
		verdict := s.survivor(j, r, victim, at)
		if verdict == "" {
			t.Errorf("rank %d does not end as it should after rank %d was killed in %s\n%s", r, victim, stage, j.text())
		}
		s.found["survivor "+verdict]++
	}
}

// survivor is how another rank than the victim ended; "": as it must not.
func (s *storm) survivor(j job, r, victim int, at int64) string {
	rank, stage := j.Ranks[r], j.stage(r)
	switch {
	case rank.Code == 0 && stage == "done":
		return "finished"
	case j.told(r) && j.names(r, victim) && j.Ranks[victim].Signal == "SIGKILL":
		if learned, err := strconv.ParseInt(j.line(r, "now"), 10, 64); err == nil {
			s.told = append(s.told, time.Duration(learned-at))
		}
		return "told in " + stage
	case j.told(r) && stage == "main" && j.follows(r, victim):
		return "told in main of one that was told"
	}
	return ""
}

// told says whether a rank ended with the error that somebody died.
func (j job) told(r int) bool { return j.Ranks[r].Code == 1 && j.line(r, "kind") == "died" }

// names says whether the error of a rank speaks of the end of another.
func (j job) names(r, other int) bool {
	text := j.line(r, "error")
	return strings.Contains(text, fmt.Sprintf("PE %d (", other)) || strings.Contains(text, fmt.Sprintf("rank %d (", other))
}

// follows says whether a rank names another that names the victim. While a world
// comes into being the one that looks late finds those gone that looked earlier:
// PE 0 took the rendezvous with it, or the victim was not quite dead yet.
func (j job) follows(r, victim int) bool {
	for other := range j.Ranks {
		if other != r && other != victim && j.names(r, other) && j.told(other) && j.names(other, victim) {
			return true
		}
	}
	return false
}

// stage is how far a rank has come.
func (j job) stage(rank int) string {
	at := "start"
	for line := range strings.Lines(j.outputs[rank].String()) {
		if rest, found := strings.CutPrefix(line, "stage "); found {
			at = strings.TrimSpace(rest)
		}
	}
	return at
}
