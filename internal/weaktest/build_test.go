package weaktest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// example is a program of examples, and how the driver runs it.
type example struct{ name, entry string }

// examples are all over package shmem, in small sizes.
func examples() []example {
	return []example{
		{"ring", "ring"},
		{"halo", "jacobi"},
		{"stencil", "problem{n: 20, iterations: 3}.run"},
		{"transpose", "problem{n: 24, tile: 4, iterations: 2}.run"},
		{"gups", "problem{words: 50, updates: 4, seed: 1}.run"},
		{"isx", "problem{keys: 100, bits: 10, iterations: 2, seed: 1}.run"},
		{"synch_p2p", "problem{columns: 20, rows: 10, iterations: 2}.run"},
		{"training", "problem{points: 96, batch: 48, hidden: 8, epochs: 2, rate: 0.1, bound: 10, seed: 1}.run"},
		{"subset", "func(ctx context.Context, w *shmem.World) error { return introduce(ctx, w, 2*w.MyPE()) }"},
		{"mpiexchange", "sum"},
		{"stream", "ring"},
	}
}

// ofKernels are the examples whose kernels load and store by themselves, which weak mode
// does not see: their calls order kernels.
func ofKernels() []string { return []string{"matmul", "message", "oneshot", "triton"} }

// build makes a program that runs an example with seeds and mutations, in which nothing
// of the example is copied: the go tool overlays its files. It returns the places that
// can be mutated.
func (e example) build(t *testing.T) (program string, places []mutation) {
	t.Helper()
	dir, replaced := t.TempDir(), map[string]string{}
	folder, err := filepath.Abs(filepath.Join("..", "..", "examples", e.name))
	if err != nil {
		t.Fatal(err)
	}
	overlay := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(folder, name)] = path
	}
	for _, path := range sources(t, e.name) {
		var text string
		text, places = mutated(t, e.name, path, places)
		overlay(filepath.Base(path), text)
	}
	driver, err := os.ReadFile(filepath.Join("testdata", "driver.txt"))
	if err != nil {
		t.Fatal(err)
	}
	overlay("weak_driver.go", strings.Replace(string(driver), "ENTRY", e.entry, 1))
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, e.name)
	out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", e.name, err, out)
	}
	return program, places
}

// run starts a built program and returns its last line.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := lines[len(lines)-1]
	if err != nil || !strings.HasPrefix(last, "passed ") && !strings.HasPrefix(last, "failed ") {
		t.Errorf("%s %v: %v\n%s", program, args, err, out)
	}
	return last
}
