package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLookAlikes: what only looks like a leftover is somebody's work.
func TestLookAlikes(t *testing.T) {
	root := t.TempDir()
	for _, place := range []string{"dev/shm", "tmp"} {
		for _, folder := range []string{"nccl-source", "nccl-notes1", "openmpi-sessions-of-me", "ucx_shm_posix_1a", "mpich_shar_tmpabcdef"} {
			write(t, filepath.Join(root, place, folder, "main.c"))
		}
		for _, file := range []string{"sm_segment.go", "vader_segment.txt", "nvshmem-shm.c", "fi_sm2_notes.md", "ompi.77"} {
			write(t, filepath.Join(root, place, file))
		}
	}
	write(t, filepath.Join(root, "tmp/nccl-abcdef")) // NCCL's files lie in shared memory
	if got := FindLeftovers(root, []string{"/dev/shm", "/tmp"}, 0); len(got) > 0 {
		t.Errorf("%v", got)
	}
	write(t, filepath.Join(root, "dev/shm/nccl-abcdef"))
	if got := FindLeftovers(root, []string{"/dev/shm", "/tmp"}, 0); len(got) != 1 {
		t.Errorf("%v, want one file", got)
	}
}

func write(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}
