package launcher

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// fork starts all ranks. The kernel ties the parent-death signal to the thread
// that forks, so this goroutine owns its thread until the job is over. It never
// gives it back: the thread may be bound to a core, and ends with the goroutine.
func (j *job) fork(started chan<- error, over <-chan struct{}) {
	runtime.LockOSThread()
	started <- j.forkAll()
	<-over
}

func (j *job) forkAll() (err error) {
	cores, err := j.spec.Cores()
	if err != nil {
		return err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, null.Close()) }()
	for i := range j.spec.N {
		stdin := null
		if i+j.meeting.first == 0 && j.spec.Stdin != nil {
			stdin = j.spec.Stdin
		}
		if stopped, err := j.forkOne(i, cores[i], stdin); stopped || err != nil {
			return err
		}
	}
	return nil
}

// forkOne starts the i-th rank of this machine unless the job was stopped already.
func (j *job) forkOne(i, core int, stdin *os.File) (stopped bool, err error) {
	j.gate.Lock()
	defer j.gate.Unlock()
	if j.closed {
		return true, nil
	}
	if err := bindThread(core); err != nil { // a child is born where its parent thread is
		return false, err
	}
	r := j.meeting.first + i
	child, last, err := j.wires.connect(r)
	if err != nil {
		return false, err
	}
	pidfd := -1
	process, err := os.StartProcess(j.program, j.spec.Argv, &os.ProcAttr{
		Dir:   j.spec.Dir,
		Env:   j.meeting.environ(j.spec, i),
		Files: []*os.File{stdin, child.stdout, child.stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd},
	})
	if err != nil {
		return false, errors.Join(explained(err), child.close())
	}
	started := &rank{
		RankResult: RankResult{Rank: r, Host: j.meeting.place(), Pid: process.Pid, Core: core},
		process:    process, pidfd: pidfd, tail: last,
	}
	j.watch.add(len(j.ranks), started)
	j.ranks = append(j.ranks, started)
	return false, child.close()
}
