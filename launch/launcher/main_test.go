package launcher

import (
	"bufio"
	"context"
	"errors"
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
)

// actVar makes this test binary act as a rank, or as a launcher that a test kills.
const actVar = "LAUNCHER_TEST_ACT"

func TestMain(m *testing.M) {
	act, ok := acts[os.Getenv(actVar)]
	if !ok {
		os.Exit(m.Run())
	}
	act(os.Getenv("GOSHMEM_RANK"))
	os.Exit(0)
}

// acts are what a rank can do. Those that wait for ever end by a signal.
var acts = map[string]func(rank string){
	"hello": func(rank string) { fmt.Println("hello", rank) },
	"env": func(string) {
		for _, line := range os.Environ() {
			fmt.Println(line)
		}
	},
	"wait":     func(string) { fmt.Println("ready"); forever() },
	"waitdeaf": func(string) { deafen(); fmt.Println("ready"); forever() },
	"fail3": func(rank string) {
		if rank != "1" {
			forever()
		}
		for i := range 12 {
			fmt.Fprintln(os.Stderr, "line", i)
		}
		fmt.Fprint(os.Stderr, "the end")
		os.Exit(3)
	},
	"fail3deaf": func(rank string) {
		if rank == "0" {
			deafen()
			fmt.Println("ready")
			forever()
		}
		if _, err := io.ReadAll(os.Stdin); err != nil { // rank 1 fails when told to
			os.Exit(9)
		}
		os.Exit(3)
	},
	"failboth": func(rank string) {
		if rank == "0" {
			os.Exit(4)
		}
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
		bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(5)
	},
	"kill": func(rank string) {
		if rank == "2" {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		forever()
	},
	"cat": func(string) { io.Copy(os.Stdout, os.Stdin) },
	"both": func(string) {
		for i := range 100 {
			fmt.Fprintln(os.Stdout, "out", i)
			fmt.Fprintln(os.Stderr, "err", i)
		}
	},
	"long": func(rank string) {
		for range 3 {
			fmt.Println(strings.Repeat(rank, 1<<20))
			fmt.Print("part")
			fmt.Println(" whole")
		}
	},
	"child":   func(string) { startSleep(nil) },
	"stray":   func(string) { startSleep(&syscall.SysProcAttr{Setsid: true}) },
	"status":  func(string) { b, _ := os.ReadFile("/proc/self/status"); os.Stdout.Write(b) },
	"launch":  launchAct,
	"scratch": scratchAct,
}

func forever() { select {} }

func deafen() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
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

// mustCode fails the test unless err asks for the given exit status.
func mustCode(t *testing.T, err error, code int) {
	t.Helper()
	known := new(Error)
	if !errors.As(err, &known) || known.Code != code {
		t.Fatalf("error %v: want exit status %d, have %+v", err, code, known)
	}
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
