package shmem

import (
	"os"
	"strconv"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/internal/env"
)

// weakened is weak mode.
func weakened(o Options, h engine.Heap) (engine.Heap, error) {
	if o.Weak != 0 {
		h = weak.Wrap(h, o.Weak)
	}
	return h, nil
}

// weakSeed settles option and environment.
func (o Options) weakSeed() (uint64, error) {
	text := os.Getenv(env.Weak)
	if o.Weak != 0 || text == "" {
		return o.Weak, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, problem(ErrArgument, "%s=%q is not a seed: use a number from 1 on, or 0 for none", env.Weak, text)
	}
	return seed, nil
}
