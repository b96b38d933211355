package info

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// Library is what is known about one vendor library.
type Library struct {
	Name    string     `json:"name"`
	Path    string     `json:"path,omitempty"` // "" if it could not be loaded
	Version string     `json:"version,omitempty"`
	Problem string     `json:"problem,omitempty"`
	Copies  []string   `json:"copies,omitempty"` // all files of it that a search may meet
	Report  *dl.Report `json:"report,omitempty"`
}

// probeTimeout is how long the constructors of the libraries may take together.
const probeTimeout = 20 * time.Second

// mark starts the lines of a probing process that are meant for us; constructors
// of libraries may print as well.
const mark = "goshmem-probe:"

// Prober makes the command that calls ServeProbe with these names in a process of
// its own: a library that crashes when it is loaded must not take us along. A nil
// Prober loads them in this process.
type Prober func(ctx context.Context, names []string) *exec.Cmd

// ServeProbe loads the libraries and writes a line about each. It is what the
// process does that a Prober starts.
func ServeProbe(out io.Writer, names []string) error {
	for _, name := range names {
		spec, err := abi.Find(name)
		if err != nil {
			return err
		}
		line, err := json.Marshal(load(spec))
		if err != nil {
			return fmt.Errorf("describe library %s: %w", name, err)
		}
		if _, err := fmt.Fprintf(out, "\n%s%s\n", mark, line); err != nil {
			return fmt.Errorf("write about library %s: %w", name, err)
		}
	}
	return nil
}

func load(spec dl.Spec) Library {
	l, report, err := dl.Open(spec)
	lib := Library{Name: spec.Name, Report: report, Copies: dl.Copies(spec)}
	var lacking *dl.SymbolError
	switch {
	case err == nil:
		lib.Path, lib.Version = l.Path(), l.Version()
	case errors.As(err, &lacking):
		lib.Path, lib.Version = lacking.Path, lacking.Version
	}
	if err != nil {
		lib.Problem = err.Error()
	}
	return lib
}

// Libraries probes all libraries: in one process, which is fast, and where that
// one dies, each of the rest in its own. It waits for those processes.
func (p Prober) Libraries(ctx context.Context) []Library {
	if p == nil {
		return loadHere()
	}
	var names []string
	for _, s := range abi.All() {
		names = append(names, s.Name)
	}
	list, err := p.probe(ctx, names)
	if err == nil {
		return list
	}
	for _, name := range names[len(list):] {
		one, err := p.probe(ctx, []string{name})
		if err != nil {
			one = []Library{{Name: name, Problem: "loading it failed: " + err.Error()}}
		}
		list = append(list, one...)
	}
	return list
}

func loadHere() []Library {
	var list []Library
	for _, s := range abi.All() {
		list = append(list, load(s))
	}
	return list
}

// probe returns what one process could tell, and how it ended if not all of it.
func (p Prober) probe(ctx context.Context, names []string) ([]Library, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	command := p(ctx, names)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	command.WaitDelay = time.Second // a library's own child may keep the pipes open
	err := command.Run()
	list := parseProbe(&out, names)
	switch {
	case len(list) == len(names):
		return list, nil
	case ctx.Err() != nil:
		return list, fmt.Errorf("no answer within %v", probeTimeout)
	case err == nil:
		return list, errors.New("the process that loads it said nothing")
	}
	return list, fmt.Errorf("%w: %s", err, firstLine(problems.String()))
}

// parseProbe reads the lines about names, in their order, up to the first one
// that is missing or torn.
func parseProbe(in io.Reader, names []string) []Library {
	list := make([]Library, 0, len(names))
	lines := bufio.NewReader(in)
	for len(list) < len(names) {
		line, err := lines.ReadString('\n')
		if text, ok := strings.CutPrefix(line, mark); ok {
			var lib Library
			if json.Unmarshal([]byte(text), &lib) != nil || lib.Name != names[len(list)] {
				break
			}
			list = append(list, lib)
		}
		if err != nil {
			break
		}
	}
	return list
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
