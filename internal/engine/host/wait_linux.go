package host

import (
	"errors"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// processes is how process PEs wait: look for two microseconds, then give the
// core away between looks, then sleep on a futex. Yielding early is what makes
// more PEs than cores bearable; a futex wake-up across cores costs 15 to 30
// microseconds, so sleeping comes late.
type processes struct {
	ctl   []*control
	own   *control
	looks int // before the first yield
}

const (
	processSpin   = 80 // with a pause after each
	crowdedSpin   = 20
	processYields = 200
	briefLimit    = 50 * time.Microsecond
	yieldLimit    = time.Millisecond // for all yields together
)

// looksFor returns how many loads come before the first yield. Where PEs outnumber
// the cores the awaited one may need this core, so looking on only delays it. A
// process that is bound to one core learns nothing here about those of the others.
func looksFor(pes int) int {
	if cores := runtime.NumCPU(); cores > 1 && pes > cores {
		return crowdedSpin
	}
	return processSpin
}

// spin has pauses where there is a core for each PE: where they compete for cores
// pausing only delays the yield.
func (p *processes) spin() (looks int, pause bool) { return p.looks, p.looks == processSpin }

// yield keeps the goroutine on its thread while it spins: moving between
// threads would cost more than the yield. The raw call does not tell the Go
// scheduler, which is right for a fraction of a microsecond. Where other programs
// want the cores, each yield can cost a whole time slice: it is then better to
// sleep, since who sleeps is preferred when it wakes. The clock is looked at rarely.
func (p *processes) yield(ready func() bool) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var start time.Time
	for n := 1; n <= processYields; n++ {
		syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
		if ready() || p.own.alarm.Load() != 0 {
			return true
		}
		if n == 1 {
			start = time.Now()
		} else if n&(n-1) == 0 && time.Since(start) > yieldLimit {
			return false
		}
	}
	return false
}

// brief lasts as long as it takes to hand the wait to another goroutine and to learn of its
// end where all cores are at work.
func (p *processes) brief(ready func() bool) bool {
	for start := time.Now(); time.Since(start) < briefLimit; {
		syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
		if ready() {
			return true
		}
	}
	return false
}

func (p *processes) sleep(limit time.Duration, ready func() bool) {
	seen := p.own.bell.Load()
	p.own.sleepers.Add(1)
	defer p.own.sleepers.Add(-1)
	if !ready() {
		futexWait(&p.own.bell, seen, limit)
	}
}

func (p *processes) ring(pe int) {
	bell := &p.ctl[pe].bell
	bell.Add(1)
	const all = 1<<31 - 1
	syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(bell)), futexWakeOp, all, 0, 0, 0)
}

// The shared (non-private) futex operations of linux/futex.h.
const (
	futexWaitOp = 0
	futexWakeOp = 1
)

// futexWait sleeps while *word is seen. Any early return is fine: callers look
// again.
func futexWait(word *atomic.Uint32, seen uint32, limit time.Duration) {
	ts := unix.NsecToTimespec(int64(limit))
	_, _, errno := syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWaitOp, uintptr(seen), uintptr(unsafe.Pointer(&ts)), 0, 0)
	if errno != 0 && !errors.Is(errno, unix.EAGAIN) && !errors.Is(errno, unix.EINTR) && !errors.Is(errno, unix.ETIMEDOUT) {
		time.Sleep(limit) // no futex here: looking again after limit is all that is left
	}
}
