package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// engine is one way to have symmetric memory on the GPUs, and what its suite said.
type engine struct {
	Name    string  `json:"name"`
	Result  string  `json:"result"` // pass, fail, skip
	Why     string  `json:"why,omitempty"`
	Seconds float64 `json:"seconds"`
}

// suite is the test that an engine has to pass, and why it cannot run here; "" if it can.
type suite struct {
	engine, folder, test string
	cannot               func() string
}

func suites() []suite {
	return []suite{
		{"ipc", "./shmem", "TestConformanceDevice", func() string { return "" }},
		{"rocshmem", "./internal/engine/rocshmem", "TestConformance", noShim},
	}
}

// noShim says that the shim over rocSHMEM was not built.
func noShim() string {
	spec := abi.ROCSHMEM()
	if os.Getenv(spec.PathVar) == "" {
		return fmt.Sprintf("set %s to %s, which is built from native/rocshmem (its README says how)%s", spec.PathVar, spec.Sonames[0], found(spec))
	}
	return ""
}

func found(spec dl.Spec) string {
	if all := dl.Copies(spec); len(all) > 0 {
		return "; there is " + strings.Join(all, ", ")
	}
	return ""
}

// run has the suite run.
func (s suite) run() engine {
	if why := s.cannot(); why != "" {
		return engine{Name: s.engine, Result: "skip", Why: why}
	}
	c := exec.Command("go", "test", "-json", "-count=1", "-timeout=20m", "-run", "^"+s.test+"$", s.folder)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	failure := c.Run()
	return s.judge(&out, failure)
}

// said is how much of what a failed suite wrote is kept.
const said = 2000

// judge reads what `go test -json` has written. A suite of which nothing was heard failed.
func (s suite) judge(out io.Reader, failure error) engine {
	e := engine{Name: s.engine, Result: "fail"}
	text := ""
	for d := json.NewDecoder(out); ; {
		var line struct {
			event
			Output string
		}
		if err := d.Decode(&line); err != nil {
			failure = errors.Join(failure, unlessEnd(err))
			break
		}
		text += line.Output
		if line.Test == s.test && (line.Action == "pass" || line.Action == "fail" || line.Action == "skip") {
			e.Result, e.Seconds = line.Action, line.Elapsed
		}
	}
	if failure != nil {
		e.Result = "fail"
	}
	if e.Result != "pass" {
		e.Why = cmp.Or(text[max(0, len(text)-said):], fmt.Sprint(failure))
	}
	return e
}

func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// engineTable is the report on the engines, a line for each.
func (r report) engineTable() string {
	if len(r.Engines) == 0 {
		return ""
	}
	text := "\n| engine | result | seconds |\n|---|---|---|\n"
	for _, e := range r.Engines {
		text += fmt.Sprintf("| %s | %s | %.1f |\n", e.Name, e.Result, e.Seconds)
	}
	return text
}
