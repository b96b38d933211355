package doctor

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Schema is the version of the JSON form. It grows when a field changes its
// meaning or goes away; new fields alone leave it as it is.
const Schema = 1

// Report is all that is printed.
type Report struct {
	Schema      int       `json:"schema"`
	Hosts       []string  `json:"hosts"`
	Processes   int       `json:"processes"`
	Checks      int       `json:"checks"`      // that were made
	Unsupported []string  `json:"unsupported"` // that this system does not allow to make
	Findings    []Finding `json:"findings"`    // the worst first
}

// Summarise makes the report of the processes that answered: what several of them
// see is one finding.
func Summarise(os string, all []Answer, more ...Finding) Report {
	r := Report{Schema: Schema, Hosts: []string{}, Processes: len(all), Unsupported: Unsupported(os), Findings: []Finding{}}
	at, hosts := map[string]int{}, map[string]bool{}
	for _, a := range all {
		for _, f := range a.Findings {
			key := f.ID + "\n" + f.Seen + "\n" + f.Fix
			i, known := at[key]
			if !known {
				i = len(r.Findings)
				at[key] = i
				r.Findings = append(r.Findings, f)
			}
			if len(all) > 1 {
				r.Findings[i].Ranks = append(r.Findings[i].Ranks, a.Rank)
			}
		}
		hosts[a.Host] = true
	}
	r.Hosts = append(r.Hosts, sortedKeys(hosts)...)
	r.Findings = append(append(r.Findings, Compare(all)...), more...)
	inOrder(r.Findings)
	r.Checks = r.made()
	return r
}

// made counts the checks that were made: those of a job need one.
func (r Report) made() int {
	n := -len(r.Unsupported)
	for _, c := range Checks() {
		if c.find != nil || r.Processes > 1 || c.ID == "job.meet" {
			n++
		}
	}
	return n
}

// Worst is the severity of the worst finding; "" if there is none.
func (r Report) Worst() Severity {
	if len(r.Findings) == 0 {
		return ""
	}
	return r.Findings[0].Severity
}

// WriteJSON prints the report for a program.
func (r Report) WriteJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// maxSeen is how often one check is shown to have found something.
const maxSeen = 8

// WriteText prints the report for a person: what one check has found at several
// places is explained once.
func (r Report) WriteText(out io.Writer) error {
	w := bufio.NewWriter(out)
	for rest := r.Findings; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].ID == rest[0].ID && rest[n].Fix == rest[0].Fix {
			n++
		}
		for _, f := range rest[:min(n, maxSeen)] {
			fmt.Fprintf(w, "%s %s%s: %s\n", f.Severity, f.ID, r.who(f.Ranks), f.Seen)
		}
		if n > maxSeen {
			fmt.Fprintf(w, "  and %d more (--json has all)\n", n-maxSeen)
		}
		fmt.Fprintf(w, "  why: %s\n  fix: %s\n", rest[0].Why, rest[0].Fix)
		rest = rest[n:]
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s (%s", cmp.Or(r.counts(), "nothing needs attention"), plural(r.Checks, "check"))
	if r.Processes > 1 {
		fmt.Fprintf(w, " in %s on %s", processes(r.Processes), plural(len(r.Hosts), "host"))
	}
	if len(r.Unsupported) > 0 {
		fmt.Fprintf(w, "; %d more need Linux", len(r.Unsupported))
	}
	fmt.Fprintln(w, ")")
	return w.Flush()
}

// who says which ranks see something, if not all do.
func (r Report) who(ranks []int) string {
	switch len(ranks) {
	case 0:
		return ""
	case r.Processes:
		return " [all ranks]"
	}
	return " [" + rankList(ranks) + "]"
}

// counts is such as "1 error, 2 notes".
func (r Report) counts() string {
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, plural(n, string(s)))
		}
	}
	return strings.Join(parts, ", ")
}
