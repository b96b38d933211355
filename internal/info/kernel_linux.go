package info

import (
	"os"

	"golang.org/x/sys/unix"
)

func (k *Kernel) ask() {
	k.Memfd, k.Pidfd, k.Borrow = hasMemfd(), hasPidfd(), canBorrow()
	k.Shm = fileSystem("/dev/shm")
}

func hasMemfd() bool {
	fd, err := unix.MemfdCreate("goshmem-info", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return false
	}
	return unix.Close(fd) == nil
}

func hasPidfd() bool {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	return unix.Close(fd) == nil
}

// canBorrow tries on this process what libraries do to their peers. A process may
// always do it to itself, so a refusal comes from a filter of system calls, or from
// a kernel that does not have them. To read at address 0 fails in any case, but
// with another error.
func canBorrow() bool {
	target := make([]byte, 1)
	local := []unix.Iovec{{Base: &target[0], Len: 1}}
	if _, err := unix.ProcessVMReadv(os.Getpid(), local, []unix.RemoteIovec{{Len: 1}}, 0); err == unix.EPERM || err == unix.ENOSYS {
		return false
	}
	process, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	fd, err := unix.PidfdGetfd(process, process, 0)
	if closeErr := unix.Close(process); err != nil || closeErr != nil {
		return false
	}
	return unix.Close(fd) == nil
}

func fileSystem(path string) FileSystem {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return FileSystem{}
	}
	return FileSystem{int64(fs.Blocks) * fs.Bsize, int64(fs.Bavail) * fs.Bsize, unix.Access(path, unix.W_OK|unix.X_OK) == nil}
}

// Usable says whether this user may open a device file. It asks without opening:
// opening a device can start its driver.
func Usable(path string) bool { return unix.Access(path, unix.R_OK|unix.W_OK) == nil }
