package engine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

const module = "github.com/goshmem/goshmem/"

// Site is the file:line of the innermost caller outside this module's own
// packages: the line of the user's program. It costs about a microsecond, so
// hot calls ask for it only when they have to wait.
func Site() string {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
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
