package dl

import (
	"cmp"
	"os"
	"os/exec"
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
// what the system would take, unless the vendor's own tools see it otherwise; what happens to lie in a Python environment or in
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
	if loader := s.bare(stepLoader); s.LoaderFirst {
		list = append(loader, list...)
	} else {
		list = append(list, loader...)
	}
	for _, root := range s.Folders {
		list = append(list, s.below(stepFolder, root, []string{"."})...)
	}
	if len(s.Packages) > 0 {
		list = append(list, s.python()...)
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

// python is what lies in Python environments: Conda keeps the libraries of vendors
// among its own, everything else below packages.
func (s *Spec) python() []candidate {
	var list []candidate
	if root := os.Getenv("CONDA_PREFIX"); root != "" {
		list = s.below("CONDA_PREFIX", root, []string{"lib"})
	}
	for _, root := range siteRoots() {
		list = append(list, s.below(stepPackages, root, s.Packages)...)
	}
	return list
}

// expand returns the files that match, the newest version first, or the pattern if
// none does. The pattern is our own but for its root; a root with glob characters in
// it matches nothing, which is then reported like any other missing file.
func expand(pattern string) []string {
	found := newestFirst(pattern)
	if len(found) == 0 {
		return []string{pattern}
	}
	return found
}

// siteRoots lists the Python package folders that exist, each once: what PYTHONPATH
// names, then those of the active environment, of the python3 that is run, of the
// user and of the system.
func siteRoots() []string {
	patterns := filepath.SplitList(os.Getenv("PYTHONPATH"))
	for _, prefix := range prefixes() {
		for _, lib := range []string{"lib", "lib64"} {
			patterns = append(patterns, filepath.Join(prefix, lib, "python3*", "*-packages"))
		}
	}
	var roots []string
	seen := map[string]bool{}
	for _, pattern := range patterns {
		for _, root := range newestFirst(pattern) {
			if real, err := filepath.EvalSymlinks(root); err == nil && !seen[real] {
				roots, seen[real] = append(roots, root), true
			}
		}
	}
	return roots
}

// prefixes lists where Python may be installed. An environment that is used by its
// path, without being activated, is known by the python3 in PATH; its own folder goes
// before the one that its link leads to.
func prefixes() []string {
	list := []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX")}
	if python, err := exec.LookPath("python3"); err == nil {
		list = append(list, filepath.Dir(filepath.Dir(python)))
		if real, err := filepath.EvalSymlinks(python); err == nil {
			list = append(list, filepath.Dir(filepath.Dir(real)))
		}
	}
	user := os.Getenv("PYTHONUSERBASE")
	if home, err := os.UserHomeDir(); err == nil && user == "" {
		user = filepath.Join(home, ".local")
	}
	list = append(list, user, "/usr/local", "/usr")
	return slices.DeleteFunc(list, func(prefix string) bool { return prefix == "" })
}

// newestFirst expands a pattern over versions.
func newestFirst(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil // a malformed entry of PYTHONPATH names no folder
	}
	slices.SortFunc(found, func(a, b string) int { return compareVersions(b, a) })
	return found
}

// compareVersions orders paths by their numbers as numbers, 3.9 before 3.11, and a
// name before its continuations, 7.1 before 7.1.1.
func compareVersions(a, b string) int {
	a, b = strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00")
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is how many decimal digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
