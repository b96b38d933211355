package killtest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestBodies runs every body on goroutine PEs: in worlds whose members look at each
// other's flags, and in those large enough to count arrivals.
func TestBodies(t *testing.T) {
	for _, n := range []int{2, 4, 17, 40} {
		for name := range bodies() {
			t.Run(fmt.Sprintf("%s, %d PEs", name, n), func(t *testing.T) {
				errs := make([]error, n)
				// The end of a world that is out of order is an error, and not the one looked for.
				_ = shmem.RunLocal(t.Context(), n, options(name), func(ctx context.Context, w *shmem.World) error {
					errs[w.MyPE()] = play(ctx, w, name)
					return nil
				})
				for pe, err := range errs {
					if err != nil {
						t.Errorf("PE %d: %v", pe, err)
					}
				}
			})
		}
	}
}
