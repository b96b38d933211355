package shmem

import (
	"os"

	"github.com/goshmem/goshmem/internal/env"
)

// Race says whether a world of goroutine PEs runs in race mode, if the program was built
// with -race. There every put, get and atomic on a PE happens as on a network and no
// sooner than the memory model promises: after its call, before the quiet or barrier that
// completes it, in the order of fences and signals only. The race detector then reports
// what a program has not ordered, with both lines. See docs/races.md.
type Race int

// The values of Race.
const (
	RaceDefault Race = iota // as GOSHMEM_RACE says; on without it
	RaceOn
	RaceOff
)

// race settles option and environment.
func (o Options) race() (bool, error) {
	text := os.Getenv(env.Race)
	switch {
	case o.Race < RaceDefault || o.Race > RaceOff:
		return false, problem(ErrArgument, "Options.Race of %d: use RaceOn or RaceOff", o.Race)
	case o.Race != RaceDefault:
		return o.Race == RaceOn, nil
	case text != "" && text != "0" && text != "1":
		return false, problem(ErrArgument, "%s=%q is neither 0 nor 1", env.Race, text)
	}
	return text != "0", nil
}
