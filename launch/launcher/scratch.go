package launcher

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// sweep removes the folder $1 when its input ends. It tries again because a
// compiler that outlives the launcher by a moment may still write there.
const sweep = `read -r _; for i in 1 2 3 4 5; do rm -rf -- "$1" && exit; sleep 1; done`

// InScratch calls f with a new temporary folder and removes it afterwards. If
// this process dies first, even by SIGKILL, a small shell process removes it.
func InScratch(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "goshmem-")
	if err != nil {
		return &Error{1, fmt.Errorf("temporary folder: %w", err)}
	}
	dismiss := sweeper(dir)
	return errors.Join(f(dir), os.RemoveAll(dir), dismiss())
}

// sweeper starts the shell process and returns the function that ends it.
// Without a shell all is well unless this process is killed.
func sweeper(dir string) (dismiss func() error) {
	cmd := exec.Command("sh", "-c", sweep, "sh", dir)
	cmd.Dir = "/"
	ownSession(cmd)
	alive, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return func() error { return nil }
	}
	return func() error { return errors.Join(alive.Close(), cmd.Wait()) }
}
