package host

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

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
		if c.rank != h.rank {
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

	order int // deaths so far
}

func (w *watcher) run() {
	defer close(w.done)
	for len(w.fds) > 1 {
		if _, err := unix.Poll(w.fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			w.h.Fail(fmt.Sprintf("cannot watch the other PEs: %v", err), -1)
			return
		}
		if w.fds[0].Revents != 0 {
			return
		}
		for i := len(w.fds) - 1; i > 0; i-- {
			if w.fds[i].Revents != 0 {
				w.ended(i)
			}
		}
	}
}

// ended handles the end of the process behind fds[i] and watches it no more.
func (w *watcher) ended(i int) {
	pe, fd := w.pes[i-1], int(w.fds[i].Fd)
	w.fds = append(w.fds[:i], w.fds[i+1:]...)
	w.pes = append(w.pes[:i-1], w.pes[i:]...)
	c := w.h.ctl[pe]
	switch c.getState() {
	case engine.Finalized, engine.Left:
		return
	case engine.Failed:
		if code := c.exit.Load(); code > 0 { // PE asked the whole job to exit
			w.h.own.state.CompareAndSwap(uint32(engine.Running), uint32(engine.Left))
			os.Exit(int(code) - 1)
		}
	default:
		w.order++
		w.h.obits[pe].Store(&obit{obituary(fd, w.h.peers[pe].pid) + lastWords(c), w.order})
	}
	w.h.alarm(w.h.rank)
}

// lastWords says why a PE gave a team up before its process ended: then it is not
// the one to blame.
func lastWords(c *control) string {
	for i := range c.slots {
		if quit(c.slots[i].arrived.Load()) {
			return " after this: " + loadText(c.reason[:])
		}
	}
	return ""
}

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
		return fmt.Sprintf("exited with status %d without finalize", ws.ExitStatus())
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
