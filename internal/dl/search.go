package dl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The steps of a search as reports name them; a step of a home is its variable.
const (
	stepAsked    = "asked for"
	stepLoaded   = "already in the process"
	stepLoader   = "system loader"
	stepFolder   = "usual folder"
	stepPackages = "site-packages"
)

// candidate is a file to try. Its name is a path, or a bare name that the system
// loader resolves through LD_LIBRARY_PATH, its cache and its default folders.
type candidate struct{ step, name string }

// asked is the path that the user gave, and where.
func (s *Spec) asked() (candidate, bool) {
	if s.Path != "" {
		return candidate{stepAsked, s.Path}, true
	}
	if s.PathVar != "" && os.Getenv(s.PathVar) != "" {
		return candidate{s.PathVar, os.Getenv(s.PathVar)}, true
	}
	return candidate{}, false
}

// candidates lists what to try, in order. A home that the user names goes before
// what the system would take; what happens to lie in a Python environment or in
// a usual folder goes last, because nobody pointed at it.
func (s *Spec) candidates() []candidate {
	if c, ok := s.asked(); ok {
		return []candidate{c}
	}
	var list []candidate
	for _, h := range s.Homes {
		if root := os.Getenv(h.Var); root != "" {
			list = append(list, s.below(h.Var, root, h.Dirs)...)
		}
	}
	list = append(list, s.bare(stepLoader)...)
	for _, root := range s.Folders {
		list = append(list, s.below(stepFolder, root, []string{"."})...)
	}
	if len(s.Packages) > 0 {
		for _, root := range siteRoots() {
			list = append(list, s.below(stepPackages, root, s.Packages)...)
		}
	}
	return list
}

// bare is every soname by itself.
func (s *Spec) bare(step string) []candidate {
	list := make([]candidate, len(s.Sonames))
	for i, name := range s.Sonames {
		list[i] = candidate{step, name}
	}
	return list
}

// below is every soname in every folder below root. A folder may hold *, which
// is expanded; without a match the pattern itself is tried and reported.
func (s *Spec) below(step, root string, dirs []string) []candidate {
	var list []candidate
	for _, name := range s.Sonames {
		for _, dir := range dirs {
			pattern := filepath.Join(root, dir, name)
			for _, path := range expand(pattern) {
				list = append(list, candidate{step, path})
			}
		}
	}
	return list
}

// expand returns the files that match, or the pattern if none does. The pattern
// is our own but for its root; a root with glob characters in it matches nothing,
// which is then reported like any other missing file.
func expand(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	return found
}

// siteRoots lists the Python package folders that exist: those of the active
// environment first, then the user's, then the system's.
func siteRoots() []string {
	patterns := filepath.SplitList(os.Getenv("PYTHONPATH"))
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if root := os.Getenv(name); root != "" {
			patterns = append(patterns, filepath.Join(root, "lib/python3*/site-packages"))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		patterns = append(patterns, filepath.Join(home, ".local/lib/python3*/site-packages"))
	}
	patterns = append(patterns, "/usr/local/lib/python3*/*-packages", "/usr/lib/python3*/*-packages")
	var roots []string
	for _, p := range patterns {
		roots = append(roots, newestFirst(p)...)
	}
	return roots
}

// newestFirst expands a pattern over Python versions: 3.11 goes before 3.9, so
// the longer name is the newer one.
func newestFirst(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil // a malformed entry of PYTHONPATH names no folder
	}
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(b, a)
	})
	return found
}
