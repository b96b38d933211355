package doctor

import (
	"cmp"
	"fmt"
	"math"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/info"
)

const (
	fewFiles     = 1024    // what systems give at least; a rank takes four for each peer, a library more
	tasksPerRank = 32      // threads of a Go program with a vendor's library
	lowLocked    = 8 << 20 // what systems give at least since Linux 5.16
	tightMemory  = 20      // a twentieth left is little
)

func limitChecks() []Check {
	const handles = "PEs in several processes need it: only worlds of goroutines can run here"
	return []Check{
		{ID: "kernel.memfd", Severity: Error, Looks: "anonymous memory files (memfd) cannot be made", Why: handles,
			Fix: "allow memfd_create in the container's seccomp profile", find: noMemfd},
		{ID: "kernel.pidfd", Severity: Error, Looks: "handles of processes (pidfd) cannot be made", Why: handles,
			Fix: "use Linux 5.3 or newer, and allow pidfd_open in the container's seccomp profile", find: noPidfd},
		{ID: "kernel.populate", Severity: Note, Looks: "the kernel is older than 5.14",
			Why: "symmetric memory then gets its pages at the first store and not when it is allocated: with too little memory a process gets SIGBUS or is killed, instead of an error",
			Fix: "use Linux 5.14 or newer, or leave room in the memory limit for all heaps", find: noPopulate},
		{ID: "kernel.borrow", Severity: Note, Looks: "pidfd_getfd or process_vm_readv is refused",
			Why: "goshmem sends descriptors over sockets and does not need them, but NVSHMEM, PyTorch's symmetric memory, UCX and MPI take handles or copy data that way",
			Fix: "docker run --cap-add SYS_PTRACE (or a seccomp profile that allows both), Linux 5.6 or newer; else UCX_TLS=^cma and Open MPI's btl_vader_single_copy_mechanism=none", find: noBorrow},
		{ID: "kernel.ptrace", Severity: Warning, Looks: "yama lets only privileged processes attach to others (scope 2 or 3)",
			Why: "goshmem does not attach to processes, but single-copy transports of UCX and MPI and handle exchange of NVSHMEM and PyTorch do",
			Fix: "sysctl kernel.yama.ptrace_scope=1", find: ptraceClosed},
		{ID: "limit.files", Severity: Warning, Looks: "fewer than 1024 open files, or than four for each process of the job, are allowed",
			Why: "a process holds a handle of each other one, and a library's connections on top: opening one more fails",
			Fix: "ulimit -n 65536 before the job is started, or LimitNOFILE= of its service", find: filesLow},
		{ID: "limit.memlock", Severity: Note, Looks: "less than 8 MiB may be locked, and there is no RDMA adapter",
			Why: "goshmem locks no memory, but libraries that register memory, and io_uring, do",
			Fix: "ulimit -l unlimited, or memlock in /etc/security/limits.conf; docker run --ulimit memlock=-1", find: lockedLow},
		{ID: "limit.rdma", Severity: Warning, Looks: "locked memory is limited, and there is an RDMA adapter",
			Why: "registering memory with the adapter locks it: NCCL, UCX, rocSHMEM and MPI fail or fall back to TCP",
			Fix: "ulimit -l unlimited, or memlock in /etc/security/limits.conf; docker run --ulimit memlock=-1", find: lockedRDMA},
		{ID: "group.memory", Severity: Warning, Looks: "less than a twentieth of the control group's memory is left",
			Why: "symmetric heaps count as memory of the control group: the kernel kills a process of it when it is full",
			Fix: "raise the limit: docker run --memory, or resources.limits.memory", find: groupMemory},
		{ID: "group.tasks", Severity: Warning, Looks: "the control group allows fewer than 32 more threads for each process of the job here",
			Why: "a process that may not make a thread ends with a fatal error",
			Fix: "raise the limit: docker run --pids-limit, or TasksMax= of the service", find: groupTasks},
		{ID: "group.cpu", Severity: Warning, Looks: "the control group gives less processor time than the processes here have threads for",
			Why: "once the quota is used up all of them stand still for the rest of the period, and barriers take that long",
			Fix: "raise the quota (docker run --cpus, resources.limits.cpu), start fewer processes, or set GOMAXPROCS lower", find: groupCPU},
		{ID: "memory.heap", Severity: Warning, Looks: "the symmetric heaps that are asked for do not fit into memory",
			Why: "memory is taken when it is allocated: an allocation fails then, and a process may be killed or get SIGBUS",
			Fix: "set GOSHMEM_HEAP_SIZE lower, or start fewer processes", find: heapTooLarge},
	}
}

