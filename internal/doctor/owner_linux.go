package doctor

import (
	"io/fs"
	"syscall"
)

// owner is the user that a file belongs to; -1: unknown.
func owner(file fs.FileInfo) int {
	if st, ok := file.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
