package main

import (
	"fmt"
	"os"
	"strings"
)

// allowance is one line of a list of skips: what may be skipped, and for which
// reason only. The test is a name, a name with /* for its subtests, or * for all.
type allowance struct{ code, pkg, test string }

func (a allowance) covers(s skipped) bool {
	if a.code != s.code || a.pkg != s.pkg {
		return false
	}
	if prefix, ok := strings.CutSuffix(a.test, "*"); ok {
		return strings.HasPrefix(s.test, prefix)
	}
	return a.test == s.test
}

// find is the index of the first allowance that covers s, or -1.
func find(allowed []allowance, s skipped) int {
	for i, a := range allowed {
		if a.covers(s) {
			return i
		}
	}
	return -1
}

// loadSkips reads the list; no name is no list.
func loadSkips(name string) ([]allowance, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the list of skips: %w", err)
	}
	return parseSkips(name, string(text))
}

// parseSkips reads lines of code, package and test; # starts a comment.
func parseSkips(name, text string) ([]allowance, error) {
	var list []allowance
	line := 0
	for raw := range strings.Lines(text) {
		line++
		raw, _, _ = strings.Cut(raw, "#")
		fields := strings.Fields(raw)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: want `code package test`, got %d words", name, line, len(fields))
		}
		list = append(list, allowance{fields[0], fields[1], fields[2]})
	}
	return list, nil
}
