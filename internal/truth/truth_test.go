//go:build race

package truth

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// schedules is how often each program runs, every other time in weak mode too: what is racy
// must be found every time without weak mode, in which an operation may be so late that the
// detector has forgotten the other one; what is clean is never reported.
var schedules = flag.Int("schedules", 5, "how often each program runs")

// child names the program that this process runs for TestTruth.
const child = "TRUTH_PROGRAM"

func programs() map[string][]program {
	return map[string][]program{
		"conflict": slices.Concat(conflictsInBuffers(), conflictsInTargets(), conflictsOfAtomics()),
		"sync":     slices.Concat(syncsOfBuffers(), syncsOfTargets(), syncsOfMore()),
		"atomic":   atomics(),
		"hybrid":   slices.Concat(hybridsInBuffers(), hybridsInTargets()),
		"misc":     slices.Concat(deepBuffers(), deepTargets()),
	}
}

// TestTruth runs each program in a process of its own, with reports that are not
// suppressed for being like earlier ones.
func TestTruth(t *testing.T) {
	for group, list := range programs() {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for i, c := range list {
				found, report, err := c.inChild(t.TempDir(), fmt.Sprintf("%s/%d", group, i))
				if err != nil {
					t.Errorf("%s: %v\n%s", c.name, err, report)
					continue
				}
				hits, missed := 0, 0
				for i, n := range found {
					if n > 0 {
						hits++
					} else if !weak(i) {
						missed++
					}
				}
				switch {
				case strings.Contains(report, "network.(*queue)"), strings.Contains(report, "network.(*kinds).cells"):
					t.Errorf("%s: the mode's own bookkeeping is reported:\n%s", c.name, report)
				case c.race && missed > 0:
					t.Errorf("%s: racy, but found in %d of %d schedules only", c.name, hits, len(found))
				case !c.race && hits > 0:
					t.Errorf("%s: clean, but reported in %d of %d schedules:\n%s", c.name, hits, len(found), report)
				}
			}
		})
	}
}

// inChild returns how many races were reported in each schedule, and the reports.
func (c program) inChild(dir, id string) (found []int, report string, err error) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", fmt.Sprintf("-schedules=%d", *schedules))
	cmd.Env = append(os.Environ(), child+"="+id, "TRUTH_RESULT="+filepath.Join(dir, "result"),
		"GORACE=exitcode=0 atexit_sleep_ms=0 suppress_equal_stacks=0 suppress_equal_addresses=0 log_path="+filepath.Join(dir, "race"))
	out, err := cmd.CombinedOutput()
	logs, _ := filepath.Glob(filepath.Join(dir, "race*"))
	for _, name := range logs {
		text, _ := os.ReadFile(name)
		report += string(text)
	}
	result, readErr := os.ReadFile(filepath.Join(dir, "result"))
	if readErr != nil {
		return nil, string(out) + report, fmt.Errorf("the program did not end: %v, %v", err, readErr)
	}
	return found, report, json.Unmarshal(result, &found)
}

// seed is that of weak mode in a schedule, 0 for none.
func seed(schedule int) uint64 { return uint64(schedule % 2 * schedule) }

func weak(schedule int) bool { return seed(schedule) > 0 }

// TestChild is one program in its own process.
func TestChild(t *testing.T) {
	id := os.Getenv(child)
	for group, list := range programs() {
		for i, c := range list {
			if id != fmt.Sprintf("%s/%d", group, i) {
				continue
			}
			var found []int
			for i := range *schedules {
				n, err := c.trial(seed(i))
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, n)
			}
			text, err := json.Marshal(found)
			if err == nil {
				err = os.WriteFile(os.Getenv("TRUTH_RESULT"), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReport: the stacks of a report name the lines of the program on both sides, and no
// calls that have ended.
func TestReport(t *testing.T) {
	list := conflictsInTargets()
	i := slices.IndexFunc(list, func(c program) bool { return c.name == "put / load, remote" })
	c := program{name: list[i].name}
	_, report, err := c.inChild(t.TempDir(), fmt.Sprintf("conflict/%d", i+len(conflictsInBuffers())))
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []string{"truth.(*pe).put()", "truth.(*pe).load()", "case_test.go:"} {
		if !strings.Contains(report, side) {
			t.Errorf("the report does not name %s:\n%s", side, report)
		}
	}
	for _, stack := range strings.Split(report, "\n\n") {
		if n := strings.Count(stack, "truth.program.trial.func1()"); n > 1 {
			t.Errorf("the body of a PE is in a stack %d times:\n%s", n, stack)
		}
	}
}
