// Subset makes two worlds out of one job: the even processes and the odd ones.
//
//	goshmem run -n 4 ./examples/subset
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "subset:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	job, err := launch.Detect(os.Environ())
	if err != nil {
		return err
	}
	parity := job.Rank % 2
	w, err := shmem.Init(ctx, shmem.Options{
		Group: [2]string{"even", "odd"}[parity],
		Rank:  job.Rank / 2,
		Size:  (job.Size + 1 - parity) / 2,

		Engine: "host", // it reads its own part like any slice, also where there are GPUs
	})
	if err != nil {
		return err
	}
	if err := introduce(ctx, w, job.Rank); err != nil {
		return err
	}
	return w.Finalize(ctx)
}

// introduce tells every PE of the world which rank of the job each PE is. They rise, as
// PE numbers do.
func introduce(ctx context.Context, w *shmem.World, rank int) error {
	ranks, err := shmem.Alloc[int32](ctx, w, w.NPEs())
	if err != nil {
		return err
	}
	for pe := range w.NPEs() {
		if err := ranks.P(w.MyPE(), int32(rank), pe); err != nil {
			return err
		}
	}
	if err := w.Barrier(ctx); err != nil {
		return err
	}
	all, err := ranks.Local()
	if err != nil {
		return err
	}
	text := ""
	for i, r := range all {
		if i > 0 && r <= all[i-1] {
			return fmt.Errorf("rank %d stands before rank %d: not all have arrived", all[i-1], r)
		}
		text += " " + strconv.Itoa(int(r))
	}
	fmt.Printf("PE %d of %d, in the world of ranks%s\n", w.MyPE(), w.NPEs(), text)
	return nil
}
