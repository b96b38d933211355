package failtest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/shmem"
)

func machineRows() []row {
	works := []string{"[HOST 0] got 1 from PE 1", "[HOST 1] got 0 from PE 0"}
	return []row{
		{
			fault: "the launcher is killed (SIGKILL)", others: "Open MPI: the processes end, two segment files stay; OSSS-UCX: the processes stay; SOS: nothing stays",
			ours: "The processes end with it, those that compute too. No file, socket or process stays, and the next job starts as if nothing had been.",
			code: 137, n: 2, pe: hold, job: boxed(box{signal: unix.SIGKILL, restart: true}),
			tests: []string{"internal/killtest.TestLauncherDies", "launch/launcher.TestLauncherKilled", "cmd/goshmem.TestLauncherKilled", "launch/launcher.TestScratchOfKilledProcess"},
		},
		{
			fault: "the launcher gets SIGTERM", others: "Open MPI and OSSS-UCX: 1, and the processes go some time later; SOS: 0, as if nothing had been",
			says: []string{
				"goshmem: stopped by SIGTERM",
				"  stopped with SIGTERM: ranks 0-1",
			},
			code: 143, n: 2, pe: hold, job: boxed(box{signal: unix.SIGTERM}),
			tests: []string{"launch/launcher.TestSignalForwarded", "launch/launcher.TestSignalDuringStart", "cmd/goshmem.TestInterrupt", "cmd/goshmem.TestInterruptDuringBuild"},
		},
		{
			fault: "a process does not end when it is told to", ours: "It gets SIGKILL after a grace of 5 seconds, or at once if the user interrupts twice. The report names it.",
			tests: []string{"launch/launcher.TestFailureThenDeafRank", "launch/launcher.TestSignalThenGraceThenKill", "launch/launcher.TestSecondInterruptKills"},
		},
		{
			fault: "a PE leaves processes of its own behind", ours: "They end with the job, unless they have left its process group (setsid); even these do not hold it up.",
			tests: []string{"launch/launcher.TestGrandchildrenKilled", "launch/launcher.TestStrayHoldsPipe"},
		},
		{
			fault: "the job passes its time limit",
			says: []string{
				"goshmem: stopped at the time limit of 1s",
				"  stopped with SIGTERM: ranks 0-1",
			},
			code: 124, pe: hold, job: overtime, stops: true,
			tests: []string{"launch/launcher.TestTimeout", "cmd/goshmem.TestRunTimeout"},
		},
		{
			fault: "nobody reads the output of the job any more", ours: "The job is stopped, with 141.",
			tests: []string{"launch/launcher.TestReaderOfOutputGone"},
		},
		{
			fault: "another launcher's process is killed", ours: "Under mpirun the survivors name it before that launcher ends them; mpiexec.hydra ends them at once. Nothing stays.",
			tests: []string{"internal/killtest.TestDeathUnderMpirun", "internal/killtest.TestDeathUnderHydra"},
		},
		{
			fault: "/dev/shm has 16 MiB, the heaps 64 MiB each", others: "works with all three",
			ours: "Works: nothing of ours is there.", options: shmem.Options{HeapSize: 64 << 20},
			says: works, pe: ring, job: boxed(box{shm: "size=16m"}),
		},
		{
			fault: "/dev/shm has 1 MiB", others: "Open MPI: a clear text, and then errors of UCX (1); OSSS-UCX: the errors and a crash; SOS over UCX: no resources (1)",
			ours: "Works.", says: works, pe: ring, job: boxed(box{shm: "size=1m"}),
		},
		{
			fault: "/dev/shm cannot be written to", ours: "Works.", says: works, pe: ring, job: boxed(box{shm: "size=1m,ro"}),
		},
		{
			fault: "/dev/shm has no room for UCX, which jobs over several machines and virtual nodes use",
			ours:  "UCX takes some 5 MiB there for each process: the error of init says how much is free, and that UCX_TLS=tcp,self does without.",
			tests: []string{"internal/ucx.TestNoRoom"},
		},
		{
			fault: "the job runs as root", others: "Open MPI's launcher refuses unless an option or two variables allow it",
			ours: "Works.", says: append([]string{"[HOST 0] user 0"}, works...), pe: asRoot, job: boxed(box{shm: "size=1m"}),
		},
	}
}

// hold has PE 0 compute and the others wait for it, for ever.
func hold(ctx context.Context, w *shmem.World) error {
	fmt.Println("ready")
	for w.MyPE() == 0 {
		runtime.Gosched()
	}
	return w.Barrier(ctx)
}

func asRoot(ctx context.Context, w *shmem.World) error {
	fmt.Println("user", os.Geteuid())
	return ring(ctx, w)
}
