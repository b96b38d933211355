package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func textOf(t *testing.T, r Report) string {
	t.Helper()
	var b strings.Builder
	must(t, r.WriteText(&b))
	return b.String()
}

func TestNothingToSay(t *testing.T) {
	r := Summarise("linux", []Answer{{Host: "a"}})
	if got := textOf(t, r); got != fmt.Sprintf("nothing needs attention (%d checks)\n", r.Checks) || r.Worst() != "" {
		t.Errorf("%q, worst %q", got, r.Worst())
	}
	other := Summarise("darwin", []Answer{{Host: "a"}})
	if got := textOf(t, other); got != fmt.Sprintf("nothing needs attention (%d checks; %d more need Linux)\n", other.Checks, r.Checks-other.Checks) || other.Checks < 5 {
		t.Errorf("elsewhere: %q", got)
	}
}

// TestOneReportForAll: what several see is one finding, the worst comes first, and
// what one check finds at several places is explained once.
func TestOneReportForAll(t *testing.T) {
	small := find("shm.small").finding(see("small"))
	one := find("cores.one")
	var all []Answer
	for rank := range 12 {
		a := Answer{Rank: rank, Host: "a", Facts: map[string]string{"cores": "0-15"}, Findings: []Finding{find("net.range").finding(see("few")), small}}
		if rank != 3 {
			a.Findings = append(a.Findings, one.finding(see("core %d", rank)))
		}
		if rank > 9 {
			a.Host, a.Findings = "b", nil
		}
		all = append(all, a)
	}
	r := Summarise("linux", all, Cannot("job.meet", errors.New("nobody came")))
	want := "error job.meet: nobody came\n  why: " + find("job.meet").Why + "\n  fix: " + find("job.meet").Fix + "\n" +
		"warning shm.small [ranks 0-9]: small\n  why: " + small.Why + "\n  fix: " + small.Fix + "\n" +
		"warning cores.one [rank 0]: core 0\n"
	got := textOf(t, r)
	if !strings.HasPrefix(got, want) || strings.Count(got, one.Why) != 1 || !strings.Contains(got, "core 8\n  and 1 more (--json has all)\n") ||
		!strings.HasSuffix(got, fmt.Sprintf("\n1 error, 10 warnings, 1 note (%d checks in 12 processes on 2 hosts)\n", len(Checks()))) {
		t.Errorf("got:\n%swant first:\n%s", got, want)
	}
	if r.Worst() != Error {
		t.Errorf("worst %q", r.Worst())
	}
}

func TestJSONHasItsFields(t *testing.T) {
	var b strings.Builder
	must(t, Summarise("linux", []Answer{{Host: "a", Findings: []Finding{find("shm.small").finding(see("a < b"))}}}).WriteJSON(&b))
	var fields map[string]any
	must(t, json.Unmarshal([]byte(b.String()), &fields))
	if fields["schema"] != float64(Schema) || len(fields) != 6 || !strings.Contains(b.String(), "a < b") {
		t.Errorf("%s", b.String())
	}
	for _, list := range []string{"hosts", "unsupported", "findings"} {
		if _, ok := fields[list].([]any); !ok {
			t.Errorf("%s is %v, want a list even when it is empty", list, fields[list])
		}
	}
	finding := fields["findings"].([]any)[0].(map[string]any)
	for _, name := range []string{"id", "severity", "seen", "why", "fix"} {
		if finding[name] == "" || finding[name] == nil {
			t.Errorf("a finding without %s: %v", name, finding)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "3": {3}, "0-2": {0, 1, 2}, "0-1,3,7-9": {0, 1, 3, 7, 8, 9}} {
		if got := ranges(list); got != want {
			t.Errorf("%v is %q, want %q", list, got, want)
		}
	}
}
