package lint

import (
	"slices"
	"strconv"
	"strings"
)

// layer is where a package stands. Imports go down, never up.
type layer int

const (
	top       layer = iota // programs: cmd, examples, bench, and the tools that check the tree
	harness                // suites and benchmarks over the public packages
	public                 // what users import
	selection              // the list of compiled-in engines
	engines                // one way to run a world each
	seam                   // internal/engine, and what engines share
	leaf                   // everything below
)

// layerOf places a folder of the module.
func layerOf(dir string) layer {
	switch {
	case dir == "examples/progress", dir == "examples/shots": // libraries for examples, which their readers can import too
		return public
	case under(dir, "cmd"), under(dir, "examples"), under(dir, "bench"), under(dir, "contrib"), under(dir, "internal/ci"), under(dir, "internal/lint"):
		return top
	case under(dir, "internal/conformance"), under(dir, "internal/perf"), dir == "internal/ncclperf", under(dir, "internal/jobtest"), under(dir, "internal/killtest"), dir == "internal/testjob":
		return harness
	case dir == "internal/engines", dir == "internal/info", dir == "internal/doctor", dir == "internal/ccl/host": // which makes worlds of an engine
		return selection
	case dir == "internal/engine", dir == "internal/engine/block": // what engines over vendors' libraries have in common
		return seam
	case under(dir, "internal/engine"):
		return engines
	case under(dir, "internal"), dir == "gpu", under(dir, "interchange"), dir == "dtype", dir == "nccl/raw": // they have the types that engines and reductions speak of
		return leaf
	}
	return public
}

// under says whether dir is parent or below it.
func under(dir, parent string) bool { return dir == parent || strings.HasPrefix(dir, parent+"/") }

// importsOf lists a file's imports.
func importsOf(f *file) map[string]string {
	list := map[string]string{}
	for _, spec := range f.ast.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			list[name] = f.at(spec, "imports %s", name)
		}
	}
	return list
}

// checkDirections holds the arrows between the module's packages. Tests may look
// upwards.
func checkDirections(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		if f.isTest() {
			continue
		}
		for name, where := range importsOf(f) {
			target, ours := strings.CutPrefix(name, module+"/")
			if reason := forbidden(f.dir(), target); ours && reason != "" {
				bad = append(bad, where+": "+reason)
			}
		}
	}
	return bad
}

// forbidden says why a package must not import another; "" if it may.
func forbidden(from, to string) string {
	a, b := layerOf(from), layerOf(to)
	switch {
	case under(from, "examples"):
		if b != public && to != "gpu" && !under(to, "interchange") && to != "dtype" {
			return "an example uses what users can use"
		}
	case a == engines && b == engines && from != to && !under(to, from) && !under(from, to):
		return "engines do not know each other"
	case a == public && b == engines:
		return "engines are reached through the list of them"
	case b < a:
		return "imports go down: cmd, public packages, engines, leaves"
	}
	return ""
}

// checkDependencies holds which modules of others each package may use.
func checkDependencies(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		for name, where := range importsOf(f) {
			first, _, _ := strings.Cut(name, "/")
			if !strings.Contains(first, ".") || name == module || strings.HasPrefix(name, module+"/") {
				continue
			}
			if !allowedDependency(f, name) {
				bad = append(bad, where+", which this package must not depend on")
			}
		}
	}
	return bad
}

func allowedDependency(f *file, name string) bool {
	dir := f.dir()
	in := func(modules ...string) bool {
		return slices.ContainsFunc(modules, func(m string) bool { return under(name, m) })
	}
	switch {
	case in("golang.org/x/sys"):
		return true
	case in("github.com/ebitengine/purego"):
		return dir == "internal/dl" || dir == "examples/mpiexchange"
	case in("github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/go-analyze/charts"):
		return under(dir, "cmd") || dir == "internal/perf" || dir == "internal/chart"
	case in("pgregory.net/rapid", "github.com/google/go-cmp", "go.uber.org/goleak"):
		return f.isTest() || dir == "internal/conformance"
	}
	return false
}

// checkNoCgo keeps the module buildable without a C compiler.
func checkNoCgo(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		if where, uses := importsOf(f)["C"]; uses {
			bad = append(bad, where+": there is no cgo in this module")
		}
	}
	return bad
}

// checkUnsafe holds the list of packages that may touch raw memory.
func checkUnsafe(files []*file, allowed exceptions) []string {
	var bad []string
	for _, f := range goFiles(files) {
		if where, uses := importsOf(f)["unsafe"]; uses && !allowed.use(f.dir()) {
			bad = append(bad, where+", and its package is not in the list of those that may")
		}
	}
	return append(bad, allowed.unused()...)
}
