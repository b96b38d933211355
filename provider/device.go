package provider

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// deviceOf is where the symmetric memory of a world is.
func deviceOf(*shmem.World) (*gpu.Device, error) { return gpu.Open("host") }
