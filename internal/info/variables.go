package info

import (
	"os"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

// Variable is one environment variable.
type Variable struct {
	Name    string `json:"name"`
	Set     bool   `json:"set"`
	Value   string `json:"value,omitempty"`
	Default string `json:"default,omitempty"`
	Help    string `json:"help,omitempty"`
	Problem string `json:"problem,omitempty"` // what the value is not; no world can follow it
}

// hidden stands for the value of a secret.
const hidden = "(set, not shown)"

// ours is the table of our variables with the values that they have now.
func ours() []Variable {
	var list []Variable
	for _, v := range env.Vars() {
		value, set := os.LookupEnv(v.Name)
		list = append(list, Variable{Name: v.Name, Set: set, Value: show(v.Name, value), Default: v.Default, Help: v.Help})
	}
	return list
}

// Variables lists the variables of environ that are set and change how a job runs,
// ours and others', without the values of secrets.
func Variables(environ []string) []Variable {
	list := foreign(environ)
	for _, line := range environ {
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, env.Prefix) {
			list = append(list, Variable{Name: name, Set: true, Value: show(name, value)})
		}
	}
	return list
}

// foreign picks the variables of others that change how a job runs.
func foreign(environ []string) []Variable {
	list := []Variable{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if isForeign(name) {
			list = append(list, Variable{Name: name, Set: true, Value: show(name, value)})
		}
	}
	slices.SortFunc(list, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// markProblems notes in the lists which values no world can follow.
func markProblems(environ []string, engines []Engine, lists ...[]Variable) {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.Name
	}
	problems := map[string]string{}
	for _, p := range env.Problems(environ, names) {
		problems[p.Name] = p.Err.Error()
	}
	for _, list := range lists {
		for i := range list {
			list[i].Problem = problems[list[i].Name]
		}
	}
}

func isForeign(name string) bool {
	for _, prefix := range []string{
		"ROCSHMEM_", "NVSHMEM_", "NCCL_", "RCCL_", "UCX_",
		"OMPI_", "PMI_", "PMIX_", "HYDI_", "SLURM_", "TORCHELASTIC_",
		"CUDA_", "HIP_", "ROCR_", "ROCM_", "HSA_",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{
		"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
		"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "JOB_COMPLETION_INDEX",
		"GPU_MAX_HW_QUEUES", "OMP_NUM_THREADS", "LD_LIBRARY_PATH", "LD_PRELOAD",
		"GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GOTRACEBACK",
	}, name)
}

// show hides values that let somebody into a job or an account: this output is
// pasted into public reports.
func show(name, value string) string {
	if value == "" {
		return ""
	}
	for _, word := range []string{"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "KEY", "JWT", "AUTH", "PRECONDITION_TRANSPORTS"} {
		if strings.Contains(strings.ToUpper(name), word) {
			return hidden
		}
	}
	return value
}
