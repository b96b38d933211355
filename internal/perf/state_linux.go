package perf

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// bind moves the calling thread to a core.
func bind(core int) error {
	var one unix.CPUSet
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("bind to core %d: %w", core, err)
	}
	return nil
}

// twoCores returns the first two cores that this process may use, fewer if it
// may use fewer.
func twoCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cores available here: %w", err)
	}
	var cores []int
	for c := 0; len(cores) < min(2, set.Count()); c++ {
		if set.IsSet(c) {
			cores = append(cores, c)
		}
	}
	return cores, nil
}
