package launch

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// here is a machine that tests know.
var here = place{uid: 1000, pid: 77, starter: func() string { return "4711@12345" }}

func detectIn(environ ...string) (Job, error) { return detect(parseVars(environ), here) }

// environments of real launchers, cut to what matters.
var (
	envGoshmem = []string{"GOSHMEM_RANK=1", "GOSHMEM_SIZE=4", "GOSHMEM_LOCAL_RANK=1", "GOSHMEM_LOCAL_SIZE=4",
		"GOSHMEM_RDZV=unix:@goshmem-0011", "GOSHMEM_TOKEN=t0k", "RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=4",
		"MASTER_ADDR=127.0.0.1", "MASTER_PORT=29400"}
	envTorchrun = []string{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=4", "GROUP_RANK=1",
		"MASTER_ADDR=node0", "MASTER_PORT=29500", "TORCHELASTIC_RUN_ID=run7", "TORCHELASTIC_USE_AGENT_STORE=True"}
	envOpenMPI = []string{"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_LOCAL_RANK=2",
		"OMPI_COMM_WORLD_LOCAL_SIZE=3", "PMIX_RANK=2", "PMIX_NAMESPACE=3412590593"}
	envHydra = []string{"PMI_RANK=0", "PMI_SIZE=3", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=3", "PMI_FD=8"}
	envPMIx  = []string{"PMIX_RANK=1", "PMIX_NAMESPACE=prterun-n-9@1", "GOSHMEM_SIZE=2"}
	envSrun  = []string{"SLURM_JOB_ID=99", "SLURM_STEP_ID=0", "SLURM_PROCID=3", "SLURM_NTASKS=4", "SLURM_STEP_NUM_TASKS=4",
		"SLURM_LOCALID=3", "SLURM_NODEID=0", "SLURM_STEP_TASKS_PER_NODE=4"}
	envSbatch = []string{"SLURM_JOB_ID=99", "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_LOCALID=0", "SLURM_NODEID=0", "SLURM_TASKS_PER_NODE=4"}
	envKube   = []string{"JOB_COMPLETION_INDEX=2", "GOSHMEM_SIZE=3", "GOSHMEM_RDZV=tcp:job-0.svc:7777"}
)

func TestDetect(t *testing.T) {
	slurm2 := append(slices.Concat(envSrun), "SLURM_STEP_TASKS_PER_NODE=1(x2),2", "SLURM_NODEID=2", "SLURM_LOCALID=1")
	tests := []struct {
		name    string
		environ []string
		want    Job
	}{
		{"none", []string{"HOME=/root", "PMI_FD=3", "LOCAL_RANK=0", "MASTER_ADDR=x"}, Job{Family: "none", Size: 1, LocalSize: 1, Name: "none:77"}},
		{"goshmem", envGoshmem, Job{Family: "goshmem", Rank: 1, Size: 4, LocalRank: 1, LocalSize: 4, Rendezvous: "unix:@goshmem-0011", Token: "t0k", Name: "goshmem:unix:@goshmem-0011"}},
		{"goshmem alone by hand", []string{"GOSHMEM_RANK=0", "GOSHMEM_SIZE=1"}, Job{Family: "goshmem", Size: 1, LocalRank: -1, LocalSize: -1, Name: "goshmem:77"}},
		{"torchrun", envTorchrun, Job{Family: "torchrun", Rank: 5, Size: 8, LocalRank: 1, LocalSize: 4, Rendezvous: "tcp:node0:29500+16", Name: "torchrun:node0/29500/run7"}},
		{"torchrun without a place", []string{"RANK=0", "WORLD_SIZE=2"}, Job{Family: "torchrun", Size: 2, LocalRank: -1, LocalSize: -1, Name: "torchrun://"}},
		{"torchrun, rocSHMEM's names", []string{"RANK=0", "WORLD_SIZE=2", "ROCSHMEM_MASTER_ADDR=::1", "ROCSHMEM_MASTER_PORT=65530"}, Job{Family: "torchrun", Size: 2, LocalRank: -1, LocalSize: -1, Rendezvous: "tcp:[::1]:65530+5", Name: "torchrun:::1/65530/"}},
		{"openmpi", envOpenMPI, Job{Family: "openmpi", Rank: 2, Size: 3, LocalRank: 2, LocalSize: 3, Rendezvous: nameOf("openmpi", "3412590593"), Name: "openmpi:3412590593"}},
		{"openmpi on two machines", append(slices.Concat(envOpenMPI), "OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_LOCAL_SIZE=1"), Job{Family: "openmpi", Rank: 2, Size: 3, LocalSize: 1, Name: "openmpi:3412590593"}},
		{"openmpi without namespace", envOpenMPI[:4], Job{Family: "openmpi", Rank: 2, Size: 3, LocalRank: 2, LocalSize: 3, Rendezvous: nameOf("openmpi", "4711@12345"), Name: "openmpi:" + nameOf("openmpi", "4711@12345")}},
		{"mpich", envHydra, Job{Family: "mpich", Size: 3, LocalSize: 3, Rendezvous: nameOf("mpich", "4711@12345"), Name: "mpich:" + nameOf("mpich", "4711@12345")}},
		{"mpich on two machines", append(slices.Concat(envHydra), "MPI_LOCALNRANKS=2", "GOSHMEM_RDZV=tcp:n0:7000"), Job{Family: "mpich", Size: 3, LocalSize: 2, Rendezvous: "tcp:n0:7000", Name: "mpich:tcp:n0:7000"}},
		{"pmix", envPMIx, Job{Family: "pmix", Rank: 1, Size: 2, LocalRank: -1, LocalSize: -1, Rendezvous: nameOf("pmix", "prterun-n-9@1"), Name: "pmix:prterun-n-9@1"}},
		{"srun", envSrun, Job{Family: "slurm", Rank: 3, Size: 4, LocalRank: 3, LocalSize: 4, Rendezvous: nameOf("slurm", "99.0"), Name: "slurm:99.0"}},
		{"srun on three machines", slurm2, Job{Family: "slurm", Rank: 3, Size: 4, LocalRank: 1, LocalSize: 2, Name: "slurm:99.0"}},
		{"srun, which counts machines", append(slices.Concat(slurm2), "SLURM_NNODES=3"), Job{Family: "slurm", Rank: 3, Size: 4, LocalRank: 1, LocalSize: 2, NodeRank: 2, Nodes: 3, Name: "slurm:99.0"}},
		{"torchrun, which counts machines", append(slices.Concat(envTorchrun), "GROUP_WORLD_SIZE=2"), Job{Family: "torchrun", Rank: 5, Size: 8, LocalRank: 1, LocalSize: 4, NodeRank: 1, Nodes: 2, Rendezvous: "tcp:node0:29500+16", Name: "torchrun:node0/29500/run7"}},
		{"kubernetes", envKube, Job{Family: "kubernetes", Rank: 2, Size: 3, LocalRank: -1, LocalSize: -1, Rendezvous: "tcp:job-0.svc:7777", Name: "kubernetes:tcp:job-0.svc:7777"}},
		{"expected size", append(slices.Concat(envOpenMPI), "GOSHMEM_SIZE=3"), Job{Family: "openmpi", Rank: 2, Size: 3, LocalRank: 2, LocalSize: 3, Rendezvous: nameOf("openmpi", "3412590593"), Name: "openmpi:3412590593"}},
		{"empty means unset", []string{"RANK=", "WORLD_SIZE=", "PMI_RANK="}, Job{Family: "none", Size: 1, LocalSize: 1, Name: "none:77"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := detectIn(tt.environ...)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

// nameOf is the derived rendezvous of a job of user 1000.
func nameOf(family, id string) string { return "unix:@goshmem-" + digest("1000", family, id) }

// TestDetectNested: the innermost launcher decides.
func TestDetectNested(t *testing.T) {
	srunPMI2 := append(slices.Concat(envSrun), "PMI_RANK=3", "PMI_SIZE=4", "PMI_FD=9")
	srunPMIx := append(slices.Concat(envSrun), "PMIX_RANK=3", "PMIX_NAMESPACE=slurm.pmix.99.0")
	perNode := append(slices.Concat(envSrun), "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "SLURM_STEP_TASKS_PER_NODE=1(x2)")
	tests := []struct {
		name    string
		environ []string
		family  string
		rank    int
		size    int
		outer   []string
	}{
		{"mpirun in sbatch", slices.Concat(envSbatch, envOpenMPI), "openmpi", 2, 3, []string{"slurm"}},
		{"hydra in sbatch, proxies by srun", slices.Concat(perNode, envHydra), "mpich", 0, 3, []string{"slurm"}},
		{"torchrun in srun", slices.Concat(perNode, envTorchrun), "torchrun", 5, 8, []string{"slurm"}},
		{"goshmem in mpirun", slices.Concat(envOpenMPI, envGoshmem), "goshmem", 1, 4, []string{"openmpi", "pmix"}},
		{"goshmem in mpirun in sbatch", slices.Concat(envSbatch, envOpenMPI, envGoshmem), "goshmem", 1, 4, []string{"openmpi", "pmix", "slurm"}},
		{"torchrun in kubernetes", slices.Concat([]string{"JOB_COMPLETION_INDEX=0"}, envTorchrun), "torchrun", 5, 8, []string{"kubernetes"}},
		{"srun with pmi2", srunPMI2, "slurm", 3, 4, nil},
		{"srun with pmix", srunPMIx, "slurm", 3, 4, nil},
		{"script of sbatch", envSbatch, "none", 0, 1, []string{"slurm"}},
		{"script of sbatch, newer", append(slices.Concat(envSbatch), "SLURM_STEP_ID=4294967291"), "none", 0, 1, []string{"slurm"}},
		{"shell of salloc", append(slices.Concat(envSbatch), "SLURM_STEP_ID=4294967290"), "none", 0, 1, []string{"slurm"}},
		{"salloc on the login machine", []string{"SLURM_JOB_ID=99", "SLURM_NTASKS=4"}, "none", 0, 1, []string{"slurm"}},
		{"one process in a job", append(slices.Concat(envOpenMPI), "GOSHMEM_RANK=0", "GOSHMEM_SIZE=1"), "goshmem", 0, 1, []string{"openmpi", "pmix"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j, err := detectIn(tt.environ...)
			if err != nil {
				t.Fatal(err)
			}
			if j.Family != tt.family || j.Rank != tt.rank || j.Size != tt.size || !reflect.DeepEqual(j.Outer, tt.outer) {
				t.Errorf("got %s, %d of %d, in %v", j.Family, j.Rank, j.Size, j.Outer)
			}
		})
	}
}

// TestDetectErrors: the error names the variable and what is wrong.
func TestDetectErrors(t *testing.T) {
	tests := []struct {
		name     string
		environ  []string
		variable string
		mentions string
	}{
		{"rank without size", []string{"RANK=1"}, "WORLD_SIZE", "RANK=1"},
		{"size without rank", []string{"WORLD_SIZE=2"}, "RANK", "WORLD_SIZE=2"},
		{"own size without rank", []string{"GOSHMEM_SIZE=2"}, "GOSHMEM_RANK", "GOSHMEM_SIZE=2"},
		{"own rank without size", []string{"GOSHMEM_RANK=0"}, "GOSHMEM_SIZE", "GOSHMEM_RANK=0"},
		{"own rank without size in mpirun", append(slices.Concat(envOpenMPI), "GOSHMEM_RANK=0"), "GOSHMEM_SIZE", "GOSHMEM_RANK=0"},
		{"openmpi rank only", []string{"OMPI_COMM_WORLD_RANK=0"}, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK=0"},
		{"mpich size only", []string{"PMI_SIZE=3"}, "PMI_RANK", "PMI_SIZE=3"},
		{"pmix has no size", envPMIx[:2], "GOSHMEM_SIZE", "PMIX_RANK=1"},
		{"slurm task without size", []string{"SLURM_STEP_ID=0", "SLURM_PROCID=1"}, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID=1"},
		{"kubernetes without size", []string{"JOB_COMPLETION_INDEX=2"}, "GOSHMEM_SIZE", "JOB_COMPLETION_INDEX=2"},
		{"rank = size", []string{"RANK=4", "WORLD_SIZE=4"}, "RANK", "not below WORLD_SIZE=4"},
		{"negative rank", []string{"PMI_RANK=-1", "PMI_SIZE=4"}, "PMI_RANK", "negative"},
		{"rank is no number", []string{"GOSHMEM_RANK=one", "GOSHMEM_SIZE=4"}, "GOSHMEM_RANK", `"one"`},
		{"size zero", []string{"GOSHMEM_RANK=0", "GOSHMEM_SIZE=0"}, "GOSHMEM_SIZE", "not within 1"},
		{"size huge", []string{"GOSHMEM_RANK=0", "GOSHMEM_SIZE=1000000000"}, "GOSHMEM_SIZE", "not within 1"},
		{"size too large for a number", []string{"GOSHMEM_RANK=0", "GOSHMEM_SIZE=99999999999999999999"}, "GOSHMEM_SIZE", "not a whole number"},
		{"local rank = local size", []string{"RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=2", "LOCAL_WORLD_SIZE=2"}, "LOCAL_RANK", "not below the 2"},
		{"local size above size", []string{"RANK=1", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=5"}, "LOCAL_WORLD_SIZE", "not within 1 and WORLD_SIZE=4"},
		{"local size is no number", []string{"RANK=1", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=x"}, "LOCAL_WORLD_SIZE", "not a whole number"},
		{"address without port", []string{"RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=n"}, "MASTER_PORT", "MASTER_ADDR=n"},
		{"port without address", []string{"RANK=1", "WORLD_SIZE=4", "MASTER_PORT=1"}, "MASTER_ADDR", "MASTER_PORT=1"},
		{"port out of range", []string{"RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=n", "MASTER_PORT=70000"}, "MASTER_PORT", "not a port"},
		{"port is no number", []string{"RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=n", "MASTER_PORT=http"}, "MASTER_PORT", "not a whole number"},
		{"address with a port in it", []string{"RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=n:1", "MASTER_PORT=1"}, "MASTER_ADDR", "not a host name"},
		{"rendezvous", []string{"RANK=1", "WORLD_SIZE=4", "GOSHMEM_RDZV=somewhere"}, "GOSHMEM_RDZV", "want unix:@name"},
		{"another number than expected", append(slices.Concat(envOpenMPI), "GOSHMEM_SIZE=8"), "GOSHMEM_SIZE", "openmpi started 3"},
		{"tasks per node", append(slices.Concat(envSrun), "SLURM_STEP_TASKS_PER_NODE=4(y2)"), "SLURM_STEP_TASKS_PER_NODE", "not a list"},
		{"node beyond the nodes", append(slices.Concat(envGoshmem), "GOSHMEM_NODE_RANK=2", "GOSHMEM_NODES=2"), "GOSHMEM_NODE_RANK", "not below GOSHMEM_NODES=2"},
		{"node without nodes", append(slices.Concat(envGoshmem), "GOSHMEM_NODE_RANK=0"), "GOSHMEM_NODES", "GOSHMEM_NODE_RANK=0"},
		{"nodes without node", append(slices.Concat(envGoshmem), "GOSHMEM_NODES=2"), "GOSHMEM_NODE_RANK", "GOSHMEM_NODES=2"},
		{"no nodes", append(slices.Concat(envGoshmem), "GOSHMEM_NODE_RANK=0", "GOSHMEM_NODES=0"), "GOSHMEM_NODES", "at least 1"},
		{"node beyond the list", append(slices.Concat(envSrun), "SLURM_NODEID=1"), "SLURM_NODEID", "fewer machines"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j, err := detectIn(tt.environ...)
			var bad *EnvError
			if !errors.As(err, &bad) {
				t.Fatalf("got %+v, %v", j, err)
			}
			if bad.Var != tt.variable || !strings.Contains(err.Error(), tt.mentions) {
				t.Errorf("error about %s: %v", bad.Var, err)
			}
		})
	}
}

// TestDetectTellsJobsApart: two jobs of one family on one machine.
func TestDetectTellsJobsApart(t *testing.T) {
	pairs := map[string][2][]string{
		"torchrun": {envTorchrun, append(slices.Concat(envTorchrun), "TORCHELASTIC_RUN_ID=run8")},
		"openmpi":  {envOpenMPI, append(slices.Concat(envOpenMPI), "PMIX_NAMESPACE=1")},
		"slurm":    {envSrun, append(slices.Concat(envSrun), "SLURM_STEP_ID=1")},
		"goshmem":  {envGoshmem, append(slices.Concat(envGoshmem), "GOSHMEM_RDZV=unix:@x")},
	}
	for family, p := range pairs {
		a, errA := detectIn(p[0]...)
		b, errB := detectIn(p[1]...)
		if errA != nil || errB != nil || a.Family != family || a.Name == b.Name {
			t.Errorf("%s: %q and %q, %v, %v", family, a.Name, b.Name, errA, errB)
		}
	}
	other := here
	other.starter = func() string { return "4711@99999" } // the number was used again
	a, errA := detect(parseVars(envHydra), here)
	b, errB := detect(parseVars(envHydra), other)
	if errA != nil || errB != nil || a.Name == b.Name || a.Rendezvous == b.Rendezvous {
		t.Errorf("mpich: %+v and %+v, %v, %v", a, b, errA, errB)
	}
}
