package launch

import (
	"strconv"
	"strings"
)

// slurmReserved is the first of the step numbers that Slurm uses for things that
// are not started by srun: the batch script, the interactive shell of salloc,
// and others, all near 2^32.
const slurmReserved = 0xfffffff0

// slurmTask says whether srun started this process as one of its tasks. The
// variables alone do not: in the script of sbatch and in the shell of salloc
// SLURM_NTASKS speaks of the allocation and SLURM_PROCID may be 0, yet a program
// started there runs once and must not wait for tasks that nobody started. What
// tells them apart is the step number: absent there, or a reserved one.
func slurmTask(v vars) bool {
	step, err := strconv.ParseUint(v[slurmStep(v)], 10, 64)
	return err == nil && step < slurmReserved && v["SLURM_PROCID"] != ""
}

func slurmStep(v vars) string { return v.first("SLURM_STEP_ID", "SLURM_STEPID") }

// slurmID names the step; job numbers are unique within a cluster.
func slurmID(v vars) string {
	return v[v.first("SLURM_JOB_ID", "SLURM_JOBID")] + "." + v[slurmStep(v)]
}

// slurmLocalSize finds this machine's part in a list such as "4(x2),3".
func slurmLocalSize(v vars) (int, error) {
	name := v.first("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")
	node, err := v.number("SLURM_NODEID")
	if name == "" || node < 0 {
		return -1, err
	}
	for _, part := range strings.Split(v[name], ",") {
		tasks, times, ok := repeated(part)
		if !ok {
			return -1, v.wrong(name, `not a list like "4(x2),3"`)
		}
		if node < times {
			return tasks, nil
		}
		node -= times
	}
	return -1, v.wrong("SLURM_NODEID", name+"="+v[name]+" has fewer machines")
}

// repeated reads "4(x2)" as 4, 2 and "3" as 3, 1.
func repeated(part string) (tasks, times int, ok bool) {
	count, rest, more := strings.Cut(part, "(x")
	tasks, err := strconv.Atoi(count)
	if err != nil || tasks < 0 {
		return 0, 0, false
	}
	if !more {
		return tasks, 1, true
	}
	times, err = strconv.Atoi(strings.TrimSuffix(rest, ")"))
	return tasks, times, err == nil && times > 0 && strings.HasSuffix(rest, ")")
}
