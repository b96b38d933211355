package jobtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// markVar is the name of the mark.
const markVar = "JOBTEST_MARK"

// Mark is an entry for the environment of all processes of a test, also of those
// that somebody else starts for it: by it NoLeftovers knows them. Processes that
// have it give it on to theirs.
func Mark() string {
	if m := os.Getenv(markVar); m != "" {
		return markVar + "=" + m
	}
	return fmt.Sprintf("%s=%d", markVar, os.Getpid())
}

// NoLeftovers wants nothing of the jobs of this test binary to stay on this
// machine. Processes that were killed take a moment to go.
func NoLeftovers(t testing.TB) {
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
func leftovers(t testing.TB) []string {
	t.Helper()
	var left []string
	for _, f := range glob(t, "/proc/[0-9]*/environ") {
		env, err := os.ReadFile(f) // fails if the process has ended since
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+Mark()+"\x00") {
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
func sockets(t testing.TB) map[string]string {
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

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
