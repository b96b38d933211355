package ucx

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// childVar makes this test binary the process at the other end.
const childVar = "GOSHMEM_TEST_UCX_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child says where it is, connects to who answers, and serves until its input ends.
func child() error {
	c := overTCP()
	c.Timeout = deathTimeout
	w, err := Open(c)
	if err != nil {
		return err
	}
	m, err := w.Allocate(sideSize)
	if err != nil {
		return err
	}
	fmt.Printf("%x %x %d\n", w.Address(), m.Key(), m.Base())
	var address []byte
	if _, err := fmt.Scanf("%x\n", &address); err != nil {
		return err
	}
	parent, err := w.Connect("the parent", address)
	if err == nil && os.Getenv(childVar) == hammers {
		err = hammer(parent)
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return w.Close()
}

// hammers in childVar has the child add to its parent's memory as fast as it can.
const hammers = "hammers"

func hammer(parent *Peer) error {
	var key []byte
	var base uint64
	if _, err := fmt.Scanf("%x %d\n", &key, &base); err != nil {
		return err
	}
	r, err := parent.Map(key, base)
	for err == nil {
		err = r.AtomicNBI(0, Add, 8, 1)
	}
	return err
}

// deathTimeout is long enough for processes of a busy machine.
const deathTimeout = 2 * time.Second

// process is a child as its parent reaches it.
type process struct {
	side
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

func startChild(t *testing.T, does ...string) *process {
	t.Helper()
	need(t)
	c := overTCP()
	c.Timeout = deathTimeout
	p := &process{side: side{w: open(t, c)}, cmd: exec.Command(os.Args[0])}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), childVar+"="+append(does, "1")[0]), os.Stderr
	p.stdin = must(p.cmd.StdinPipe())(t)
	out := must(p.cmd.StdoutPipe())(t)
	ok(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()         // which it may have been asked already
	})
	var address, key string
	var base uint64
	if _, err := fmt.Fscan(bufio.NewReader(out), &address, &key, &base); err != nil {
		t.Fatal(err)
	}
	p.peer, p.remote = reach(t, p.w, must(hex.DecodeString(address))(t), must(hex.DecodeString(key))(t), base)
	must(fmt.Fprintf(p.stdin, "%x\n", p.w.Address()))(t)
	p.memory = must(p.w.Allocate(sideSize))(t).Bytes()
	ok(t, p.remote.Put(0, unsafe.Pointer(&p.memory[0]), 8))
	ok(t, p.w.Flush(soon(t)))
	return p
}

// until repeats an operation until it fails.
func (p *process) until(t *testing.T, name string) error {
	t.Helper()
	at := unsafe.Pointer(&p.memory[0])
	return within(t, func() error {
		for {
			var err error
			switch name {
			case "put":
				if err = p.remote.PutNBI(0, at, 1<<20); err == nil {
					err = p.w.Flush(soon(t))
				}
			case "get":
				err = p.remote.Get(0, at, 1<<20)
			case "atomic":
				_, err = p.remote.Atomic(0, Add, 8, 1, 0)
			case "add":
				err = p.remote.AtomicNBI(0, Add, 8, 1)
			case "send":
				err = p.peer.Send(p.memory[:1000])
			case "nothing":
				err = p.w.Wait(soon(t), func() bool { return p.peer.err() != nil })
				err = errors.Join(err, p.peer.Err())
			}
			if err != nil {
				return err
			}
		}
	})
}

// TestKilled: whatever is done with a process that is killed ends with an error that
// names it, and so does all that is tried later.
func TestKilled(t *testing.T) {
	for _, name := range []string{"put", "get", "atomic", "send", "nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startChild(t)
			ended := make(chan error, 1)
			go func() { ended <- p.until(t, name) }()
			ok(t, p.cmd.Process.Kill())
			if err := <-ended; !errors.Is(err, ErrUnreachable) {
				t.Errorf("%s: %v", name, err)
			}
			if err := p.remote.Put(0, unsafe.Pointer(&p.memory[0]), 8); !errors.Is(err, ErrUnreachable) {
				t.Errorf("later: %v", err)
			}
		})
	}
}

// TestAskerKilled: a process that dies while it asks for much takes nobody along who has its
// requests to answer.
func TestAskerKilled(t *testing.T) {
	for range 8 {
		p := startChild(t, hammers)
		m := must(p.w.Allocate(sideSize))(t)
		must(fmt.Fprintf(p.stdin, "%x %d\n", m.Key(), m.Base()))(t)
		word := (*uint64)(unsafe.Pointer(&m.Bytes()[0]))
		ok(t, p.w.Wait(soon(t), func() bool { return atomic.LoadUint64(word) > 2*window }))
		ok(t, p.cmd.Process.Kill())
		if err := p.until(t, "nothing"); !errors.Is(err, ErrUnreachable) {
			t.Error(err)
		}
	}
}

// TestSilent: a process that is there and says nothing, as if its network were cut, is
// given up, by whoever waits for it and by whoever does not.
func TestSilent(t *testing.T) {
	for _, name := range []string{"put", "get", "nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startChild(t)
			heard := func() bool { return !p.peer.heard.IsZero() }
			ok(t, p.w.Wait(soon(t), heard))
			ok(t, unix.Kill(p.cmd.Process.Pid, unix.SIGSTOP))
			if err := p.until(t, name); !errors.Is(err, ErrUnreachable) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestBounded: no more is sent to a process that does nothing than what a message can wait
// behind.
func TestBounded(t *testing.T) {
	t.Parallel()
	p := startChild(t)
	ok(t, unix.Kill(p.cmd.Process.Pid, unix.SIGSTOP))
	var stopped unix.WaitStatus
	must(unix.Wait4(p.cmd.Process.Pid, &stopped, unix.WUNTRACED, nil))(t)
	before := p.peer.posted
	if err := p.until(t, "add"); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	if n := p.peer.posted - before; n > window {
		t.Errorf("%d operations were under way, want at most %d", n, window)
	}
}

// TestLeft: who closes is told from who dies.
func TestLeft(t *testing.T) {
	p := startChild(t)
	ok(t, p.w.Wait(soon(t), func() bool { return !p.peer.heard.IsZero() })) // so it knows us
	ok(t, p.stdin.Close())
	if err := p.until(t, "nothing"); !errors.Is(err, ErrLeft) {
		t.Error(err)
	}
}

// TestCloseEndsWaits: nothing is left hanging in a Worker that is closed.
func TestCloseEndsWaits(t *testing.T) {
	p := startChild(t)
	ok(t, unix.Kill(p.cmd.Process.Pid, unix.SIGSTOP))
	ended := make(chan error, 2)
	go func() { ended <- p.until(t, "get") }()
	go func() { ended <- p.w.Wait(soon(t), func() bool { return false }) }()
	for inside := 0; inside < 2; {
		p.w.mu.Lock()
		inside = p.w.inside
		p.w.mu.Unlock()
	}
	ok(t, within(t, p.w.Close))
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if err := p.peer.Send([]byte("late")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := p.w.Connect("nobody", p.w.Address()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if p.w.Progress() {
		t.Error("a closed Worker made progress")
	}
}
