package shmem

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
)

// weakened is weak mode. In race mode the operations are late by themselves: what comes
// from a queue would have no line of the program.
func weakened(o Options, h engine.Heap) (engine.Heap, error) {
	if o.Weak != 0 && !o.local.late() {
		h = engines.Weak(h, o.Weak, o.local == nil)
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

// again says how to see once more what went wrong because of the seed; "" out of weak
// mode.
func (w *World) again() string {
	switch {
	case w.info.Weak == 0:
		return ""
	case w.info.Launcher != "none":
		return fmt.Sprintf("weak mode, seed %d: to see this again run the same with %s=%d", w.info.Weak, env.Weak, w.info.Weak)
	}
	return fmt.Sprintf("weak mode, seed %d: to see this again run %s=%d %s", w.info.Weak, env.Weak, w.info.Weak, strings.Join(os.Args, " "))
}

// tellAgain writes that to stderr, unless this PE has only followed another one.
func (w *World) tellAgain(err error) {
	if text := w.again(); text != "" && !errors.Is(err, ErrFailed) && !errors.Is(err, ErrDied) {
		fmt.Fprintf(os.Stderr, "shmem: PE %d: %s\n", w.rank, text)
	}
}
