package doctor

import (
	"slices"
	"strconv"
)

func coreChecks() []Check {
	return []Check{
		{ID: "cores.one", Severity: Warning, Looks: "this process may use one core of a machine that has more",
			Why: "waiting, progress and the garbage collector then share one core: whatever waits keeps the others from working",
			Fix: "start the process without binding, or with several cores each", find: oneCore},
		{ID: "cores.maxprocs", Severity: Warning, Looks: "GOMAXPROCS is 1 although there are more cores, or more than the cores that may be used",
			Why: "with 1 a goroutine that waits keeps the others from working; with too many, threads push each other aside",
			Fix: "unset GOMAXPROCS: Go's runtime knows the cores and the quota", find: maxProcs},
		{ID: "cores.spread", Severity: Note, Looks: "a process of a job may move between the cores of several NUMA nodes",
			Why: "a page stays on the node whose core touches it first; a process that has moved reaches all its memory over the link between the nodes",
			Fix: "bind each process to one node: numactl --cpunodebind, mpirun --bind-to numa, or srun --cpu-bind=ldoms", find: spread},
	}
}

// oneCore knows what to tell each launcher.
func oneCore(m *Machine) []Sight {
	if m.System.Allowed != 1 || m.System.Cores == 1 {
		return nil
	}
	s := see("this process may use one core only, of %d", m.System.Cores)
	switch m.Launch.Family {
	case "openmpi", "pmix":
		s = s.with("mpirun --bind-to none (or --map-by slot:PE=4), or in the environment of mpirun OMPI_MCA_hwloc_base_binding_policy=none")
	case "mpich":
		s = s.with("mpiexec -bind-to none")
	case "slurm":
		s = s.with("srun --cpus-per-task=4 (or --cpu-bind=none)")
	case "goshmem":
		s = s.with("goshmem run without --bind cores, and not below taskset or another launcher that binds")
	}
	return []Sight{s}
}

func maxProcs(m *Machine) []Sight {
	n, err := strconv.Atoi(m.Env["GOMAXPROCS"])
	if err != nil || n < 1 {
		return nil
	}
	return seeIf((n == 1 && m.System.Allowed > 1) || n > m.System.Allowed,
		"GOMAXPROCS=%d, and this process may use %s", n, plural(m.System.Allowed, "core"))
}

func spread(m *Machine) []Sight {
	allowed, nodes := m.allowed(), 0
	for _, cores := range m.Nodes {
		if slices.ContainsFunc(cores, func(c int) bool { return slices.Contains(allowed, c) }) {
			nodes++
		}
	}
	return seeIf(nodes > 1 && m.Launch.Size > 1, "this process may use cores %s, on %d NUMA nodes", m.System.AllowedCores, nodes)
}
