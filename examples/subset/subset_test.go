package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
)

func TestSubset(t *testing.T) {
	program := jobtest.Build(t, ".")
	jobtest.Expect(t, jobtest.Run(t, 3, program),
		"PE 0 of 2, in the world of ranks 0 2",
		"PE 1 of 2, in the world of ranks 0 2",
		"PE 0 of 1, in the world of ranks 1")
}
