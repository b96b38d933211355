package launcher

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// actVar makes this test binary act as a rank, or as a launcher that a test kills.
const actVar = "LAUNCHER_TEST_ACT"

// fifoVar names the FIFO by which ranks agree who is first.
const fifoVar = "LAUNCHER_TEST_FIFO"

func TestMain(m *testing.M) {
	act, ok := acts[os.Getenv(actVar)]
	if !ok {
		os.Exit(m.Run())
	}
	act(os.Getenv("GOSHMEM_RANK"))
	os.Exit(0)
}

// acts are what a process can do. Those that wait for ever end by a signal.
var acts = map[string]func(rank string){
	"hello":      func(rank string) { fmt.Println("hello", rank) },
	"env":        func(string) { fmt.Println(strings.Join(os.Environ(), "\n")) },
	"wait":       func(string) { fmt.Println("ready"); forever() },
	"waitdeaf":   func(string) { deafen(); fmt.Println("ready"); forever() },
	"fail3":      fail3Act,
	"fail3deaf":  fail3DeafAct,
	"failboth":   failBothAct(4),
	"okthenfail": failBothAct(0),
	"kill":       killAct,
	"cat":        func(string) { io.Copy(os.Stdout, os.Stdin) },
	"both":       bothAct,
	"long":       longAct,
	"child":      func(string) { startSleep(nil) },
	"stray":      func(string) { startSleep(&syscall.SysProcAttr{Setsid: true}) },
	"status":     func(string) { b, _ := os.ReadFile("/proc/self/status"); os.Stdout.Write(b) },
	"meet":       meetAct,
	"leave":      leaveAct,
	"launch":     launchAct,
	"scratch":    scratchAct,
}

// forever waits for a signal. A plain select would be reported as a deadlock.
func forever() { time.Sleep(time.Hour) }

func deafen() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT) }

// fail3Act has rank 1 fail with some last words.
func fail3Act(rank string) {
	if rank != "1" {
		forever()
	}
	for i := range 12 {
		fmt.Fprintln(os.Stderr, "line", i)
	}
	fmt.Fprint(os.Stderr, "the end")
	os.Exit(3)
}

// fail3DeafAct has rank 1 fail when rank 0 is deaf.
func fail3DeafAct(rank string) {
	if rank == "0" {
		deafen()
		open(os.O_WRONLY)
		forever()
	}
	open(os.O_RDONLY)
	os.Exit(3)
}

// failBothAct has rank 1 fail when rank 0 has ended with a status. The end of the FIFO would come too
// early: descriptors are closed before a process counts as dead.
func failBothAct(status int) func(rank string) {
	return func(rank string) {
		if rank == "0" {
			fmt.Fprintln(open(os.O_WRONLY), os.Getpid())
			os.Exit(status)
		}
		var pid int
		fmt.Fscan(open(os.O_RDONLY), &pid)
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		}
		os.Exit(5)
	}
}

// open opens the FIFO of the job, which waits for the other rank to do so.
func open(flag int) *os.File {
	f, err := os.OpenFile(os.Getenv(fifoVar), flag, 0)
	if err != nil {
		os.Exit(9)
	}
	return f
}

func killAct(rank string) {
	if rank == "2" {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	forever()
}

func bothAct(string) {
	for i := range 100 {
		fmt.Fprintln(os.Stdout, "out", i)
		fmt.Fprintln(os.Stderr, "err", i)
	}
}

func longAct(rank string) {
	for range 3 {
		fmt.Println(strings.Repeat(rank, 1<<20))
		fmt.Print("part")
		fmt.Println(" whole")
	}
}

// startSleep starts a grandchild that holds on to stdout, and says who it is.
func startSleep(attr *syscall.SysProcAttr) {
	cmd := exec.Command("sleep", "1000")
	cmd.Stdout, cmd.SysProcAttr = os.Stdout, attr
	if err := cmd.Start(); err != nil {
		os.Exit(9)
	}
	fmt.Println("pid", cmd.Process.Pid)
}

// launchAct runs a job of two until it is killed.
func launchAct(string) {
	os.Setenv(actVar, "waitdeaf")
	_, err := Run(context.Background(), Spec{N: 2, Argv: []string{"/proc/self/exe"}, Stdout: os.Stdout})
	fmt.Println("ended", err)
}

func scratchAct(string) {
	InScratch(func(dir string) error {
		fmt.Println(dir)
		forever()
		return nil
	})
}

// spec returns a Spec whose ranks do act; its output goes to the returned buffers.
func spec(act string, n int) (Spec, *lockedBuffer, *lockedBuffer) {
	out, errs := newBuffer(), newBuffer()
	return Spec{
		N: n, Argv: []string{os.Args[0]}, Env: []string{actVar + "=" + act},
		Stdout: out, Stderr: errs, Timeout: 30 * time.Second,
		Prefix: func(r int) string { return "[" + strconv.Itoa(r) + "] " },
	}, out, errs
}

// gone waits for the end of a process that is not a child of this one.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("end of process %d", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

// eventually polls for what another process does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within 10s", what)
		}
	}
}
