package failtest_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

func startRows() []row { return slices.Concat(earlyRows(), placeRows(), setupRows()) }

// nodeRows are about jobs over several machines.
func nodeRows() []row {
	return []row{
		{
			fault: "a rank of another node fails", ours: "All nodes end their ranks, print the same report, with rank, host and node, and exit with its status.",
			tests: []string{"launch/launcher.TestNodesFailure"},
		},
		{
			fault: "a rank of another node ends before init", ours: "As on one machine: who waits for it learns so at once.",
			tests: []string{"launch/launcher.TestNodesEndBeforeJoin"},
		},
		{
			fault: "the launcher of a node is killed (SIGKILL)", ours: "Its ranks end with it. All others end theirs with status 1 and say which node is gone, also if it is node 0. That a machine was cut off is noticed within some 20 seconds.",
			tests: []string{"cmd/goshmem.TestRunNodesKilled", "launch.TestCrewLost"},
		},
		{
			fault: "the launcher of one node gets SIGTERM", ours: "The ranks of all nodes get it; all exit with 143 and say on which node it came.",
			tests: []string{"launch/launcher.TestNodesSignal"},
		},
		{
			fault: "the program is missing on one node", ours: "Nothing is started anywhere. All nodes exit with 127 and say which node lacks what.",
			tests: []string{"launch/launcher.TestNodesThatCannotStart"},
		},
		{
			fault: "a node never comes, is there twice, has another token or another number of nodes", others: "reported to nccl-tests and to an MPI operator: each node runs a job of its own",
			ours:  "All end within the time limit without having started a rank, and say which node it is.",
			tests: []string{"launch/launcher.TestNodesThatDisagree", "launch/launcher.TestNodesCheck"},
		},
		{
			fault: "srun starts the launcher twice and nobody says that it is one job", others: "two jobs that know nothing of each other",
			ours:  "Refused, with what to say.",
			tests: []string{"cmd/goshmem.TestRunNodesMistakes"},
		},
		{
			fault: "the first network interface of a machine leads nowhere, or it has IPv6 only", others: "reported to NVSHMEM and rocSHMEM: the start hangs",
			ours:  "The interface that all machines reach is found by trying, and libraries are told of it.",
			tests: []string{"cmd/goshmem.TestRunNodes", "internal/reach.TestMeasure", "internal/reach.TestMeasureNone"},
		},
	}
}

// earlyRows are processes that do not come to init.
func earlyRows() []row {
	return []row{
		{
			fault: "PE 1 exits with 0 before init", others: "reported to Gloo: a rank that dies before the first collective hangs the others, whatever the time limit",
			ours: "Under our launcher, which says so. Under another one the time limit ends the wait, and the error lists who has not joined. So it does in a world of some of the processes (launch.Job.Group), of which the launcher does not know.",
			says: []string{
				"[HOST 0] shmem: init: a PE died: launch: join: rank 1 (host HOST, pid PID) exited with status 0 before all had joined; joined: …; not joined: …",
				"goshmem: rank 0 (host HOST, pid PID) failed first: exit status 1",
				"  ended with 0 before that: rank 1",
			},
			code: 1, program: leavesBeforeInit(1, func() { os.Exit(0) }),
			tests: []string{"launch.TestEndedBeforeJoin"},
		},
		{
			fault: "PE 0, which serves the rendezvous, exits with 0 before init",
			says: []string{
				"[HOST 1] shmem: init: a PE died: launch: join: rank 0 (host HOST, pid PID) exited with status 0 before all had joined",
				"goshmem: rank 1 (host HOST, pid PID) failed first: exit status 1",
				"  ended with 0 before that: rank 0",
			},
			code: 1, program: leavesBeforeInit(0, func() { os.Exit(0) }),
			tests: []string{"launch.TestEndedBeforeJoin"},
		},
		{
			fault: "PE 1 is killed before init",
			says: []string{
				"[HOST 0] shmem: init: a PE died: launch: join: rank 1 (host HOST, pid PID) died with SIGKILL before all had joined; joined: …; not joined: …",
				"goshmem: rank 1 (host HOST, pid PID) failed first: killed by SIGKILL",
				"  also failed: rank 0",
			},
			code: 137, program: leavesBeforeInit(1, func() { _ = kill(unix.SIGKILL) }),
			tests: []string{"launch.TestEndedBeforeJoin", "internal/killtest.TestDeathInInit", "internal/killtest.TestStorm"},
		},
		{
			fault: "PE 2 of 3 is never started", others: "\"connection closed\" with no rank named, in reports to Gloo",
			ours: "Without a launcher of ours, after GOSHMEM_TIMEOUT.",
			says: []string{
				"shmem: init: launch: join: rank 0 (host HOST, pid PID) gave up: timed out after TIME (GOSHMEM_TIMEOUT or Options.Timeout); joined: 0-1 (HOST); not joined: 2",
			},
			code: 1, n: 3, program: starting, job: oneMissing,
			tests: []string{"launch.TestMissing", "launch.TestMissingForOthers", "launch.TestNoServer"},
		},
	}
}

