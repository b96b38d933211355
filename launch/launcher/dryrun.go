package launcher

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// DryRun writes what Run would start, one block per rank, and starts nothing.
// Values that are drawn anew for every job stand in angle brackets.
func DryRun(w io.Writer, s Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	cores, err := s.Cores()
	if err != nil {
		return &Error{1, err}
	}
	dir := s.Dir
	if dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return &Error{1, fmt.Errorf("working directory: %w", err)}
		}
	}
	var b strings.Builder
	m := shown(s.N)
	if s.Nodes != nil {
		m = s.Nodes.shown(s.N)
		fmt.Fprintf(&b, "node  %d of %d: the numbers of ranks are those of a job with -n %d on every node\n", m.node, m.nodes, s.N)
	}
	for r := range s.N {
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(s.prefix(m.first+r)))
		for _, line := range override(m.exported(r), s.Env) {
			fmt.Fprintf(&b, "  env   %s\n", line)
		}
		if core := cores[r]; core >= 0 {
			fmt.Fprintf(&b, "  core  %d\n", core)
		}
		fmt.Fprintf(&b, "  dir   %s\n  run   %s\n", dir, quoted(s.Argv))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return &Error{1, err}
	}
	return nil
}

// quoted writes a command as one would type it in a shell.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
