package raw

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

// wishes are the fields of a configuration that the mask names.
func wishes(c *shmem.TeamConfig, mask int) shmem.TeamConfig {
	if c == nil || mask&TeamNumContexts == 0 {
		return shmem.TeamConfig{}
	}
	return *c
}

func splitStrided(ctx context.Context, parent *shmem.Team, start, stride, size int, c *shmem.TeamConfig, mask int) (*shmem.Team, error) {
	if parent == nil { // as in rocSHMEM: who is not in the parent is not in the child
		return nil, nil
	}
	return parent.SplitStrided(ctx, start, stride, size, wishes(c, mask))
}

func split2D(ctx context.Context, parent *shmem.Team, xrange int, xc *shmem.TeamConfig, xmask int, yc *shmem.TeamConfig, ymask int) (x, y *shmem.Team, err error) {
	return parent.Split2D(ctx, xrange, wishes(xc, xmask), wishes(yc, ymask))
}
