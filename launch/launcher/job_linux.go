package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/launch"
)

// Defaults of Spec.
const (
	defaultSettle = time.Second
	defaultGrace  = 5 * time.Second
	farewell      = 10 * time.Second // for other machines to say how their ranks have ended
)

// job is a job that runs. Its goroutine is the one that called Run; a second one
// forks, and pumps move output.
type job struct {
	spec    Spec
	program string // path of the executable
	meeting meeting
	ends    *launch.Obituaries
	wires   *wiring

	// gate makes a signal and a fork exclude each other: a rank either gets the
	// signal or is never started.
	gate   sync.Mutex
	closed bool // no more forks
	ranks  []*rank

	watch   *watch
	deaths  chan death
	alive   int
	phase   phase
	timer   *time.Timer // ends the phase
	cause   *Error      // what ended the job, if anything did
	first   int         // rank that failed and ended first, by itself
	presses int         // interrupts seen

	crew    *crew // launchers of the other machines; nil: there are none
	buried  bool
	overdue bool // the other machines have had their time to end
}

func signalName(s os.Signal) string {
	if sig, ok := s.(syscall.Signal); ok {
		return unix.SignalName(sig)
	}
	return s.String()
}

// rank is a started process.
type rank struct {
	RankResult
	process *os.Process
	pidfd   int // -1: the kernel has none
	tail    *tail
	dead    bool
}

// phase is how far the end of a job has come.
type phase int

const (
	running  phase = iota
	settling       // after a failure, the others may end by themselves
	leaving        // they got a signal
	killed
)

// Supported says whether processes can be started on this system.
func Supported() error { return nil }

// Run runs a job until its last process is gone. A job that failed, was stopped
// or could not start gives an error that wraps an *Error, which has the exit
// status for a command. When ctx ends, the job is stopped as if by SIGTERM.
func Run(ctx context.Context, s Spec) (Result, error) {
	j, err := newJob(ctx, s)
	if err != nil {
		return Result{First: -1, Err: err}, err
	}
	started, over := make(chan error, 1), make(chan struct{})
	go j.fork(started, over)
	j.supervise(ctx, started)
	close(over)
	if err := j.crew.close(); err != nil {
		j.fail(err)
	}
	return j.result()
}

func newJob(ctx context.Context, s Spec) (j *job, err error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	j = &job{spec: s, first: -1, deaths: make(chan death, s.N), timer: time.NewTimer(0)}
	<-j.timer.C
	lack := j.prepare()
	if s.Nodes == nil {
		if lack != nil {
			return nil, lack
		}
		j.meeting, err = newMeeting(s.N)
	} else {
		j.meeting, j.crew, err = s.muster(ctx, lack)
	}
	if err == nil {
		j.ends, err = launch.Announce(j.meeting.job())
	}
	if known := new(Error); err != nil && !errors.As(err, &known) {
		err = &Error{Code: 1, Err: err}
	}
	if err != nil {
		return nil, errors.Join(err, j.crew.close())
	}
	j.watch = newWatch()
	return j, nil
}

// prepare is what can fail on one machine alone before anything is started.
func (j *job) prepare() (err error) {
	if j.program, err = lookPath(j.spec.Argv[0]); err != nil {
		return err
	}
	if err := enoughFiles(j.spec.N); err != nil {
		return &Error{Code: 1, Err: err}
	}
	if j.wires, err = newWiring(j.spec); err != nil {
		return &Error{Code: 1, Err: err}
	}
	return nil
}

// supervise turns what happens into the steps that end the job, and returns when
// all ranks are dead, those of other machines too.
func (j *job) supervise(ctx context.Context, started <-chan error) {
	limit := j.limit()
	done := ctx.Done()
	for !j.over(started) {
		select {
		case err := <-started:
			started = nil
			j.begin(err)
		case d := <-j.deaths:
			j.died(d)
		case sig := <-j.spec.Signals:
			j.signalled(sig)
		case <-done:
			done = nil
			j.halt(&Error{1, fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))}, unix.SIGTERM)
		case <-limit:
			j.halt(&Error{StatusTimeout, fmt.Errorf("%w of %v", ErrTimeout, j.spec.Timeout)}, unix.SIGTERM)
		case err := <-j.wires.broken:
			j.halt(outputError(err), unix.SIGTERM)
		case n := <-j.crew.told():
			j.hear(n)
		case <-j.timer.C:
			j.escalate()
		}
	}
}

// over says whether the job is over, and buries the ranks of this machine once they are
// dead.
func (j *job) over(started <-chan error) bool {
	if started != nil || j.alive > 0 {
		return false
	}
	if !j.buried {
		j.buried = true
		j.bury()
		j.report()
	}
	return j.overdue || !j.crew.busy()
}

func (j *job) limit() <-chan time.Time {
	if j.spec.Timeout == 0 {
		return nil
	}
	return time.After(j.spec.Timeout)
}

// outputError has the status that a writer killed by SIGPIPE would have.
func outputError(err error) *Error {
	code := 1
	if errors.Is(err, syscall.EPIPE) {
		code = statusSignal + int(unix.SIGPIPE)
	}
	return &Error{code, fmt.Errorf("stopped because output cannot be written: %w", err)}
}

