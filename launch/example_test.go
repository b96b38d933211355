package launch_test

import (
	"fmt"

	"github.com/goshmem/goshmem/launch"
)

// Programs pass os.Environ().
func ExampleDetect() {
	j, err := launch.Detect([]string{
		"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4",
		"OMPI_COMM_WORLD_LOCAL_RANK=2", "OMPI_COMM_WORLD_LOCAL_SIZE=4",
		"SLURM_JOB_ID=99", "PMIX_NAMESPACE=3412590593",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("rank %d of %d, started by %s inside %v\n", j.Rank, j.Size, j.Family, j.Outer)
	// Output: rank 2 of 4, started by openmpi inside [slurm]
}

// Half of a family is an error that names the other half.
func ExampleDetect_error() {
	_, err := launch.Detect([]string{"RANK=1"})
	fmt.Println(err)
	// Output: launch: WORLD_SIZE is not set, but RANK=1 is: say how many processes there are (GOSHMEM_RANK=0 and GOSHMEM_SIZE=1 for a process alone)
}
