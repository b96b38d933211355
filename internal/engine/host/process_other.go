//go:build !linux

package host

import (
	"context"
	"errors"
	"runtime"

	"github.com/goshmem/goshmem/internal/engine"
)

func probe() engine.Verdict {
	return engine.Verdict{OK: true, Reason: "goroutine PEs, and one process; several processes are not supported here (" + runtime.GOOS + ")"}
}

// open runs one process as a world of one PE; more need Linux.
func open(_ context.Context, job engine.Job) (*Heap, error) {
	if job.Size != 1 {
		return nil, errors.New("process mode is not supported here (" + runtime.GOOS + "): only linux shares memory between processes; goroutine PEs work")
	}
	return newLocal(1, job.Config)[0], nil
}
