package host

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// slay kills the processes of PEs, this one last. What they die of is written first
// where those look who read how they ended.
func (h *Heap) slay(of string, pes []int) {
	self := false
	for _, pe := range pes {
		if h.far.is(pe) {
			_ = h.far.wire.send(pe, doomMessage(h.rank, of))
			continue
		}
		h.ctl[pe].say(of)
		h.ctl[pe].doomed.Store(1)
		if pe == h.rank {
			self = true
		} else if err := unix.Kill(h.peers[pe].pid, unix.SIGKILL); err != nil && err != unix.ESRCH {
			h.Fail(fmt.Sprintf("cannot kill PE %d: %v", pe, err), engine.Stays)
		}
	}
	if !self {
		return
	}
	if err := unix.Kill(os.Getpid(), unix.SIGKILL); err != nil {
		h.Fail(fmt.Sprintf("cannot kill this process: %v", err), engine.Stays)
		return
	}
	select {} // the signal may arrive at another thread a moment later
}

// freeze stops this process until it gets SIGCONT. The signal is for this thread, which
// would go on for a while if another one took it.
func (h *Heap) freeze() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP); err != nil {
		return fmt.Errorf("cannot stop this process: %w", err)
	}
	return nil
}
