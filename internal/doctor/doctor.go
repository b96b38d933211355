// Package doctor explains a machine before a job runs on it: it reads a record of
// the machine once, and looks through it with a table of small checks. Each check
// is a pure function of the record, so that it can be tried on machines that were
// recorded elsewhere. In a job the processes' findings are joined, and what
// differs between them is found as well.
package doctor

import (
	"cmp"
	"slices"
	"strings"
)

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // something that the user asked for cannot work
	Warning Severity = "warning" // it is likely to fail, hang or be far too slow
	Note    Severity = "note"    // it works, and could be better
)

// rank sorts the worst first.
func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Note}, s) }

// Check is one thing that is looked at. It has one of find and compare, or
// neither: then the caller finds it (see Cannot).
type Check struct {
	ID       string
	Severity Severity
	Looks    string // what is a finding, for the documentation
	Why      string // why it matters
	Fix      string // the command or setting that cures it; a sighting may know a better one

	anywhere bool                   // needs nothing that only Linux tells
	find     func(*Machine) []Sight // in the record of one machine
	compare  func([]Answer) []Sight // in what the processes of a job say
}

// Sight is a check that found something.
type Sight struct {
	Seen string
	Fix  string // "": that of the check
}

// Finding is what is printed.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Seen     string   `json:"seen"`
	Why      string   `json:"why"`
	Fix      string   `json:"fix"`
	Ranks    []int    `json:"ranks,omitempty"` // of a job: who sees it
}

// Checks is the table of all checks, by subject.
func Checks() []Check {
	return slices.Concat(shmChecks(), limitChecks(), coreChecks(), deviceChecks(),
		networkChecks(), libraryChecks(), environChecks(), leftoverChecks(), jobChecks())
}

// Diagnose makes every check that can be made on one machine.
func Diagnose(m *Machine) []Finding {
	list := []Finding{}
	for _, c := range Checks() {
		if c.find != nil && c.possible(m.OS) {
			list = append(list, c.findings(c.find(m))...)
		}
	}
	return list
}

// Unsupported lists the checks that cannot be made on an operating system.
func Unsupported(os string) []string {
	list := []string{}
	for _, c := range Checks() {
		if !c.possible(os) {
			list = append(list, c.ID)
		}
	}
	return list
}

// Cannot is the finding of a check that the caller makes.
func Cannot(id string, err error) Finding {
	all := Checks()
	return all[slices.IndexFunc(all, func(c Check) bool { return c.ID == id })].finding(see("%v", err))
}

func (c Check) possible(os string) bool { return c.anywhere || os == "linux" }

func (c Check) findings(seen []Sight) []Finding {
	list := make([]Finding, len(seen))
	for i, s := range seen {
		list[i] = c.finding(s)
	}
	return list
}

func (c Check) finding(s Sight) Finding {
	return Finding{ID: c.ID, Severity: c.Severity, Seen: s.Seen, Why: c.Why, Fix: cmp.Or(s.Fix, c.Fix)}
}

// inOrder sorts for reading: the worst first, then as in the table.
func inOrder(list []Finding) {
	at := map[string]int{}
	for i, c := range Checks() {
		at[c.ID] = i
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(a.Severity.rank()-b.Severity.rank(), at[a.ID]-at[b.ID], strings.Compare(a.Fix, b.Fix))
	})
}
