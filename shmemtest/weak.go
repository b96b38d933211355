package shmemtest

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/shmem"
)

// RunWeak is RunWith in weak mode, with the seeds from 1 to that many one after the other,
// each a subtest. It ends with the first seed that makes the body fail.
func RunWeak(t *testing.T, n, seeds int, o shmem.Options, body Body) {
	t.Helper()
	for seed := range uint64(seeds) {
		o.Weak = seed + 1
		if !t.Run(fmt.Sprintf("seed=%d", o.Weak), func(t *testing.T) { RunWith(t, n, o, body) }) {
			return
		}
	}
}

// again tells how to run a failed test of weak mode again, with the same seed.
func again(t *testing.T, o shmem.Options) {
	t.Helper()
	if text := command(t.Name(), o); t.Failed() && text != "" {
		t.Log(text)
	}
}

// command is what runs a test again; "" out of weak mode.
func command(test string, o shmem.Options) string {
	seed, err := strconv.ParseUint(os.Getenv(env.Weak), 10, 64)
	if seed = cmp.Or(o.Weak, seed); err != nil && o.Weak == 0 || seed == 0 {
		return ""
	}
	line := fmt.Sprintf("go test -count=1 -run '%s'", pattern(test))
	if o.Weak == 0 {
		line = fmt.Sprintf("%s=%d %s", env.Weak, seed, line)
	}
	return fmt.Sprintf("weak mode, seed %d: to see this again, in the folder of the package, %s", seed, line)
}
