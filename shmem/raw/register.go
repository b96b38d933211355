package raw

import (
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
)

// register makes length bytes known; of nothing there are none.
func register(w *shmem.World, addr uintptr, length int) error {
	if addr == 0 || length < 0 {
		length = 0
	}
	return shmem.Register(w, mem.At[byte](addr, length))
}
