package main

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
)

// TestStatic: with the tag goshmem_static the program needs no loader and no libraries, as
// on systems without the GNU C library.
func TestStatic(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ring")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags=netgo,osusergo,goshmem_static", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a %v segment: it is not statically linked", p.Type)
		}
	}
	jobtest.Expect(t, jobtest.Run(t, 2, program), "got 0 from PE 0", "got 1 from PE 1")
	t.Setenv("GOSHMEM_ENGINE", "ipc")
	jobtest.Expect(t, jobtest.Run(t, 2, program), "got 0 from PE 0", "got 1 from PE 1")
}

// TestEngines: the same program runs on every engine that needs no GPU.
func TestEngines(t *testing.T) {
	program := jobtest.Build(t, ".")
	for _, engine := range []string{"host", "ipc"} {
		t.Setenv("GOSHMEM_ENGINE", engine)
		jobtest.Expect(t, jobtest.Run(t, 3, program), "got 0 from PE 0", "got 1 from PE 1", "got 2 from PE 2")
	}
}
