package engine

import "testing"

// TestOurs: library frames are skipped; programs, examples and tests are not.
func TestOurs(t *testing.T) {
	const m = "github.com/goshmem/goshmem/"
	for function, want := range map[string]bool{
		m + "shmem.Alloc[...]":                              true,
		m + "shmem.(*World).Barrier":                        true,
		m + "shmem.Array[int64].Free":                       true,
		m + "shmemtest.RunWith.func1":                       true,
		m + "internal/engine/host.(*gate).Meet":             true,
		"runtime.goexit":                                    true,
		"sync.(*Once).Do":                                   true,
		m + "shmem_test.TestRing.func1":                     false,
		m + "internal/engine/host_test.TestX":               false,
		m + "examples/ring.ring":                            false,
		m + "cmd/goshmem.main":                              false,
		m + "internal/conformance.Order":                    false,
		m + "internal/perf.Barrier":                         false,
		"main.main":                                         false,
		"main.ring.func1":                                   false,
		"example.com/physics.(*Grid[...]).Exchange":         false,
		"github.com/goshmem/goshmemology.Study":             false,
		"github.com/somebody/goshmem/shmem.Alloc":           false,
		"runtimes.Start":                                    false,
		"example.com/x/github.com/goshmem/goshmem/shmem.Do": false,
	} {
		if got := ours(function); got != want {
			t.Errorf("%s is ours: %v", function, got)
		}
	}
}
