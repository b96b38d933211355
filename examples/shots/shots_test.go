package shots

import (
	"context"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// TestNew: vectors that cannot be taken in fours are refused.
func TestNew(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		p, err := provider.New(w)
		if err != nil {
			return err
		}
		defer p.Close()
		for _, n := range []int{0, -4, 6} {
			if _, err := New(ctx, p, p.Device(), n); err == nil || !strings.Contains(err.Error(), "a multiple of 4") {
				t.Errorf("%d numbers: %v", n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