// begin is called when all ranks are forked, or err says why not.
func (j *job) begin(err error) {
	j.alive = len(j.ranks)
	j.watch.run(j.ranks, j.deaths)
	j.ends.Begin()
	if err != nil {
		j.halt(&Error{statusOf(err), fmt.Errorf("start rank %d: %w", j.meeting.first+j.alive, err)}, unix.SIGTERM)
	}
}

func (j *job) died(d death) {
	r := j.ranks[d.rank-j.meeting.first]
	r.dead, r.Code, r.Signal = true, d.code, d.signal
	j.alive--
	j.ends.Ended(r.Rank, r.Host, r.Pid, r.ending())
	if j.spec.Ended != nil {
		j.spec.Ended(r.RankResult)
	}
	r.Early = r.Code == 0 && j.phase == running
	failed := r.Code != 0 && j.phase == running
	j.crew.tell(&note{Ended: &r.RankResult, Failed: failed})
	if failed {
		j.failed(r.RankResult)
	}
}

// failed notes the first failure of a rank, and lets the others end by themselves.
func (j *job) failed(r RankResult) {
	j.first = r.Rank
	j.cause = failedFirst(r)
	if j.phase == running {
		j.enter(settling, wait(j.spec.Settle, defaultSettle))
	}
}

func failedFirst(r RankResult) *Error {
	return &Error{r.Code, fmt.Errorf("rank %d (host %s, pid %d) failed first: %v", r.Rank, r.Host, r.Pid, r)}
}

// signalled passes a signal on. A second interrupt means "now".
func (j *job) signalled(s os.Signal) {
	sig, ok := s.(syscall.Signal)
	if !ok {
		return
	}
	if sig == unix.SIGINT {
		j.presses++
	}
	if j.presses > 1 {
		sig = unix.SIGKILL
	}
	j.halt(stoppedBy(s), sig)
}

// stop sends sig to all ranks and gives them Grace to end. The first cause counts.
func (j *job) stop(cause *Error, sig syscall.Signal) {
	if j.cause == nil {
		j.cause = cause
	}
	j.send(sig)
	switch {
	case sig == unix.SIGKILL:
		j.enter(killed, farewell)
	case j.phase < leaving:
		j.enter(leaving, wait(j.spec.Grace, defaultGrace))
	}
}

// enter starts a phase that lasts d unless all ranks end before.
func (j *job) enter(p phase, d time.Duration) {
	j.phase = p
	j.timer.Reset(d)
	j.crew.hasten()
}

// escalate ends a phase whose time is over.
func (j *job) escalate() {
	switch j.phase {
	case settling:
		j.stop(j.cause, unix.SIGTERM)
	case leaving:
		j.stop(j.cause, unix.SIGKILL)
	case killed:
		j.overdue = true
	}
}

// send signals the process groups of all ranks that live, and starts no more.
func (j *job) send(sig syscall.Signal) {
	j.gate.Lock()
	defer j.gate.Unlock()
	j.closed = true
	for _, r := range j.ranks {
		if !r.dead {
			r.Termed = r.Termed || sig == unix.SIGTERM
			r.Killed = r.Killed || sig == unix.SIGKILL
			r.signal(sig)
		}
	}
}

// bury kills what dead ranks left in their groups, frees their process ids,
// which were kept so that the groups' numbers stay theirs, and takes in the last
// output.
func (j *job) bury() {
	for _, r := range j.ranks {
		r.signal(unix.SIGKILL)
		if _, err := r.process.Wait(); err != nil {
			j.fail(fmt.Errorf("rank %d: %w", r.Rank, err))
		}
		if r.pidfd >= 0 {
			unix.Close(r.pidfd)
		}
	}
	if err := j.ends.Close(); err != nil {
		j.fail(err)
	}
	if err := j.wires.drain(); err != nil {
		j.fail(err)
	}
	for _, r := range j.ranks {
		r.Stderr = r.tail.last()
	}
	select {
	case err := <-j.wires.broken:
		j.fail(outputError(err))
	default:
	}
}

// fail notes an error that is not about a rank, if nothing else went wrong.
func (j *job) fail(err error) {
	if j.cause == nil {
		j.cause = &Error{Code: 1, Err: err}
		j.crew.tell(&note{Stop: err.Error(), Code: 1, Signal: int(unix.SIGTERM)})
	}
}

func (j *job) result() (Result, error) {
	res := Result{First: j.first, Ranks: j.crew.others(), lost: j.crew.lost()}
	for _, r := range j.ranks {
		res.Ranks = append(res.Ranks, r.RankResult)
	}
	slices.SortFunc(res.Ranks, func(a, b RankResult) int { return a.Rank - b.Rank })
	if j.first >= 0 && complete(res.Ranks, j.meeting.size) { // else nobody knows what all say
		if c := culprit(res.Ranks, j.first); c != j.first {
			res.First, res.follower, j.cause = c, &res.Ranks[j.first], failedFirst(res.Ranks[c])
		}
	}
	if j.cause != nil {
		res.Err = j.cause
	}
	return res, res.Err
}

// complete says whether there is each of n ranks, by rank.
func complete(ranks []RankResult, n int) bool {
	for i, r := range ranks {
		if r.Rank != i {
			return false
		}
	}
	return len(ranks) == n
}

// signal reaches the whole process group. A group that is gone is no error: that
// is what signals are sent for.
func (r *rank) signal(sig syscall.Signal) {
	unix.Kill(-r.Pid, sig)
}
