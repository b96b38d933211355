// Mpiexchange makes a world over an MPI job without being linked against MPI: it
// opens the MPI library of the job at run time and lends goshmem two of its calls,
// Broadcast and Barrier. Anything that has those two can take MPI's place.
//
//	go build ./examples/mpiexchange
//	mpirun -n 4 ./mpiexchange            (Open MPI)
//	mpiexec.hydra -n 4 ./mpiexchange     (MPICH)
//
// MPI must have started it: under another launcher each process is alone in MPI's world.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "mpiexchange:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	mpi, err := openMPI(os.Getenv("MPI_LIBRARY"))
	if err != nil {
		return err
	}
	if err := apart(mpi.size); err != nil {
		return err
	}
	w, err := shmem.Init(ctx, shmem.Options{Rank: mpi.rank, Size: mpi.size, Exchange: mpi})
	if err != nil {
		return err
	}
	if err := sum(ctx, w); err != nil {
		return err
	}
	if err := w.Finalize(ctx); err != nil {
		return err
	}
	return mpi.finalize()
}

// apart is the error for processes of one job of which MPI knows nothing: each would be a
// world of its own.
func apart(size int) error {
	job, err := launch.Detect(os.Environ())
	if err != nil || size > 1 || job.Size == 1 {
		return err
	}
	return fmt.Errorf("%s started %d processes, and each is alone in MPI's world: start this example with mpirun or mpiexec.hydra -n %d", job.Family, job.Size, job.Size)
}

// sum adds the PE numbers up on PE 0, without MPI.
func sum(ctx context.Context, w *shmem.World) error {
	total, err := shmem.Alloc[int64](ctx, w, 1)
	if err != nil {
		return err
	}
	if err := shmem.AtomicAdd(total, 0, int64(w.MyPE()), 0); err != nil {
		return err
	}
	if err := w.Barrier(ctx); err != nil {
		return err
	}
	got, err := total.G(0, 0)
	if err != nil {
		return err
	}
	if want := int64(w.NPEs() * (w.NPEs() - 1) / 2); got != want {
		return fmt.Errorf("the sum is %d, want %d", got, want)
	}
	fmt.Printf("PE %d of %d: the sum of all PE numbers is %d\n", w.MyPE(), w.NPEs(), got)
	return nil
}
