//go:build !amd64 || race

package mem

import "testing"

// variants runs check: there is only Go's copy.
func variants(t *testing.T, check func(t *testing.T)) { t.Run("go", check) }

var edges = []int{1 << 10, 64 << 10}
