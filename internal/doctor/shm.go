package doctor

import "github.com/goshmem/goshmem/internal/info"

// smallShm is what a few ranks with GPUs take in /dev/shm; containers start with an
// eighth of it.
const smallShm = 512 << 20

const shmWhy = "goshmem shares anonymous memory and does not need it, but NCCL, RCCL, MPI, PyTorch and UCX on this machine do, and jobs over several machines or virtual nodes use UCX (5 MiB for each process, or UCX_TLS=tcp,self): when it is full they fail, or a process ends with SIGBUS at a store"

const biggerShm = "mount -o remount,size=50% /dev/shm; in a container: docker run --shm-size=8g, or an emptyDir of medium Memory at /dev/shm"

func shmChecks() []Check {
	return []Check{
		{ID: "shm.missing", Severity: Warning, Looks: "there is no file system at /dev/shm", Why: shmWhy,
			Fix: "mount -t tmpfs -o mode=1777 tmpfs /dev/shm", find: shmMissing},
		{ID: "shm.rights", Severity: Warning, Looks: "this user may not make files in /dev/shm", Why: shmWhy,
			Fix: "chmod 1777 /dev/shm", find: shmRights},
		{ID: "shm.small", Severity: Warning, Looks: "/dev/shm is smaller than 512 MiB", Why: shmWhy, Fix: biggerShm, find: shmSmall},
		{ID: "shm.full", Severity: Warning, Looks: "less than a tenth of /dev/shm is free", Why: shmWhy,
			Fix: "goshmem doctor clean, then see what is left: ls -l /dev/shm", find: shmFull},
		{ID: "shm.overcommit", Severity: Note, Looks: "/dev/shm offers more than the control group lets this container have",
			Why: "files in /dev/shm count as memory of the container: it is killed, or gets SIGBUS, before the file system is full",
			Fix: "give /dev/shm a size below the memory limit: docker run --shm-size, or sizeLimit of the emptyDir", find: shmOvercommit},
		{ID: "shm.hugepages", Severity: Note, Looks: "huge pages are off for shared memory",
			Why: "large puts and gets then copy through pages of 4 KiB, which is slower",
			Fix: "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled", find: shmHuge},
	}
}

func shmMissing(m *Machine) []Sight {
	return seeIf(m.Kernel.Shm.Size == 0, "there is no file system at /dev/shm")
}

func shmRights(m *Machine) []Sight {
	return seeIf(m.Kernel.Shm.Size > 0 && !m.Kernel.Shm.Writable, "user %d may not make files in /dev/shm", m.Kernel.UID)
}

func shmSmall(m *Machine) []Sight {
	size := m.Kernel.Shm.Size
	return seeIf(size > 0 && size < smallShm, "/dev/shm has %s", info.Size(size))
}

func shmFull(m *Machine) []Sight {
	shm := m.Kernel.Shm
	return seeIf(shm.Size > 0 && shm.Free < shm.Size/10, "%s of %s are free in /dev/shm", info.Size(shm.Free), info.Size(shm.Size))
}

func shmOvercommit(m *Machine) []Sight {
	shm, memory := m.Kernel.Shm, m.System.Group.Memory
	return seeIf(memory.Max != info.Unlimited && shm.Size > memory.Max,
		"/dev/shm has %s, the control group %s", info.Size(shm.Size), info.Size(memory.Max))
}

func shmHuge(m *Machine) []Sight {
	return seeIf(m.ShmHuge == "never" || m.ShmHuge == "deny", "huge pages for shared memory are set to %q", m.ShmHuge)
}
