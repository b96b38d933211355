package dl

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// The sentinels that errors.Is finds in what Open and Lookup return.
var (
	// ErrNotFound means that no file of the library was found.
	ErrNotFound = errors.New("library not found")
	// ErrLoad means that a file was found and could not be loaded.
	ErrLoad = errors.New("library cannot be loaded")
	// ErrSymbol means that the library lacks a function.
	ErrSymbol = errors.New("symbol not found")
	// ErrUnsupported means that this operating system is not supported.
	ErrUnsupported = errors.New("loading vendor libraries is not supported here")
)

// LoadError is the error of Open when no library could be loaded.
type LoadError struct {
	Report *Report
	Err    error // ErrNotFound, ErrLoad or ErrUnsupported
}

// Unwrap gives the sentinel.
func (e *LoadError) Unwrap() error { return e.Err }

// Error names the library, and the reason: the files that were found and could
// not be loaded if there are any, else every place that was looked at.
func (e *LoadError) Error() string {
	r := e.Report
	switch e.Err {
	case ErrNotFound:
		return r.notFound()
	case ErrLoad:
		return r.noted(fmt.Sprintf("%s: %s", r.Library, strings.Join(r.broken(), "; ")))
	}
	return fmt.Sprintf("%s: %v", r.Library, e.Err)
}

func (r *Report) notFound() string {
	text := r.Library + ": there is no shared library to open"
	if len(r.Attempts) > 0 {
		text = fmt.Sprintf("%s: %s not found (tried %s)", r.Library, r.Wanted, strings.Join(tried(r.Attempts), ", "))
	}
	return r.noted(text)
}

// noted is a text with what the user can do behind it.
func (r *Report) noted(text string) string {
	if r.Note != "" {
		text += "; " + r.Note
	}
	return text
}

// tried gives the distinct places of attempts, in order: a folder is named once, by
// the first file that was looked for in it.
func tried(attempts []Attempt) []string {
	var places []string
	seen := map[string]bool{}
	for _, a := range attempts {
		place, folder := a.Path, filepath.Dir(a.Path)
		switch {
		case place == "":
			place, folder = a.Step, a.Step
		case folder == ".": // the loader looks for a bare name
			folder = place
		}
		if !seen[folder] {
			places = append(places, place)
		}
		seen[folder] = true
	}
	return places
}

// SymbolError says which functions a library lacks.
type SymbolError struct {
	Library string // the Spec's name
	Path    string // the file that was loaded
	Version string // of that file, "" if unknown
	Missing []Symbol
}

// Unwrap gives ErrSymbol.
func (e *SymbolError) Unwrap() error { return ErrSymbol }

// Error names every missing function with the version that added it, then the
// library that lacks them.
func (e *SymbolError) Error() string {
	names := make([]string, len(e.Missing))
	for i, s := range e.Missing {
		names[i] = s.Name
		if s.Since != "" {
			names[i] += " (since " + s.Since + ")"
		}
	}
	version := e.Version
	if version == "" {
		version = "unknown"
	}
	return fmt.Sprintf("%s: %s has no %s; its version is %s", e.Library, e.Path, strings.Join(names, ", "), version)
}
