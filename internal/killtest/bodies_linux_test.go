package killtest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// bodyProgram is: name of the body.
func bodyProgram(args []string) {
	ctx := context.Background()
	if err := play(ctx, must(shmem.Init(ctx, options(args[0]))), args[0]); err != nil {
		quit(err)
	}
}

// TestBodiesProcesses runs every body with a process per PE.
func TestBodiesProcesses(t *testing.T) {
	for _, n := range []int{2, 4} {
		for name := range bodies() {
			t.Run(fmt.Sprintf("%s, %d PEs", name, n), func(t *testing.T) {
				if j := run(t, n, "body", name); j.Err != nil {
					t.Errorf("%v\n%s", j.Err, j.text())
				}
			})
		}
	}
}
