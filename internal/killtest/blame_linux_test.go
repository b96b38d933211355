package killtest

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
)

// TestBlame: the launcher names the rank that failed, not one of those that end
// because of it, and exits with its status.
func TestBlame(t *testing.T) {
	program := jobtest.Build(t, "./testdata/blame")
	for _, how := range []struct {
		name string
		code int
	}{{"error", 1}, {"panic", 2}} {
		for range 15 {
			result := jobtest.Fail(t, 4, program, how.name)
			if result.First != 1 || result.Ranks[1].Code != how.code {
				t.Fatalf("%s on PE 1: %s", how.name, result.Report())
			}
		}
	}
}
