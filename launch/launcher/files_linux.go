package launcher

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// What a job has open in this process: of each rank two pipes, two handles of its process
// and the connection by which it learns of deaths; and a few for all. No rank needs more.
const (
	filesOfRank = 5
	filesOfJob  = 24
)

// enoughFiles says before anything is started that so many ranks cannot be: later one of
// them would fail in the midst of its start, or wait for who cannot be let in.
func enoughFiles(ranks int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("limit of open files: %w", err)
	}
	if need := uint64(filesOfJob + filesOfRank*ranks); limit.Cur < need {
		return fmt.Errorf("%d ranks need %d open files, and %d are allowed: ulimit -n %d before the job is started, or LimitNOFILE= of its service", ranks, need, limit.Cur, need)
	}
	return nil
}
