package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// outOfRaceMode are the tests that the race detector does not see, or not in race mode: a
// file, or a function that turns race mode off.
func outOfRaceMode() exceptions {
	const (
		none  = "the race detector allocates by itself"
		other = "is about a part that builds with -race do not have"
		alien = "the race detector does not see memory that is not Go's"
	)
	return except(map[string]string{
		"gpu/allocs_test.go":                                        none,
		"internal/device/vendor/norace_test.go":                     other,
		"internal/dl/norace_test.go":                                other,
		"internal/ucx/norace_test.go":                               other,
		"internal/engine/host/processes_linux_test.go":              alien,
		"internal/engine/host/span_linux_test.go":                   alien,
		"internal/ccl/host/process_linux_test.go":                   alien,
		"internal/engine/ipc/open_linux_test.go":                    alien,
		"internal/engine/nvshmem/job_linux_test.go TestConformance": alien,
		"internal/engine/rocshmem/conformance_linux_test.go":        alien,
		"nccl/norace_test.go":                                       other,
		"nccl/raw/norace_test.go":                                   other,
		"internal/mem/torn_test.go":                                 "it looks at what is being stored",
		"internal/mem/variants_test.go":                             other,
		"internal/reduce/variants_test.go":                          other,
		"shmem/allocs_test.go":                                      none,
		"shmem/checked_test.go misusing":                            "changes what is being put, which is what it tests",
		"shmem/conformance_test.go TestConformance":                 "runs the suite once more on the fast paths",
		"shmem/conformance_test.go each":                            "words in one piece: it looks at what is being put",
		"shmem/conformance_test.go TestConformanceWeak":             "half of weak mode, since race mode takes the place of its engine",
		"shmem/faultshrink_test.go":                                 "takes minutes under the race detector",
		"shmem/mutants_test.go":                                     "most planted bugs are data races",
		"shmem/norace_test.go":                                      other,
		"shmem/raw/allocations_test.go":                             none,
		"shmem/allocs_stream_test.go":                               none,
	})
}

// checkRaceMode: tests run in race mode, but for those that are listed.
func checkRaceMode(files []*file, allowed exceptions) []string {
	var bad []string
	for _, f := range files {
		if f.ast == nil || !f.isTest() {
			continue
		}
		constraint, _, _ := strings.Cut(f.text, "\n")
		if strings.HasPrefix(constraint, "//go:build ") && strings.Contains(constraint, "!race") && !allowed.use(f.path) {
			bad = append(bad, fmt.Sprintf("%s: is not built with -race: list it with the reason", f.path))
		}
		for _, d := range f.ast.Decls {
			if n := raceOff(d); n != nil && !allowed.use(f.path+" "+declared(d)) {
				bad = append(bad, f.at(n, "%s turns race mode off: list it with the reason", declared(d)))
			}
		}
	}
	return append(bad, allowed.unused()...)
}

// raceOff is where a declaration turns race mode off, nil if it does not.
func raceOff(d ast.Decl) (at ast.Node) {
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "RaceOff" {
			at = n
		}
		return true
	})
	return at
}

// declared is the name of a function, or what else a declaration is.
func declared(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Name.Name
	}
	return "a declaration"
}

// checkEmbeddedPointers: in what race mode goes through nothing embeds a pointer. The compiler reaches its
// methods through an interface by a jump, and then the race detector keeps a frame for
// ever at each call: its reports name lines long past.
func checkEmbeddedPointers(files []*file) []string {
	var bad []string
	through := []string{"internal/engine/faulty", "internal/engine/host", "internal/engine/network", "internal/engine/weak", "shmem"}
	for _, f := range files {
		if f.ast == nil || f.isTest() || !slices.Contains(through, f.dir()) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if _, pointer := field.Type.(*ast.StarExpr); pointer && field.Names == nil {
						bad = append(bad, f.at(field, "an embedded pointer, whose methods confuse the race detector: embed an interface"))
					}
				}
			}
			return true
		})
	}
	return bad
}
