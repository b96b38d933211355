package nodetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/internal/ucx"
)

// isRank says whether this process is a rank that a test of this package has started.
func isRank() bool { return os.Getenv(env.Rank) != "" }

// job is a world over nodes: ranks that run the test that has started them.
type job struct {
	nodes, each int // ranks of a node
	wires       *wires
	variables   []string
	heard       chan string // lines that begin with "test:"

	mu     sync.Mutex
	output bytes.Buffer
	ranks  []*exec.Cmd
}

// jobOf makes nodes. It skips the test where that is not possible.
func jobOf(t *testing.T, nodes, each int, delay time.Duration, loss float64) *job {
	t.Helper()
	if _, err := ucx.Probe(); errors.Is(err, ucx.ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	j := &job{nodes: nodes, each: each, heard: make(chan string, 1000)}
	j.wires = &wires{delay: delay, loss: loss, ports: make([]*os.File, nodes)}
	j.wires.cut = make([]atomic.Bool, nodes)
	return j
}

// start starts all ranks, each on its node, in threads that are of the nodes' namespaces.
func (j *job) start(t *testing.T) {
	t.Helper()
	over := make(chan struct{})
	var wg sync.WaitGroup
	t.Cleanup(func() { close(over); wg.Wait() })
	ready := make(chan error)
	begin := make(chan struct{})
	for node := range j.nodes {
		wg.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			nowhere, err := j.enter(node)
			ready <- err
			<-begin
			if err == nil {
				ready <- j.launch(t, node)
			}
			<-over
			if nowhere != nil {
				_ = nowhere.Close()
			}
		})
	}
	var failed error
	for range j.nodes {
		failed = errors.Join(failed, <-ready)
	}
	if failed == nil {
		j.wires.start(t)
	}
	close(begin)
	if errors.Is(failed, unix.EPERM) || errors.Is(failed, unix.ENOENT) {
		skip.Now(t, skip.NotRoot, strings.ReplaceAll(failed.Error(), "\n", "; "))
	} else if failed != nil {
		t.Fatal(failed)
	}
	for range j.nodes {
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
	}
}

// enter makes the namespaces of a node for this thread, and the interfaces in it.
func (j *job) enter(node int) (nowhere *os.File, err error) {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWNS); err != nil {
		return nil, fmt.Errorf("make a namespace: %w", err)
	}
	if err := ownSys(); err != nil {
		return nil, err
	}
	if err := unix.Sethostname(fmt.Appendf(nil, "node%d", node)); err != nil {
		return nil, err
	}
	if err := up("lo", netip.Addr{}); err != nil {
		return nil, err
	}
	if nowhere, err = tun("dead0", dead(node)); err != nil {
		return nil, err
	}
	j.wires.ports[node], err = tun("net0", address(node))
	return nowhere, err
}

// ownSys shows this thread the interfaces of its own namespace below /sys, where UCX
// looks for them.
func ownSys() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts apart: %w", err)
	}
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return fmt.Errorf("mount /sys: %w", err)
	}
	return nil
}

// launch starts the ranks of a node, from a thread of its namespaces.
func (j *job) launch(t *testing.T, node int) error {
	for i := range j.each {
		rank := node*j.each + i
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern(t.Name()), "-test.count=1")
		cmd.Env = append(os.Environ(), "UCX_TLS=tcp",
			fmt.Sprintf("%s=%d", env.Rank, rank), fmt.Sprintf("%s=%d", env.Size, j.nodes*j.each),
			fmt.Sprintf("%s=%d", env.LocalRank, i), fmt.Sprintf("%s=%d", env.LocalSize, j.each),
			env.Rdzv+"=tcp:"+address(0).String()+":7077", env.Token+"=of the test")
		cmd.Env = append(cmd.Env, j.variables...)
		cmd.Stdout, cmd.Stderr = j, j
		cmd.WaitDelay = time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			return err
		}
		j.mu.Lock()
		j.ranks = append(j.ranks, cmd)
		j.mu.Unlock()
	}
	return nil
}

// Write takes what ranks write, line by line as a rule.
func (j *job) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.output.Write(p)
	for line := range strings.Lines(string(p)) {
		if strings.HasPrefix(line, "test:") {
			j.heard <- strings.TrimSpace(line)
		}
	}
	return len(p), nil
}

// await waits until so many lines have come from ranks.
func (j *job) await(t *testing.T, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range n {
		select {
		case <-j.heard:
		case <-ctx.Done():
			t.Fatalf("ranks do not come: %s", j.text())
		}
	}
}

func (j *job) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.output.String()
}

// finish waits for the ranks, all of which must end well.
func (j *job) finish(t *testing.T) {
	t.Helper()
	for _, r := range j.ranks {
		if err := r.Wait(); err != nil {
			t.Errorf("a rank: %v", err)
		}
	}
	if t.Failed() || testing.Verbose() {
		t.Log(j.text())
	}
}

// pattern matches exactly the test called name.
func pattern(name string) string {
	return "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
}
