package killtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// leftovers are the traces that jobs have on this machine now: processes of a
// storm, names in the abstract namespace, shared memory and temporary files.
func leftovers(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	sockets, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(sockets)) {
		if strings.HasPrefix(word, "@goshmem") || strings.HasPrefix(word, "@killtest") {
			found["socket "+word] = true
		}
	}
	for _, pattern := range []string{"/dev/shm/*", os.TempDir() + "/goshmem*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			found["file "+f] = true
		}
	}
	for _, p := range marked(t) {
		found["process "+p] = true
	}
	return found
}

// marked are the processes with the storm's mark in their environment.
func marked(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended since
		}
		for _, line := range strings.Split(string(env), "\x00") {
			if strings.HasPrefix(line, mark+"=") {
				found = append(found, f+" "+line)
			}
		}
	}
	return found
}

// noLeftovers wants everything gone that was not there before. Other tests of this
// machine may have jobs of their own, which come and go.
func noLeftovers(t *testing.T, before map[string]bool) {
	t.Helper()
	left := leftovers(t)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		now, some := leftovers(t), false
		for name := range left {
			if before[name] || !now[name] {
				delete(left, name)
			}
			some = some || left[name]
		}
		if !some {
			return
		}
	}
	for name := range left {
		t.Errorf("left behind: %s", name)
	}
}
