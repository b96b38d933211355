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

// watch reports the deaths of ranks in the order in which they die: the report
// names the rank that failed first, and a thread per rank would be woken in any
// order. Where the kernel has no process descriptors (before 5.3) such threads are
// the way left.
type watch struct {
	poll  int // epoll descriptor; -1: there is none
	added int
	rest  []*rank // those with a thread
}

func newWatch() *watch {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		poll = -1
	}
	return &watch{poll: poll}
}

// add begins to watch the i-th rank. The kernel keeps the order of deaths from here
// on, whenever run looks: so it comes at once after the fork. Ranks that meet by
// package launch do so only when all are watched.
func (w *watch) add(i int, r *rank) {
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT, Fd: int32(i)}
	if r.pidfd < 0 || unix.EpollCtl(w.poll, unix.EPOLL_CTL_ADD, r.pidfd, &event) != nil {
		w.rest = append(w.rest, r)
		return
	}
	w.added++
}

// run sends the deaths of all ranks that were added to deaths, which has room for
// them.
func (w *watch) run(ranks []*rank, deaths chan<- death) {
	for _, r := range w.rest {
		go func() { deaths <- r.await() }()
	}
	go func() {
		for left := w.added; left > 0; {
			left -= w.pass(ranks, deaths)
		}
		unix.Close(w.poll)
	}()
}

// pass sends the deaths that poll reports next and returns how many.
func (w *watch) pass(ranks []*rank, deaths chan<- death) int {
	var events [64]unix.EpollEvent
	n, err := unix.EpollWait(w.poll, events[:], -1)
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
