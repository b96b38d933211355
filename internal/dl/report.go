package dl

import (
	"fmt"
	"strings"
)

// Report is the story of one Open: what was tried, in order, and what came of it.
type Report struct {
	Library  string    `json:"library"`
	Wanted   string    `json:"wanted,omitempty"` // the preferred file name, or the path asked for
	Attempts []Attempt `json:"attempts"`
	// Path is the file that was loaded, links resolved; "" if none was.
	Path string `json:"path,omitempty"`
	// AlreadyLoaded says that something in this process had loaded it before.
	AlreadyLoaded bool `json:"already_loaded,omitempty"`
	// Absent lists the optional functions that this version lacks.
	Absent []string `json:"absent,omitempty"`
	// Note says what to do when the library is not there.
	Note string `json:"note,omitempty"`
	// Set lists the variables that were set before loading, as NAME=value.
	Set []string `json:"set,omitempty"`
}

func newReport(spec Spec) *Report {
	return &Report{Library: spec.Name, Wanted: spec.wanted(), Note: spec.Note}
}

// Attempt is one place that was looked at.
type Attempt struct {
	Step    string  `json:"step"` // why it was looked at, for example "CUDA_HOME"
	Path    string  `json:"path,omitempty"`
	Problem Problem `json:"problem,omitempty"`
	Detail  string  `json:"detail,omitempty"` // the loader's own words
}

// Problem is why an attempt failed; "" if it did not.
type Problem string

// The problems that are told apart.
const (
	// NoFile means that there is no such file.
	NoFile Problem = "no such file"
	// NoDependency means that the file is there, but a library that it needs is not.
	NoDependency Problem = "a library it needs is missing"
	// BadFile means that the file is no library for this machine.
	BadFile Problem = "not a library for this machine"
	// Unresolved means that it needs a function that no loaded library has.
	Unresolved Problem = "a function it needs is missing"
	// Other is anything else; Detail has the loader's words.
	Other Problem = "cannot be loaded"
)

// String is one line per attempt and one for the result, for a person.
func (r *Report) String() string {
	var b strings.Builder
	for _, a := range r.Attempts {
		fmt.Fprintf(&b, "%s\n", a)
	}
	if r.Path != "" {
		fmt.Fprintf(&b, "loaded %s\n", r.Path)
	}
	return b.String()
}

// String says what was tried, why, and what came of it.
func (a Attempt) String() string {
	text := a.Step
	if a.Path != "" {
		text += ": " + a.Path
	}
	if a.Problem == "" {
		return text + ": loaded"
	}
	return text + ": " + a.reason()
}

func (a Attempt) reason() string {
	if a.Detail == "" {
		return string(a.Problem)
	}
	return fmt.Sprintf("%s: %s", a.Problem, a.Detail)
}

// broken lists the attempts that found a file which could not be loaded.
func (r *Report) broken() []string {
	var list []string
	for _, a := range r.Attempts {
		if a.Problem != "" && a.Problem != NoFile {
			list = append(list, a.Path+": "+a.reason())
		}
	}
	return list
}