func noMemfd(m *Machine) []Sight { return seeIf(!m.Kernel.Memfd, "memfd_create is refused") }
func noPidfd(m *Machine) []Sight { return seeIf(!m.Kernel.Pidfd, "pidfd_open is refused") }

func noPopulate(m *Machine) []Sight {
	var major, minor int
	_, err := fmt.Sscanf(m.System.Kernel, "%d.%d", &major, &minor)
	return seeIf(err == nil && (major < 5 || (major == 5 && minor < 14)), "the kernel is %s", m.System.Kernel)
}

func noBorrow(m *Machine) []Sight {
	return seeIf(m.Kernel.Pidfd && !m.Kernel.Borrow, "pidfd_getfd or process_vm_readv is refused even on the own process: by a filter of system calls, or the kernel (%s) lacks it", m.System.Kernel)
}

func ptraceClosed(m *Machine) []Sight {
	return seeIf(m.Ptrace >= 2, "kernel.yama.ptrace_scope is %d", m.Ptrace)
}

func filesLow(m *Machine) []Sight {
	files := m.System.OpenFiles.Soft
	need := max(fewFiles, int64(4*m.Launch.Size))
	return seeIf(files > 0 && files < need, "at most %d open files", files)
}

func (m *Machine) lockedLimited() bool {
	return m.System.Locked != info.Limit{} && m.System.Locked.Soft != info.Unlimited
}

func lockedLow(m *Machine) []Sight {
	soft := m.System.Locked.Soft
	return seeIf(m.lockedLimited() && len(m.Adapters) == 0 && soft < lowLocked, "at most %s of locked memory", info.Size(soft))
}

func lockedRDMA(m *Machine) []Sight {
	return seeIf(m.lockedLimited() && len(m.Adapters) > 0, "at most %s of locked memory, with %s", info.Size(m.System.Locked.Soft), few(m.Adapters))
}

func groupMemory(m *Machine) []Sight {
	b := m.System.Group.Memory
	return seeIf(b.Max > 0 && b.Left() < b.Max/tightMemory, "%s of %s are left", info.Size(b.Left()), info.Size(b.Max))
}

func groupTasks(m *Machine) []Sight {
	b := m.System.Group.Tasks
	return seeIf(b.Max > 0 && b.Left() < int64(tasksPerRank*m.local()), "%d of %d threads and processes are left for %s",
		b.Left(), b.Max, processes(m.local()))
}

// groupCPU regards that Go's runtime follows the quota by itself, but makes two
// threads at least.
func groupCPU(m *Machine) []Sight {
	quota, procs := m.System.Group.CPU, m.System.MaxProcs
	return seeIf(quota > 0 && (float64(m.local()) > quota || procs > max(2, int(math.Ceil(quota)))),
		"a CPU quota of %g for %s with GOMAXPROCS %d", quota, processes(m.local()), procs)
}

// heapTooLarge looks at sizes that were set: of the default, pages are taken only
// as far as it is used.
func heapTooLarge(m *Machine) []Sight {
	size, err := env.ParseBytes(cmp.Or(m.Env[env.HeapSize], m.Env[env.ForeignHeapSize]))
	room := m.System.Memory
	if b := m.System.Group.Memory; b.Max > 0 {
		room = min(room, b.Max)
	}
	if err != nil || room == 0 || size > env.MaxHeap {
		return nil
	}
	all := int64(size) * int64(m.local())
	return seeIf(all > room, "%s with heaps of %s each, and %s of memory", processes(m.local()), info.Size(int64(size)), info.Size(room))
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return plural(n, "processe")
}
