// Package first is the program of a PE that allocates nothing, apart from package
// perf so that the program has nothing in it that a user's would not have.
package first

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/goshmem/goshmem/shmem"
)

// What a PE does after the first barrier.
const (
	Exit     = "exit"     // end at once
	Finalize = "finalize" // leave the world in good order
	Memory   = "memory"   // print /proc/self/status, then finalize
)

// Run joins the world, passes the first barrier, and goes on as args[0] says;
// Exit if there are none. Blocking, collective over the job.
func Run(args []string, out io.Writer) error {
	ctx := context.Background()
	w, err := shmem.Init(ctx, shmem.Options{})
	if err != nil {
		return err
	}
	if err := w.Barrier(ctx); err != nil {
		return err
	}
	then := Exit
	if len(args) > 0 {
		then = args[0]
	}
	switch then {
	case Exit:
		return nil
	case Memory:
		if err := status(out); err != nil {
			return err
		}
	case Finalize:
	default:
		return fmt.Errorf("what to do after the first barrier is %q: use %s, %s or %s", then, Exit, Finalize, Memory)
	}
	return w.Finalize(ctx)
}

// status copies what the kernel says about this process.
func status(out io.Writer) error {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fmt.Errorf("resident memory of this process: %w", err)
	}
	_, err = out.Write(text)
	return err
}
