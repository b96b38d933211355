package shmem_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
)

// TestProgramsFault runs random programs with a random fault: those that are only late
// are right, all others end before their time is over, with an error that names the fault.
func TestProgramsFault(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	happened := 0
	for seed := range uint64(40) {
		for _, verb := range []string{"delay by=1ms", "slow by=100us", "kill", "fail", "exhaust upto=4", "lose"} {
			text := fmt.Sprintf("seed=%d %s", seed, verb)
			program := seeded(4, seed)
			told, err := withFault(t, text, program)
			struck := strings.Contains(told, ", at ")
			if struck {
				happened++
			}
			fatal := struck && !strings.Contains(verb, "by=")
			if fatal != (err != nil) || fatal && !strings.Contains(err.Error(), "fault") || fatal && strings.Contains(err.Error(), "timed out") {
				t.Errorf("GOSHMEM_FAULT='%s' (%s): %v\n%v", text, told, err, program)
			}
		}
	}
	if happened < 120 {
		t.Errorf("only %d of 240 faults have happened", happened)
	}
}

// withFault runs a program with a fault and returns also what was told of it.
func withFault(t *testing.T, text string, p conformance.Program) (told string, err error) {
	t.Helper()
	var mu sync.Mutex
	o := brief
	o.Fault, o.NodeSize = text, 2
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(format, "goshmem: fault: ") {
			told = fmt.Sprintf(format, args...)
		}
	}
	err = recorded(t, p.PEs, o, p.Run)
	return told, err
}
