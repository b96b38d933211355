package killtest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

// kind is which of the errors of a broken wait err is. The first that fits counts.
func kind(err error) string {
	for _, k := range []struct {
		name string
		is   error
	}{
		{"died", shmem.ErrDied},
		{"failed", shmem.ErrFailed},
		{"timeout", shmem.ErrTimeout},
		{"mismatch", shmem.ErrMismatch},
		{"cancelled", context.Canceled},
		{"lost", launch.ErrLost},
	} {
		if errors.Is(err, k.is) {
			return k.name
		}
	}
	return fmt.Sprintf("%T", err)
}
