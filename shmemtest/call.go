package shmemtest

import (
	"fmt"
	"sync"
	"testing"
)

// calls counts the RunProcesses calls of each running test, so that parent and
// ranks, which run the same test, agree on which call a rank serves.
type calls struct {
	mu sync.Mutex
	n  map[*testing.T]int
}

var started = calls{n: map[*testing.T]int{}}

// nextCall names the next RunProcesses call of t.
func nextCall(t *testing.T) string {
	started.mu.Lock()
	defer started.mu.Unlock()
	if started.n[t] == 0 {
		t.Cleanup(func() {
			started.mu.Lock()
			defer started.mu.Unlock()
			delete(started.n, t)
		})
	}
	started.n[t]++
	return fmt.Sprintf("%s#%d", t.Name(), started.n[t])
}
