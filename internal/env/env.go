// Package env is the one table of GOSHMEM_ variables: what each is called, what
// it does, and what it is when unset. Parsing, `goshmem info` and the
// documentation all read this table.
package env

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

// Prefix starts the name of every variable that goshmem owns.
const Prefix = "GOSHMEM_"

// The variables that goshmem reads. A user may set those of the first block;
// the launcher and shmemtest set those of the second for the processes they start.
const (
	Engine   = "GOSHMEM_ENGINE"
	HeapSize = "GOSHMEM_HEAP_SIZE"
	Timeout  = "GOSHMEM_TIMEOUT"
	Token    = "GOSHMEM_TOKEN"
	Rdzv     = "GOSHMEM_RDZV"
	NodeSize = "GOSHMEM_NODE_SIZE"
	Checked  = "GOSHMEM_CHECK"
	Weak     = "GOSHMEM_WEAK"
	Race     = "GOSHMEM_RACE"
	Cache    = "GOSHMEM_CACHE"
	Fault    = "GOSHMEM_FAULT"
	NCCL     = "GOSHMEM_NCCL"

	NodeTransport = "GOSHMEM_NODE_TRANSPORT"

	HostDevices  = "GOSHMEM_HOST_DEVICES"
	ROCSHMEMShim = "GOSHMEM_ROCSHMEM_SHIM"

	Rank      = "GOSHMEM_RANK"
	Size      = "GOSHMEM_SIZE"
	LocalRank = "GOSHMEM_LOCAL_RANK"
	LocalSize = "GOSHMEM_LOCAL_SIZE"
	NodeRank  = "GOSHMEM_NODE_RANK"
	Nodes     = "GOSHMEM_NODES"
	TestCall  = "GOSHMEM_TEST_CALL"
	Program   = "GOSHMEM_PROGRAM"
)

// Var describes one variable.
type Var struct {
	Name    string // with its prefix
	Default string // as a user would type it; "" when there is none
	Help    string // one line
}

// Vars returns the table, in the order in which help prints it.
func Vars() []Var {
	return []Var{
		{Engine, "", "engine to use: host, ipc, nvshmem or rocshmem; unset: the best that can run on every PE, of host and ipc"},
		{HeapSize, "1GiB", "symmetric heap of each PE: bytes, or a number with KiB, MiB, GiB (goroutine PEs: 64MiB)"},
		{Timeout, "5m", "how long a call may wait for other PEs before it returns an error (a Go duration)"},
		{NodeSize, "", "PEs of a virtual node: others are reached as if they were on another machine; unset: one node"},
		{NodeTransport, "", "how data goes between virtual nodes: ucx, as between machines; unset: through memory that they share"},
		{Checked, "0", "1: checked mode, which records every operation and reports misuse with its line (shmemtest: on)"},
		{Fault, "", "what goes wrong on purpose, such as \"kill pe=2 op=put n=17\": delay, stop, kill, fail, slow, exhaust, lose; see go doc internal/fault"},
		{Weak, "0", "seed of weak mode, where data arrives as late and in as odd an order as is allowed; 0: off"},
		{Race, "1", "0: no race mode in builds with -race, whose remote accesses else take the time of a network (goroutine PEs)"},
		{NCCL, "", "library of package nccl: nccl, rccl or host; unset: that of the GPU, and host without one"},
		{Cache, "", "folder of compiled kernels; unset: goshmem/kernels in the user's cache folder"},
		{HostDevices, "1", "devices of platform host, which package gpu has without a GPU (1 to 64)"},
		{ROCSHMEMShim, "", "file of the shim over rocSHMEM (native/rocshmem); unset: libgoshmem_rocshmem.so in ROCSHMEM_HOME, ROCM_PATH or where the loader looks"},
		{Rdzv, "", "where the processes of a job meet: unix:@name or tcp:host:port"},
		{Token, "", "secret of the job; proves membership in the rendezvous without travelling"},
		{Rank, "", "number of this process, 0 to size-1 (set by the launcher)"},
		{Size, "", "number of processes in the job (set by the launcher)"},
		{LocalRank, "", "number of this process on its machine (set by the launcher)"},
		{LocalSize, "", "number of processes on this machine (set by the launcher)"},
		{NodeRank, "", "number of this machine in a job over several (set by the launcher)"},
		{Nodes, "", "number of machines of the job (set by the launcher)"},
		{Program, "", "the package that this process was built from, for messages (set by goshmem run)"},
		{TestCall, "", "which shmemtest.RunProcesses call this process serves (set by shmemtest)"},
	}
}

// Unknown returns an error that names every variable of environ ("NAME=value"
// lines) that has our prefix and is not in the table: a typing mistake must not
// silently mean the default.
func Unknown(environ []string) error {
	known := map[string]bool{}
	for _, v := range Vars() {
		known[v.Name] = true
	}
	var bad []string
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, Prefix) && !known[name] {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	return fmt.Errorf("unknown variable %s (`goshmem info` lists those that exist)", strings.Join(bad, ", "))
}

// Check is Unknown over the environment of this process.
func Check() error { return Unknown(os.Environ()) }
