package nvshmem

import (
	"fmt"
	"net"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

const (
	// alignment is that of a page of the host, and more than any GPU's kernels ask for.
	alignment = 4096
	// reserve is memory of our own behind the arrays: a part for each team that there can be.
	reserve = maxTeams * scratchSize
	// maxTeams is how many teams a world can have at once, the world included.
	maxTeams = 64
	// scratchSize is what a reduction to one member is done through.
	scratchSize = 64 << 10
	// spare is what the library takes of the symmetric memory for itself, and more.
	spare = 64 << 20
	// ownTeams are those that the library makes for itself.
	ownTeams = 16
	// widest is the memory per PE for which the library has addresses unless it is told.
	widest = 120 << 30
)

// settings are the variables that the library has to find at its first call. What the
// user has set stays.
func settings(job engine.Job) []dl.Setting {
	total := (job.HeapSize + reserve + spare + 1<<20 - 1) &^ (1<<20 - 1)
	list := []dl.Setting{
		{Name: "NVSHMEM_SYMMETRIC_SIZE", Value: fmt.Sprint(total), Why: "where memory cannot grow, it has to suffice for the heap"},
		{Name: "NVSHMEM_MAX_TEAMS", Value: fmt.Sprint(maxTeams + ownTeams), Why: "a world has more teams than the library's default"},
	}
	if !job.Several() {
		list = append(list, dl.Setting{Name: "NVSHMEM_REMOTE_TRANSPORT", Value: "none", Why: "all PEs are on one machine: its network adapters need not be opened"})
	}
	if total > widest {
		list = append(list, dl.Setting{Name: "NVSHMEM_MAX_MEMORY_PER_GPU", Value: fmt.Sprint(2 * total), Why: "the heap is larger than what addresses are kept for"})
	}
	if !connected() {
		list = append(list, dl.Setting{Name: "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", Value: "lo", Why: "no other interface is up, and the library does not take this one by itself"})
	}
	return list
}

// connected says whether an interface is up that is not the machine's own.
func connected() bool {
	interfaces, err := net.Interfaces()
	if err != nil {
		return true // then the library finds out
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err == nil && i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 && len(addresses) > 0 {
			return true
		}
	}
	return false
}
