package raw_test

import (
	"maps"
	"slices"
	"testing"
)

// named puts the name of a case in front of what it has to say.
type named struct {
	testing.TB
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.TB.Errorf(n.name+": "+format, args...)
}

func (n named) Fatalf(format string, args ...any) {
	n.Helper()
	n.TB.Fatalf(n.name+": "+format, args...)
}

func (n named) Fatal(args ...any) { n.Helper(); n.TB.Fatal(append([]any{n.name + ":"}, args...)...) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
