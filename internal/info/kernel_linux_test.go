package info

import (
	"os"
	"testing"
)

// TestAskKernel: what worlds of processes need is there wherever these tests run.
func TestAskKernel(t *testing.T) {
	k := AskKernel()
	if !k.Memfd || !k.Pidfd || k.Cores < 1 || k.MaxProcs < 1 || k.UID != os.Getuid() {
		t.Errorf("%+v", k)
	}
}

func TestFileSystem(t *testing.T) {
	fs := fileSystem(t.TempDir())
	if fs.Size <= 0 || fs.Free < 0 || fs.Free > fs.Size || !fs.Writable {
		t.Errorf("%+v", fs)
	}
	if absent := fileSystem(t.TempDir() + "/absent"); absent != (FileSystem{}) {
		t.Errorf("absent: %+v", absent)
	}
}
