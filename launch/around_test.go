package launch

import (
	"slices"
	"strings"
	"testing"
)

// TestAround: a launcher learns which one of how many it is.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		want    Job
		bad     string
	}{
		{"none", []string{"HOME=/root", "GOSHMEM_RDZV=tcp:h:1"}, Job{Family: "none", Size: 1}, ""},
		{"srun", envSrun, Job{Family: "slurm", Rank: 3, Size: 4}, ""},
		{"script of sbatch", envSbatch, Job{Family: "none", Size: 1}, ""},
		{"mpirun in sbatch", slices.Concat(envSbatch, envOpenMPI), Job{Family: "openmpi", Rank: 2, Size: 3}, ""},
		{"a pod", envKube[:1], Job{Family: "kubernetes", Rank: 2}, ""},
		{"a rank of ours in mpirun", slices.Concat(envOpenMPI, envGoshmem), Job{Family: "none", Size: 1}, ""},
		{"a pod without a number", []string{"JOB_COMPLETION_INDEX=x"}, Job{}, "JOB_COMPLETION_INDEX"},
		{"half a family", []string{"WORLD_SIZE=2"}, Job{}, "RANK"},
	} {
		got, err := Around(c.environ)
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
			continue
		}
		if err != nil || got.Family != c.want.Family || got.Rank != c.want.Rank || got.Size != c.want.Size {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}
