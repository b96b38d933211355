package host

import (
	"slices"

	"github.com/goshmem/goshmem/internal/ccl"
)

// copied is a copy of counts that stays as it is.
func copied(c *ccl.Counts) *ccl.Counts {
	return &ccl.Counts{Send: slices.Clone(c.Send), SendAt: slices.Clone(c.SendAt), Recv: slices.Clone(c.Recv), RecvAt: slices.Clone(c.RecvAt)}
}

// fit says whether there are counts of so many ranks.
func fit(c *ccl.Counts, ranks int) bool {
	return c != nil && len(c.Send) == ranks && len(c.SendAt) == ranks && len(c.Recv) == ranks && len(c.RecvAt) == ranks
}
