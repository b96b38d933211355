package ucx

import (
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// mapMemory gives zeroed memory that is not Go's.
func mapMemory(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
}

// space says how many bytes are free in a folder, and whether this process may write there.
func space(dir string) (free uint64, writable bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), unix.Access(dir, unix.W_OK) == nil
}

// sleepOn sleeps until a descriptor can be read, or for so long. That a signal ended it
// early does no harm.
func sleepOn(fd int, longest time.Duration) {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, _ = unix.Poll(fds[:], int(longest.Milliseconds()))
}

// nap sleeps for much less than a millisecond, which is the least that the timers of an idle
// Go program take.
func nap(d time.Duration) {
	ts := unix.NsecToTimespec(d.Nanoseconds())
	_ = unix.Nanosleep(&ts, nil) // that a signal ended it early does no harm
}

// quietAborts has an assertion that fails inside UCX end the process with the line that UCX
// writes about it, and not with the stacks of all goroutines, which hide what others say.
func quietAborts() { signal.Ignore(unix.SIGABRT) }
