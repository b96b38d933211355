package failtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/shmem"
)

func processRows() []row { return slices.Concat(exitRows(), failRows(), absentRows()) }

// exitRows are processes that end without a word to the others.
func exitRows() []row {
	return []row{
		{
			fault: "nothing", others: "Open MPI: right, then a crash in finalize (139); the others: right",
			says: []string{"[HOST 0] got 1 from PE 1", "[HOST 1] got 0 from PE 0"},
			pe:   ring, local: true, tests: []string{"examples/ring.TestProcesses"},
		},
		{
			fault: "PE 1 is killed (SIGKILL) while PE 0 waits in a barrier", others: "named by rank with Open MPI's launcher, which is OSSS-UCX's too; SOS's names a process number and no rank",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) died with SIGKILL; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 1 (host HOST, pid PID) failed first: killed by SIGKILL",
				"  also failed: rank 0",
			},
			code: 137, pe: leaves(func() error { return kill(unix.SIGKILL) }),
			tests: []string{"internal/killtest.TestDeath", "internal/killtest.TestDeathUnderLoad", "internal/killtest.TestSignalNamed", "internal/killtest.TestStorm"},
		},
		{
			fault: "PE 1 is told to die at its first put (GOSHMEM_FAULT)",
			ours:  "Whatever else can be asked for is in `go doc github.com/goshmem/goshmem/internal/fault`.",
			says: []string{
				"[HOST 1] goshmem: fault: PE 1: kill pe=1 op=put n=1, at put #1 (FILE:LINE); again: GOSHMEM_FAULT='kill pe=1 op=put n=1' …",
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) died with SIGKILL (fault \"kill pe=1 op=put n=1\" at put #1 of PE 1); it was last in alloc #1 (FILE:LINE); …",
				"goshmem: rank 1 (host HOST, pid PID) failed first: killed by SIGKILL",
				"  also failed: rank 0",
			},
			code: 137, pe: ring, env: []string{"GOSHMEM_FAULT=kill pe=1 op=put n=1"},
			tests: []string{"internal/killtest.TestFaultKillProcesses", "internal/killtest.TestFaultKill"},
		},
		{
			fault: "PE 1 exits with 3 without finalize", others: "named by rank with Open MPI's launcher; SOS: the status 3 and not a word",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) exited with status 3 without finalize; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 3",
				"  also failed: rank 0",
			},
			code: 3, pe: leaves(func() error { os.Exit(3); return nil }),
			tests: []string{"internal/killtest.TestLeave", "internal/killtest.TestLeaveMain"},
		},
		{
			fault: "PE 1 exits with 0 without finalize while PE 0 is in a barrier", others: "Open MPI's launcher: a page of guesses (1); SOS: success in two of three builds, and PE 0 never leaves the barrier",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) exited with status 0 without finalize; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
				"  ended with 0 before that: rank 1",
			},
			code: 1, pe: leaves(func() error { os.Exit(0); return nil }),
			tests: []string{"internal/killtest.TestLeave"},
		},
		{
			fault: "PE 1 returns 3 from main without finalize", others: "hangs with all three, some processes spin on after the launcher was told to end",
			ours: "In Go main returns no status: the nearest is to return from main after Init.",
			says: []string{
				"[HOST 0] shmem: barrier: PE 1 (host HOST, pid PID) exited with status 0 without finalize; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
				"  ended with 0 before that: rank 1",
			},
			code: 1, program: returnsFromMain, tests: []string{"internal/killtest.TestLeave"},
		},
	}
}

// failRows are PEs that fail and say so.
func failRows() []row {
	return []row{
		{
			fault: "PE 1 calls global exit 7 while PE 0 waits", others: "7 with Open MPI and SOS; OSSS-UCX hangs, also when told to end",
			says: []string{
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 7",
				"  also failed: rank 0",
			},
			localSays: []string{
				"PE 1: called global exit 7",
				"PE 0: shmem: barrier: PE 1 failed: called global exit 7; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
			},
			code: 7, pe: globalExit(7), local: true,
			tests: []string{"internal/killtest.TestGlobalExit"},
		},
		{
			fault: "PE 1 calls global exit 0 while PE 0 waits", others: "reported to Open MPI as one that does not end the job",
			ours: "All processes end with 0, as they were told to. The waits of goroutine PEs, which cannot be ended, return an error.",
			pe:   globalExit(0), tests: []string{"internal/killtest.TestGlobalExit"},
		},
		{
			fault: "PE 1 returns an error while PE 0 waits",
			ours:  "The launcher names the PE that failed, not one of those that end because of it.",
			says: []string{
				"[HOST 1] PE 1: out of cheese",
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) failed: out of cheese; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 1",
				"  also failed: rank 0",
			},
			code: 1, pe: leaves(func() error { return errors.New("out of cheese") }), local: true,
			tests: []string{"internal/killtest.TestBlame", "internal/killtest.TestGoroutineFails", "internal/killtest.TestLeaveMain"},
		},
		{
			fault: "PE 1 panics while PE 0 waits",
			says: []string{
				"[HOST 1] shmem: PE 1 panicked: boom",
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) failed: panicked: boom; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 2",
				"  its last lines on stderr:",
				"    shmem: PE 1 panicked: boom",
				"  also failed: rank 0",
			},
			localSays: []string{
				"PE 1: panicked: boom",
				"PE 0: shmem: barrier: PE 1 failed: panicked: boom; it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
			},
			code: 2, pe: leaves(func() error { panic("boom") }), local: true,
			tests: []string{"internal/killtest.TestBlame", "internal/killtest.TestGoroutineFails"},
		},
		{
			fault: "PE 1 ends its goroutine (runtime.Goexit) while PE 0 waits",
			says: []string{
				"[HOST 1] shmem: PE 1: the function ended its goroutine (runtime.Goexit, or a test's FailNow)",
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) failed: the function ended its goroutine (runtime.Goexit, or a test's FailNow); it was last in alloc #1 (FILE:LINE); PE 0 is in barrier #1 (FILE:LINE)",
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 2",
				"  also failed: rank 0",
			},
			localSays: []string{
				"PE 1: the function ended its goroutine (runtime.Goexit, or a test's FailNow)",
			},
			code: 2, pe: leaves(func() error { runtime.Goexit(); return nil }), local: true,
			tests: []string{"internal/killtest.TestGoroutineFails", "internal/killtest.TestLeaveMain"},
		},
	}
}