// placeRows are about the place where the PEs meet.
func placeRows() []row {
	return []row{
		{
			fault: "the port of the rendezvous is taken", others: "Open MPI's launcher goes on without a word; SOS's: no port to bind, without its number (255); reported to oneCCL: hangs",
			ours: "A port is used only if GOSHMEM_RDZV names one. Below torchrun the next free one is taken.",
			says: []string{
				"shmem: init: launch: join: no usable rendezvous: rank 0 cannot listen at tcp:127.0.0.1:PORT (set GOSHMEM_RDZV to a place that is free): listen tcp 127.0.0.1:PORT: bind: address already in use",
				"shmem: init: launch: join: rank 1 (host HOST, pid PID) found no server of this job at tcp:127.0.0.1:PORT: what answers there is not goshmem, or is stopped (does another program hold the port?): timed out after TIME (GOSHMEM_TIMEOUT or Options.Timeout); last attempt: …",
			},
			code: 1, program: starting, job: portTaken,
			tests: []string{"launch.TestTorchrunPorts", "launch.TestMasterPortItself", "launch.TestNoPortFree"},
		},
		{
			fault: "MASTER_PORT is taken under our launcher",
			ours:  "Works: the PEs meet at a name, not at a port.",
			says:  []string{"[HOST 0] got 1 from PE 1", "[HOST 1] got 0 from PE 0"},
			pe:    ring, job: masterPortTaken,
		},
		{
			fault: "PE 1 holds another token",
			says: []string{
				"shmem: init: launch: join: rank 1 (host HOST, pid PID) was not let in at unix:@goshmem-NAME: @goshmem-NAME: handshake refused by the server: it has another GOSHMEM_TOKEN or serves another job",
				"shmem: init: launch: join: rank 0 (host HOST, pid PID) gave up: timed out after TIME (GOSHMEM_TIMEOUT or Options.Timeout); joined: 0 (HOST); not joined: 1; a connection was not let in: handshake refused: the client holds another token or means another job",
			},
			code: 1, program: starting, job: otherToken,
			tests: []string{"launch.TestWrongToken", "launch.TestFalseServer"},
		},
		{
			fault: "PEs were built from releases that do not understand each other",
			ours:  "Who comes says which versions there are and which PE it is; who waits for it says so too when its time is over.",
			tests: []string{"launch.TestOlderServer", "launch.TestNewerClient"},
		},
		{
			fault: "another program talks to the rendezvous: nonsense, parts of messages, lengths without bounds",
			ours:  "It is not let in and disturbs nobody; no memory is set aside for a length that cannot be. Readers of messages are fuzzed.",
			tests: []string{"launch.TestStrangers"},
		},
		{
			fault: "strangers connect to the rendezvous", ours: "They are not let in and disturb nobody.",
			tests: []string{"launch.TestStrangers", "launch.TestSlowLoris", "internal/engine/host.TestTradeWithStrangers"},
		},
	}
}

// setupRows are about what a job is started with.
func setupRows() []row {
	return []row{
		{
			fault: "init fails in a process that lives on", others: "a 16 MiB file of libfabric stays (SOS); segments of dead jobs that make the next start fail (libfabric)",
			ours: "Here because the PEs have heaps of different sizes. The process holds no mapping and no descriptor of the world.",
			says: []string{
				"[HOST 0] shmem: init: PE 1 has a heap of 2097152 bytes, this PE 1048576: GOSHMEM_HEAP_SIZE must be the same everywhere",
				"[HOST 0] mappings and descriptors that are left: 0",
				"[HOST 1] shmem: init: PE 0 has a heap of 1048576 bytes, this PE 2097152: GOSHMEM_HEAP_SIZE must be the same everywhere",
				"[HOST 1] mappings and descriptors that are left: 0",
			},
			code: 1, program: failsInit,
			tests: []string{"internal/engine/host.TestFailedOpenLeavesNothing", "internal/engine/host.TestTradeMissing", "shmem.TestBadHeapSizesDiffer"},
		},
		{
			fault: "a variable has a typing mistake", ours: "Found before anything starts.",
			says: []string{
				"goshmem: unknown variable GOSHMEM_HEAPSIZE (`goshmem info` lists those that exist)",
			},
			code: 2, pe: ring, env: []string{"GOSHMEM_HEAPSIZE=1GiB"},
			tests: []string{"shmem.TestBadEnvironment", "cmd/goshmem.TestMistakesInTheEnvironment"},
		},
		{
			fault: "the program cannot be run", code: 127, pe: ring, job: noProgram,
			says: []string{
				"goshmem: cannot run ./no-such-program: stat ./no-such-program: no such file or directory",
			},
			tests: []string{"launch/launcher.TestCannotStart"},
		},
	}
}

