package dl

import "golang.org/x/sys/unix"

// mapMemory gives zeroed memory that is not Go's.
func mapMemory(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
}
