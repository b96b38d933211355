package ucx

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/skip"
)

// roomVar makes the test of this file its own child, with a /dev/shm of these options.
const roomVar = "UCX_TEST_ROOM"

// TestNoRoom: where /dev/shm has no room for UCX one learns of it, and what is said helps.
func TestNoRoom(t *testing.T) {
	need(t)
	if options := os.Getenv(roomVar); options != "" {
		inNoRoom(t, options)
		return
	}
	if os.Getuid() != 0 {
		skip.Now(t, skip.NotRoot, "no file systems of one's own")
	}
	for _, options := range []string{"size=1m", "size=64m,ro"} {
		child := exec.Command(os.Args[0], "-test.run=^TestNoRoom$")
		child.Env = append(os.Environ(), roomVar+"="+options)
		child.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		out, err := child.CombinedOutput()
		if errors.Is(err, unix.EPERM) {
			skip.Now(t, skip.NotRoot, "no file systems of one's own: "+err.Error())
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", options, err, out)
		}
	}
}

func inNoRoom(t *testing.T, options string) {
	size, ro, _ := strings.Cut(options, ",")
	flags := map[string]uintptr{"ro": unix.MS_RDONLY}[ro]
	if err := unix.Mount("none", "/dev/shm", "tmpfs", flags, size); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"": "in /dev/shm, where 1048576 bytes are free: give it more", "ro": "67108864 bytes are free and nothing may be written:"}[ro]
	w, err := Open(Config{})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, %v", options, w, err)
	}
	t.Setenv("UCX_TLS", "tcp,self") // the cure
	open(t, Config{})
}