// leavesBeforeInit has one rank leave where the others make a world.
func leavesBeforeInit(rank int, how func()) func() {
	return func() {
		if os.Getenv("GOSHMEM_RANK") == strconv.Itoa(rank) {
			how()
		}
		shmem.Main(ring)
	}
}

// starting makes a world and says so before.
func starting() {
	fmt.Println("starting")
	shmem.Main(ring)
}

// byHand starts ranks as somebody would who has no launcher, each when the one
// before is starting, and returns what they wrote.
func byHand(t *testing.T, r row, ranks ...[]string) end {
	t.Helper()
	var out output
	var all []*exec.Cmd
	temp := t.TempDir()
	for _, env := range ranks {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", r.fault)
		cmd.Env = append(os.Environ(), roleVar+"="+asRank, jobtest.Mark(), "TMPDIR="+temp)
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
		for until := time.Now().Add(limit); strings.Count(out.String(), "starting") < len(all); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("rank does not start: %s", out.String())
			}
		}
	}
	e := end{}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			e.code = max(e.code, cmd.ProcessState.ExitCode())
		}
	}
	e.lines = out.lines()
	if files, err := os.ReadDir(temp); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v %v", files, err)
	}
	return e
}

// place are the variables of a rank that was started by hand.
func place(rank, size int, rdzv, patience string, more ...string) []string {
	return append(more, fmt.Sprintf("GOSHMEM_RANK=%d", rank), fmt.Sprintf("GOSHMEM_SIZE=%d", size), "GOSHMEM_RDZV="+rdzv, "GOSHMEM_TIMEOUT="+patience)
}

// free is a name that nobody uses.
func free() string { return fmt.Sprintf("unix:@goshmem-%x", os.Getpid()) }

func oneMissing(t *testing.T, r row) end {
	return byHand(t, r, place(1, 3, free(), "40s"), place(0, 3, free(), "2s"))
}

func otherToken(t *testing.T, r row) end {
	return byHand(t, r, place(1, 2, free(), "40s", "GOSHMEM_TOKEN=one"), place(0, 2, free(), "2s", "GOSHMEM_TOKEN=another"))
}

// taken is a port that this process holds until the end of the test.
func taken(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() }) // nothing was said on it
	return ln.Addr().(*net.TCPAddr).Port
}

func portTaken(t *testing.T, r row) end {
	at := fmt.Sprintf("tcp:127.0.0.1:%d", taken(t))
	return byHand(t, r, place(1, 2, at, "1s"), place(0, 2, at, "40s"))
}

func masterPortTaken(t *testing.T, r row) end {
	r.env = append(r.env, fmt.Sprintf("MASTER_PORT=%d", taken(t)))
	return launched(t, r, nil)
}

func noProgram(t *testing.T, r row) end {
	return launched(t, r, func(s *launcher.Spec) { s.Argv = []string{"./no-such-program"} })
}

// failsInit makes a world of two heap sizes and looks at what is left of it.
func failsInit() {
	o := shmem.Options{HeapSize: 1 << 20}
	if os.Getenv("GOSHMEM_RANK") == "1" {
		o.HeapSize *= 2
	}
	_, err := shmem.Init(context.Background(), o)
	say(err, holdings())
}

// holdings is an error that lists what this process has of worlds.
func holdings() error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	found := strings.Count(string(maps), "goshmem")
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return err
	}
	for _, l := range links {
		to, err := os.Readlink(l)
		if err == nil && (strings.Contains(to, "goshmem") || strings.Contains(to, "pidfd") || strings.Contains(to, "socket:")) {
			found++
		}
	}
	return fmt.Errorf("mappings and descriptors that are left: %d", found)
}
