package engine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const module = "github.com/goshmem/goshmem/"

// Site is the file:line of the innermost caller outside this module's own
// packages: the line of the user's program. It costs about a microsecond, so
// hot calls ask for it only when they have to wait.
func Site() string {
	var pcs [24]uintptr
	return siteIn(pcs[:runtime.Callers(2, pcs[:])])
}

// siteIn returns the first line of a program among some calls, "" if there is none.
func siteIn(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !ours(f.Function) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Sites is Site with a memory, for those who ask at every operation. Its zero value is
// ready; many goroutines may use it at once.
type Sites struct {
	mu    sync.RWMutex
	known map[[siteDepth]uintptr]string // by the calls that led there
}

const (
	siteDepth = 7    // enough calls to get from an operation to the program
	maxSites  = 4096 // then it forgets
)

// Here returns what Site does.
func (s *Sites) Here() string {
	var pcs [siteDepth]uintptr
	n := runtime.Callers(2, pcs[:])
	s.mu.RLock()
	site := s.known[pcs]
	s.mu.RUnlock()
	if site != "" {
		return site
	}
	if site = siteIn(slices.Clone(pcs[:n])); site == "" { // the program is further up
		return Site()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) == maxSites {
		s.known = map[[siteDepth]uintptr]string{}
	}
	s.known[pcs] = site
	return site
}

// ours says whether a function belongs to the library rather than to a program,
// an example or a test of it.
func ours(function string) bool {
	rest, found := strings.CutPrefix(function, module)
	if !found {
		return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "sync.")
	}
	pkg, _, _ := strings.Cut(rest[strings.LastIndex(rest, "/")+1:], ".")
	switch {
	case strings.HasSuffix(pkg, "_test"), strings.HasPrefix(rest, "examples/"), strings.HasPrefix(rest, "cmd/"), strings.HasPrefix(rest, "internal/conformance"), strings.HasPrefix(rest, "internal/perf"):
		return false
	}
	return true
}
