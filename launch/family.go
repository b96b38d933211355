package launch

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

// family is one launcher's way of telling its processes who they are. Of names
// that are lists the first that is set counts.
type family struct {
	name          string
	rank, size    []string
	localRank     string
	localSizeName string
	node, nodes   []string
	local         func(v vars) (int, error)                       // nil: localSizeName is a number
	started       func(v vars) bool                               // nil: rank or size is set
	id            func(v vars) string                             // equal on all machines; nil or "": none
	meet          func(v vars, j Job, here place) (string, error) // nil: GOSHMEM_RDZV is needed
	allocation    string                                          // also a trace of this family
	alsoSets      []string                                        // families whose variables it sets as well
}

// families lists them from innermost to outermost. The order is that of real
// life: our launcher and torchrun are started by MPI launchers and by batch
// systems, MPI launchers by batch systems, all of them in containers.
func families() []family {
	return []family{
		{
			name: "goshmem", rank: []string{env.Rank}, size: []string{env.Size},
			localRank: env.LocalRank, localSizeName: env.LocalSize,
			node: []string{env.NodeRank}, nodes: []string{env.Nodes},
			started:  func(v vars) bool { return v.first(env.Rank, env.LocalRank, env.LocalSize) != "" },
			alsoSets: []string{"torchrun"},
		},
		{
			name: "torchrun", rank: []string{"RANK"}, size: []string{"WORLD_SIZE"},
			localRank: "LOCAL_RANK", localSizeName: "LOCAL_WORLD_SIZE",
			node: []string{"GROUP_RANK"}, nodes: []string{"GROUP_WORLD_SIZE"},
			id: torchID, meet: torchMeet,
		},
		{
			name: "openmpi", rank: []string{"OMPI_COMM_WORLD_RANK"}, size: []string{"OMPI_COMM_WORLD_SIZE"},
			localRank: "OMPI_COMM_WORLD_LOCAL_RANK", localSizeName: "OMPI_COMM_WORLD_LOCAL_SIZE",
			id: pmixID, meet: meetByName(pmixID),
			alsoSets: []string{"pmix"},
		},
		{
			name: "mpich", rank: []string{"PMI_RANK"}, size: []string{"PMI_SIZE"},
			localRank: "MPI_LOCALRANKID", localSizeName: "MPI_LOCALNRANKS",
			started: hydraStarted,
			meet:    meetByName(func(vars) string { return "" }), // it names its job only over its socket
		},
		{
			name: "pmix", rank: []string{"PMIX_RANK"}, size: []string{env.Size}, // PMIx tells the size only over its socket
			started: pmixStarted,
			id:      pmixID, meet: meetByName(pmixID),
		},
		{
			name: "slurm", rank: []string{"SLURM_PROCID"}, size: []string{"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
			localRank: "SLURM_LOCALID", localSizeName: "SLURM_STEP_TASKS_PER_NODE", local: slurmLocalSize,
			node: []string{"SLURM_NODEID"}, nodes: []string{"SLURM_STEP_NUM_NODES", "SLURM_NNODES"},
			started: slurmTask,
			id:      slurmID, meet: meetByName(slurmID),
			allocation: "SLURM_JOB_ID", alsoSets: []string{"mpich", "pmix"},
		},
		{
			name: "kubernetes", rank: []string{"JOB_COMPLETION_INDEX"}, size: []string{env.Size},
			started: func(v vars) bool { return v["JOB_COMPLETION_INDEX"] != "" },
		},
	}
}

// seen says whether this family started the process.
func (f family) seen(v vars) bool {
	if f.started != nil {
		return f.started(v)
	}
	return v.first(append(f.rank, f.size...)...) != ""
}

// traces are the variables by which the family is noticed around another one.
func (f family) traces() []string { return append(f.rank, f.allocation) }

// localSize is the number of processes of the job on this machine; -1: unknown.
func (f family) localSize(v vars) (int, error) {
	if f.local != nil {
		return f.local(v)
	}
	return v.number(f.localSizeName)
}

// meetByName gives a job on one machine a name made of what id says, or else of
// who started it. Where it is not known how many of the processes are here, they
// all are: a wrong guess ends in a time-out that lists who is missing.
func meetByName(id func(vars) string) func(vars, Job, place) (string, error) {
	return func(v vars, j Job, here place) (string, error) {
		if j.LocalSize >= 0 && j.LocalSize != j.Size {
			return "", nil
		}
		who := id(v)
		if who == "" {
			who = here.starter()
		}
		if who == "" {
			return "", nil
		}
		return address{name: namePrefix + digest(strconv.Itoa(here.uid), j.Family, who)}.String(), nil
	}
}

// pmixID is the name of the job among all of its process manager.
func pmixID(v vars) string { return v["PMIX_NAMESPACE"] }

// pmixStarted leaves out the namespaces that srun --mpi=pmix makes: there Slurm
// itself is the launcher, and it also says how many processes there are.
func pmixStarted(v vars) bool {
	return v["PMIX_RANK"] != "" && !strings.HasPrefix(pmixID(v), "slurm.")
}

// hydraStarted leaves out the variables that srun --mpi=pmi2 sets: hydra always
// adds local numbers, Slurm never.
func hydraStarted(v vars) bool {
	set := v.first("PMI_RANK", "PMI_SIZE") != ""
	return set && (v["MPI_LOCALRANKID"] != "" || !slurmTask(v))
}

// torchID does not use the restart count: after the failure of one machine the
// others restart without counting it.
func torchID(v vars) string {
	return strings.Join([]string{v[torchAddr(v)], v[torchPort(v)], v["TORCHELASTIC_RUN_ID"]}, "/")
}

func torchAddr(v vars) string { return v.first("MASTER_ADDR", "ROCSHMEM_MASTER_ADDR") }
func torchPort(v vars) string { return v.first("MASTER_PORT", "ROCSHMEM_MASTER_PORT") }

// torchMeet stays off MASTER_PORT itself while something else listens there:
// torchrun's agent does, as the store of PyTorch's own processes.
func torchMeet(v vars, _ Job, _ place) (string, error) {
	addr, port := torchAddr(v), torchPort(v)
	switch {
	case addr == "" && port == "":
		return "", nil
	case addr == "":
		return "", v.wrong("MASTER_ADDR", fmt.Sprintf("but %s=%s is: either both or none", port, v[port]))
	case port == "":
		return "", v.wrong("MASTER_PORT", fmt.Sprintf("but %s=%s is: either both or none", addr, v[addr]))
	}
	n, err := v.number(port)
	if err != nil {
		return "", err
	}
	if n < 1 || n > maxPort {
		return "", v.wrong(port, fmt.Sprintf("not a port (1 to %d)", maxPort))
	}
	host := strings.Trim(v[addr], "[]")
	if strings.ContainsAny(host, " /") || (strings.Contains(host, ":") && net.ParseIP(host) == nil) {
		return "", v.wrong(addr, "not a host name or an address")
	}
	return address{host: host, port: n, span: min(portSpan, maxPort-n)}.String(), nil
}
