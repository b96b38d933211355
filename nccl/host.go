package nccl

import "github.com/goshmem/goshmem/internal/ccl"

// openHost opens the host library.
func openHost() (ccl.Library, error) {
	return nil, problem(ErrUnsupported, "the host library is not part of this build")
}