// absentRows are PEs that live, and do not do what others wait for.
func absentRows() []row {
	return []row{
		{
			fault: "PE 1 never comes to a barrier", others: "waits have no time limit in OpenSHMEM",
			ours: "After GOSHMEM_TIMEOUT (5 minutes if unset) or the deadline of the context.",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: timed out after TIME (GOSHMEM_TIMEOUT or Options.Timeout); PE 0 is in barrier #1 (FILE:LINE); PE 1 is absent: in no call since alloc #1 (FILE:LINE)",
			},
			code: 1, pe: absent, local: true, env: []string{"GOSHMEM_TIMEOUT=300ms"},
			tests: []string{"internal/killtest.TestBodies", "internal/killtest.TestBodiesProcesses", "internal/killtest.TestLeave"},
		},
		{
			fault: "a signal that PE 0 waits for never comes",
			says: []string{
				"[HOST 0] PE 0: shmem: signal wait until: for a value >= 5, the last value was 0: timed out after TIME (GOSHMEM_TIMEOUT or Options.Timeout); PE 0 is in wait #1 (FILE:LINE); PE 1 is past alloc #2…",
			},
			code: 1, pe: noSignal, local: true, env: []string{"GOSHMEM_TIMEOUT=300ms"},
			tests: []string{"internal/killtest.TestBodies", "internal/killtest.TestBodiesProcesses"},
		},
	}
}

// ring hands every PE's number to the next.
func ring(ctx context.Context, w *shmem.World) error {
	from, err := shmem.Alloc[int64](ctx, w, 1)
	if err != nil {
		return err
	}
	if err := from.P(0, int64(w.MyPE()), (w.MyPE()+1)%w.NPEs()); err != nil {
		return err
	}
	if err := w.Barrier(ctx); err != nil {
		return err
	}
	got, err := from.At(0)
	fmt.Printf("got %d from PE %d\n", got, got)
	return err
}

// leaves has PE 1 do something else when PE 0 is about to wait in a barrier.
func leaves(how func() error) body {
	return func(ctx context.Context, w *shmem.World) error {
		there, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		if w.MyPE() == 0 {
			return errors.Join(there.P(0, 1, 1), w.Barrier(ctx))
		}
		for came := int64(0); came == 0; runtime.Gosched() {
			if came, err = there.At(0); err != nil {
				return err
			}
		}
		return how()
	}
}

// kill ends this process as nothing else can.
func kill(sig unix.Signal) error {
	if err := unix.Kill(os.Getpid(), sig); err != nil {
		return err
	}
	select {} // the signal may arrive at another thread a moment later
}

func returnsFromMain() {
	ctx := context.Background()
	w, err := shmem.Init(ctx, shmem.Options{})
	if err == nil {
		err = leaves(func() error { return nil })(ctx, w)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func globalExit(code int) body {
	return func(ctx context.Context, w *shmem.World) error {
		return leaves(func() error { w.GlobalExit(code); return nil })(ctx, w)
	}
}

// absent has PE 0 wait in a barrier to which PE 1 does not come.
func absent(ctx context.Context, w *shmem.World) error {
	return alone(ctx, w, w.Barrier)
}

func noSignal(ctx context.Context, w *shmem.World) error {
	sig, err := shmem.AllocSignal(ctx, w)
	if err != nil {
		return err
	}
	return alone(ctx, w, func(ctx context.Context) error {
		_, err := sig.WaitUntil(ctx, shmem.GE, 5)
		return err
	})
}

// alone has PE 0 wait for something while PE 1 computes until PE 0 has given up.
func alone(ctx context.Context, w *shmem.World, wait func(context.Context) error) error {
	over, err := shmem.Alloc[int64](ctx, w, 1)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		err := wait(ctx)
		return errors.Join(over.P(0, 1, 1), err)
	}
	for v := int64(0); v == 0 && err == nil; runtime.Gosched() {
		v, err = over.At(0)
	}
	return err
}
