package killtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mark is what processes of these tests have in their environment, also those that
// somebody else started for us: by it leftover ones are recognised.
func mark() string { return fmt.Sprintf("KILLTEST_MARK=%d", os.Getpid()) }

// noLeftovers wants nothing of our jobs to stay on this machine. Processes that
// were killed take a moment to go.
func noLeftovers(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = leftovers(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("left behind: %v", left)
}

// leftovers are processes of ours that live, sockets with our names that nobody
// holds, and shared memory with a name of ours. Other tests on this machine may
// have jobs of their own meanwhile.
func leftovers(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, f := range glob(t, "/proc/[0-9]*/environ") {
		env, err := os.ReadFile(f) // fails if the process has ended since
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+mark()+"\x00") {
			left = append(left, f)
		}
	}
	left = append(left, glob(t, "/dev/shm/*goshmem*")...)
	named, held := sockets(t), map[string]bool{}
	for _, f := range glob(t, "/proc/[0-9]*/fd/*") {
		if link, err := os.Readlink(f); err == nil {
			held[link] = true
		}
	}
	for link, name := range named {
		if !held[link] {
			left = append(left, name)
		}
	}
	return left
}

// sockets are the names in the abstract namespace that look like ours, by what a
// descriptor of the socket links to.
func sockets(t *testing.T) map[string]string {
	t.Helper()
	list, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(list)) {
		const inodeAt, pathAt = 6, 7
		fields := strings.Fields(line)
		if len(fields) > pathAt && (strings.HasPrefix(fields[pathAt], "@goshmem") || strings.HasPrefix(fields[pathAt], "@killtest")) {
			found["socket:["+fields[inodeAt]+"]"] = line
		}
	}
	return found
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
