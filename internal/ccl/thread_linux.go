package ccl

import "golang.org/x/sys/unix"

// Thread is the number of the thread that the caller runs on. It means something while the
// goroutine holds its thread, as in a group.
func Thread() int { return unix.Gettid() }
