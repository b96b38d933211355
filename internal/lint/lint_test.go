package lint

import (
	"slices"
	"strings"
	"testing"
)

// rule is one house rule. Each has samples in samples_test.go.
type rule struct {
	name  string
	check func([]*file) []string
}

func rules() []rule {
	return []rule{
		{"directions", checkDirections},
		{"dependencies", checkDependencies},
		{"no cgo", checkNoCgo},
		{"unsafe", func(files []*file) []string { return checkUnsafe(files, unsafePackages()) }},
		{"file length", checkFileLength},
		{"function length", func(files []*file) []string { return checkFuncLength(files, longFunctions()) }},
		{"function statistics", checkFuncStatistics},
		{"docs", checkDocs},
		{"package comments", checkPackageComments},
		{"variables", func(files []*file) []string { return checkVariables(files, packageVariables()) }},
		{"skips", checkSkips},
		{"open marks", checkOpenMarks},
		{"machine paths", checkMachinePaths},
		{"registries", checkRegistries},
		{"generated", checkGenerated},
		{"examples", checkExamples},
		{"race mode", func(files []*file) []string { return checkRaceMode(files, outOfRaceMode()) }},
		{"embedded pointers", checkEmbeddedPointers},
	}
}

// TestHouseRules holds the whole tree to the rules.
func TestHouseRules(t *testing.T) {
	files := readTree(t)
	if len(goFiles(files)) < 20 {
		t.Fatalf("only %d Go files found: this is not the tree", len(goFiles(files)))
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			bad := r.check(files)
			slices.Sort(bad)
			for _, b := range bad {
				t.Error(b)
			}
		})
	}
}

// TestTreeLeavesOutWhatIsNotOurs makes sure that the walk sees this file and
// nothing of the folders that are not ours.
func TestTreeLeavesOutWhatIsNotOurs(t *testing.T) {
	self := false
	for _, f := range readTree(t) {
		self = self || f.path == "internal/lint/lint_test.go"
		if strings.Contains(f.path, "testdata/") || strings.HasPrefix(f.path, ".git/") || strings.HasPrefix(f.path, "tools/") {
			t.Errorf("%s is not ours to judge", f.path)
		}
	}
	if !self {
		t.Error("the walk does not find this file")
	}
}
