//go:build !amd64 || race

package reduce

import "testing"

// variants runs check: there is only plain Go.
func variants(t *testing.T, check func(t *testing.T)) { t.Run("go", check) }
