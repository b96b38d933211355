package host

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// watch notices the end of every other PE's process: the kernel makes a pidfd
// readable at that moment. It returns a function that ends the watch.
func watch(h *Heap, cards []card) (stop func() error, err error) {
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	w := &watcher{h: h, done: make(chan struct{}), fds: []unix.PollFd{{Fd: int32(event), Events: unix.POLLIN}}}
	for _, c := range cards {
		if c.rank != h.rank && c.process >= 0 {
			w.pes = append(w.pes, c.rank)
			w.fds = append(w.fds, unix.PollFd{Fd: int32(c.process), Events: unix.POLLIN})
		}
	}
	go w.run()
	return func() error {
		one := [8]byte{0: 1}
		if _, err := unix.Write(event, one[:]); err != nil {
			return fmt.Errorf("stop the watch: %w", err)
		}
		<-w.done
		return unix.Close(event)
	}, nil
}

type watcher struct {
	h    *Heap
	pes  []int         // of fds[1:]
	fds  []unix.PollFd // fds[0] ends the watch
	done chan struct{}

	passes int // how often poll has reported something
}

func (w *watcher) run() {
	defer close(w.done)
	for len(w.fds) > 1 {
		if _, err := unix.Poll(w.fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			w.h.Fail(fmt.Sprintf("cannot watch the other PEs: %v", err), engine.Stays)
			return
		}
		if w.fds[0].Revents != 0 {
			return
		}
		w.pass()
	}
}

// pass handles all processes that have ended, and then alarms this PE: who looks
// earlier could take one that follows for the one that died first.
func (w *watcher) pass() {
	w.passes++
	news := false
	for i := len(w.fds) - 1; i > 0; i-- {
		if w.fds[i].Revents != 0 {
			news = w.ended(i) || news
		}
	}
	if news {
		w.h.alarm(w.h.rank)
	}
}

// ended handles the end of the process behind fds[i] and watches it no more. It
// says whether that is news.
func (w *watcher) ended(i int) bool {
	pe, fd := w.pes[i-1], int(w.fds[i].Fd)
	w.fds = append(w.fds[:i], w.fds[i+1:]...)
	w.pes = append(w.pes[:i-1], w.pes[i:]...)
	c := w.h.ctl[pe]
	switch c.getState() {
	case engine.Finalized, engine.Left:
		return false
	case engine.Failed:
		w.h.far.relay(pe, &obit{})
		if code := c.exit.Load(); code > 0 { // PE asked the whole job to exit
			w.h.far.hurry()
			w.h.own.state.CompareAndSwap(uint32(engine.Running), uint32(engine.Left))
			os.Exit(int(code) - 1)
		}
	default:
		o := &obit{obituary(fd, w.h.peers[pe].pid) + lastWords(c), 2 * w.passes}
		if strings.HasPrefix(o.text, exited) { // it may have done so over the death of another, noticed only now
			o.order++
		}
		w.h.obits[pe].Store(o)
		w.h.far.relay(pe, o)
	}
	return true
}

// exited begins the obituary of a process that no signal has ended.
const exited = "exited with status "

// obituary says how a process ended, as far as a process that is not its parent
// can learn: from the zombie, or from the kernel once the parent has collected it.
func obituary(pidfd, pid int) string {
	status, ok := zombieStatus(pid)
	if !ok {
		status, ok = collectedStatus(pidfd)
	}
	switch ws := unix.WaitStatus(status); {
	case !ok:
		return "died"
	case ws.Signaled():
		return "died with " + unix.SignalName(ws.Signal())
	default:
		return fmt.Sprintf("%s%d without finalize", exited, ws.ExitStatus())
	}
}

// zombieStatus reads the wait status from the last field of the process's stat.
func zombieStatus(pid int) (uint32, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(stat, []byte(") "))
	fields := bytes.Fields(rest)
	if !found || len(fields) < 2 || fields[0][0] != 'Z' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(fields[len(fields)-1]), 10, 32)
	return uint32(code), err == nil
}

// collectedStatus asks the kernel (6.15 or newer) what became of a process.
func collectedStatus(pidfd int) (uint32, bool) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	err := unix.IoctlPidfdInfo(pidfd, &info)
	return uint32(info.Exit_code), err == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0
}
