package launcher

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// availableCores returns the cores that this process may use.
func availableCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cores available here: %w", err)
	}
	var cores []int
	for c := range len(set) * int(word) * 8 {
		if set.IsSet(c) {
			cores = append(cores, c)
		}
	}
	return cores, nil
}

// bindThread moves the calling thread to a core; -1: it stays where it is.
func bindThread(core int) error {
	if core < 0 {
		return nil
	}
	var one unix.CPUSet
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("bind to core %d: %w", core, err)
	}
	return nil
}
