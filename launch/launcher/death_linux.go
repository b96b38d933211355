package launcher

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// death says how a rank ended.
type death struct {
	rank   int
	code   int
	signal string
}

// watch sends each rank's death to deaths, which has room for all, in the order
// in which they die: the report names the rank that failed first, and a thread
// per rank would be woken in any order. Where the kernel has no process
// descriptors (before 5.3) such threads are the way left.
func watch(ranks []*rank, deaths chan<- death) {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		poll = -1
	}
	watched := 0
	for i, r := range ranks {
		event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT, Fd: int32(i)}
		if r.pidfd >= 0 && unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, r.pidfd, &event) == nil {
			watched++
			continue
		}
		go func() { deaths <- r.await() }()
	}
	go func() {
		for watched > 0 {
			watched -= pass(poll, ranks, deaths)
		}
		unix.Close(poll)
	}()
}

// pass sends the deaths that poll reports next and returns how many.
func pass(poll int, ranks []*rank, deaths chan<- death) int {
	var events [64]unix.EpollEvent
	n, err := unix.EpollWait(poll, events[:], -1)
	if err != nil {
		return 0 // interrupted; our own descriptor and buffer cannot be wrong
	}
	for _, e := range events[:n] {
		deaths <- ranks[e.Fd].await()
	}
	return n
}

// await waits for the death of r and leaves it a zombie.
func (r *rank) await() death {
	var info unix.Siginfo
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_PID, r.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
	}
	if err != nil { // somebody else in this program waits for children that are not its own
		return death{rank: r.Rank, code: 1, signal: "an unknown cause (" + err.Error() + ")"}
	}
	status := int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), statusOffset)))
	if info.Code == cldExited {
		return death{rank: r.Rank, code: status}
	}
	return death{rank: r.Rank, code: statusSignal + status, signal: unix.SignalName(syscall.Signal(status))}
}

// The package that declares Siginfo leaves out the kernel's si_status and the
// meaning of si_code. The field follows three words, alignment, pid and uid.
const (
	cldExited    = 1
	word         = unsafe.Sizeof(uintptr(0))
	statusOffset = (12+word-1)/word*word + 8
)
