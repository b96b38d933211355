package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

const root = "../.."

func rows(t *testing.T) []Row {
	t.Helper()
	run, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return Rows(run)
}

func TestPageIsUpToDate(t *testing.T) {
	got, err := os.ReadFile(filepath.Join(root, "docs", "evidence.md"))
	if err != nil || string(got) != Page(rows(t)) {
		t.Errorf("docs/evidence.md is old (%v): go generate ./internal/evidence", err)
	}
}

// TestEveryFunctionHasARow: of the libraries that packages gpu and nccl call.
func TestEveryFunctionHasARow(t *testing.T) {
	have := map[string]bool{}
	for _, r := range rows(t) {
		have[r.Library+" "+r.Function] = true
	}
	for _, spec := range []dl.Spec{abi.CUDA(), abi.NVRTC(), abi.HIP(), abi.HIPRTC(), abi.NCCL(), abi.RCCL()} {
		for _, s := range spec.Symbols {
			if !have[spec.Name+" "+s.Name] {
				t.Errorf("%s %s has no row", spec.Name, s.Name)
			}
		}
	}
}

// TestReferences: what a row refers to exists.
func TestReferences(t *testing.T) {
	for _, r := range rows(t) {
		place, tests, _ := strings.Cut(r.Where, " ")
		if _, err := os.Stat(filepath.Join(root, place)); place == "" || err != nil {
			t.Errorf("%s: %v", r.Function, err)
		}
		for _, name := range strings.Fields(tests) {
			if !hasTest(t, filepath.Join(root, place), name) {
				t.Errorf("%s: %s has no %s", r.Function, place, name)
			}
		}
	}
}

func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}

// TestRunRaises: a run on GPUs raises what it called, and AMD's function of the same code.
func TestRunRaises(t *testing.T) {
	run := Calls{File: "file", Libraries: map[string][]string{"cuda": {"cuMemGetInfo_v2"}}}
	want := map[string]Level{"cuMemGetInfo_v2": Ran, "hipMemGetInfo": SameCode, "hipInit": Bound, "cuInit": Mock}
	for _, r := range Rows(run) {
		level, ok := want[r.Function]
		if ok && r.Level != level {
			t.Errorf("%s: %s, want %s", r.Function, r.Level, level)
		}
		delete(want, r.Function)
	}
	if len(want) != 0 {
		t.Errorf("no row for %v", want)
	}
}

// TestNCCLRan: what the record of the run is taken to say is of the version that it names,
// and RCCL has run nowhere.
func TestNCCLRan(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ncclRun))
	if err != nil || !strings.Contains(string(text), "NCCL 2.28.3") || !strings.Contains(string(text), "Nothing here has run on AMD hardware") {
		t.Errorf("%s is not the record that is meant: %v", ncclRun, err)
	}
	known := map[string]string{}
	for _, b := range abi.NCCLBindings() {
		known[b.Names[0]] = b.Since
	}
	for _, name := range ncclRan() {
		since, ok := known[name]
		if later := []string{"2.28.7", "2.29", "2.29.2", "2.29.7", "2.30.4", "2.31", "2.32"}; !ok || slices.Contains(later, since) {
			t.Errorf("%s (%s) is not of NCCL 2.28.3", name, since)
		}
	}
	for _, r := range rows(t) {
		if r.Library == "rccl" && r.Level > SameCode || r.Library == "nccl" && r.Level == Ran && !slices.Contains(ncclRan(), r.Function) {
			t.Errorf("%+v", r)
		}
	}
}

// TestBoundIsBound finds in AMD's own library what the table says was found there.
func TestBoundIsBound(t *testing.T) {
	library, _, err := dl.Open(abi.HIP())
	if errors.Is(err, dl.ErrNotFound) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rows(Calls{}) {
		if r.Library != "hip" || r.Level != Bound {
			continue
		}
		if _, err := library.Lookup(r.Function); err != nil {
			t.Error(err)
		}
	}
}
