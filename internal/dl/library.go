package dl

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Library is a loaded library. It stays loaded until the process ends: vendor
// libraries own threads, signal handlers and device state, and none survives
// being unloaded.
type Library struct {
	spec    Spec
	report  *Report
	handle  uintptr
	symbols map[string]uintptr // 0: the loaded version lacks it
}

// Report tells how the library was found.
func (l *Library) Report() *Report { return l.report }

// Path is the file that was loaded, links resolved.
func (l *Library) Path() string { return l.report.Path }

// Lookup returns the address of a function in the Spec's table. For an optional
// one that this version lacks, the error is a *SymbolError with the version that
// added it.
func (l *Library) Lookup(name string) (uintptr, error) {
	addr, known := l.symbols[name]
	if !known {
		return 0, fmt.Errorf("%s: %w: %s is not in our table of its functions", l.spec.Name, ErrSymbol, name)
	}
	if addr == 0 {
		return 0, l.missing(func(s Symbol) bool { return s.Name == name })
	}
	return addr, nil
}

// missing is the error about the absent symbols that match.
func (l *Library) missing(match func(Symbol) bool) error {
	e := &SymbolError{Library: l.spec.Name, Path: l.report.Path, Version: l.Version()}
	for _, s := range l.spec.Symbols {
		if l.symbols[s.Name] == 0 && match(s) {
			e.Missing = append(e.Missing, s)
		}
	}
	return e
}

// Version is what the library says about itself, else what its file name says,
// else "". It may call into the library.
func (l *Library) Version() string {
	if v := l.ask(); v != "" {
		return v
	}
	_, version, _ := strings.Cut(filepath.Base(l.report.Path), ".so.")
	return version
}
