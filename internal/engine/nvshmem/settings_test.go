package nvshmem

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// TestSettingsOfSeveral: the library keeps its network where PEs are on several machines.
func TestSettingsOfSeveral(t *testing.T) {
	for _, c := range []struct {
		machines []int
		without  bool
	}{{nil, true}, {[]int{0, 0}, true}, {[]int{0, 1}, false}} {
		got := slices.ContainsFunc(settings(engine.Job{Machines: c.machines}), func(s dl.Setting) bool { return s.Name == "NVSHMEM_REMOTE_TRANSPORT" })
		if got != c.without {
			t.Errorf("machines %v: no network: %v", c.machines, got)
		}
	}
}
