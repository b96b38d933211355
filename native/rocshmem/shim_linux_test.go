package rocshmem_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/skip"
)

var update = flag.Bool("update", false, "write symbols.txt again")

// all are the definitions with which the shim has everything.
func all() []string {
	return []string{"-DNEWER", "-DHAVE_get_backend_type", "-DHAVE_signal_set_on_stream", "-DHAVE_signal_add_on_stream"}
}

// compiler finds one of the programs.
func compiler(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	skip.Now(t, skip.NoCC, "none of "+strings.Join(names, ", ")+" in PATH")
	return ""
}

// run runs a program and returns what it printed.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	c := exec.Command(program, args...)
	var failed strings.Builder
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c, err, failed.String())
	}
	return string(out)
}

// build compiles C++ as strictly as we can.
func build(t *testing.T, program, out string, args ...string) {
	t.Helper()
	common := []string{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-Itestdata/include", "-Itestdata", "-Isrc", "-o", out}
	run(t, program, append(common, args...)...)
}

// symbols are the committed names.
func symbols(t *testing.T) []string {
	t.Helper()
	file, err := os.Open("testdata/symbols.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// TestShimNeedsPublishedNamesOnly: what the shim refers to in rocSHMEM are names made from
// its published declarations. A wrong type in our table would be another name.
func TestShimNeedsPublishedNamesOnly(t *testing.T) {
	published := symbols(t)
	for _, program := range []string{"g++", "clang++-19"} {
		t.Run(program, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "shim.o")
			build(t, compiler(t, program), object, append(all(), "-fvisibility=hidden", "-c", "src/shim_gen.cpp")...)
			seen := 0
			for line := range strings.Lines(run(t, "nm", "--undefined-only", object)) {
				name := strings.Fields(line)[1]
				if !strings.HasPrefix(name, "_ZN8rocshmem") {
					continue
				}
				if seen++; !slices.Contains(published, name) {
					t.Errorf("the shim needs %s, which is not among the published names", name)
				}
			}
			if seen < 70 {
				t.Errorf("the shim needs %d functions only", seen)
			}
		})
	}
}

// node is a declaration as clang prints it.
type node struct {
	MangledName string
	Inner       []node
}

func (n node) collect(names map[string]bool) {
	if strings.HasPrefix(n.MangledName, "_ZN8rocshmem") {
		names[n.MangledName] = true
	}
	for _, i := range n.Inner {
		i.collect(names)
	}
}

// TestSymbolList: symbols.txt is what the declarations in testdata/include make.
func TestSymbolList(t *testing.T) {
	out := run(t, compiler(t, "clang++-19", "clang++"), "-std=c++17", "-DNEWER", "-Itestdata/include", "-fsyntax-only", "-Xclang", "-ast-dump=json",
		"-Xclang", "-ast-dump-filter=rocshmem::", "-include", "rocshmem/rocshmem.hpp", "-x", "c++", os.DevNull)
	names := map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var n node
		if err := d.Decode(&n); err != nil {
			t.Fatal(err)
		}
		n.collect(names)
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	if *update {
		head := "# The names that linkers see of the declarations in include/rocshmem/rocshmem.hpp, which says\n# of which releases and commits they are.\n"
		if err := os.WriteFile("testdata/symbols.txt", []byte(head+strings.Join(list, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := symbols(t); !slices.Equal(got, list) {
		t.Errorf("symbols.txt has %d names, the declarations %d: run the test with -update, and read the difference", len(got), len(list))
	}
}

// place makes an installation of rocSHMEM over a file of HIP, with the library that
// records in it, compiled with some more arguments.
func place(t *testing.T, hip, version string, more []string, gpus ...string) string {
	t.Helper()
	gcc := compiler(t, "g++")
	home := t.TempDir()
	for _, folder := range []string{"lib/cmake/rocshmem", "include"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(home, "include"), os.DirFS("testdata/include")); err != nil {
		t.Fatal(err)
	}
	object, code := filepath.Join(home, "x.o"), "-fPIC"
	define := "-DNEWER"
	if version < "3.8" {
		define = "-DOLDER"
	}
	run(t, gcc, append([]string{"-std=c++17", code, define, "-Itestdata/include", "-Itestdata", "-c", "-o", object, "testdata/library_gen.cpp"}, more...)...)
	run(t, "ar", "cr", filepath.Join(home, "lib/librocshmem.a"), object)
	for _, gpu := range gpus {
		put(t, home, "lib/librocshmem_device_"+gpu+".bc", "")
	}
	put(t, home, "lib/cmake/rocshmem/rocshmem-config-version.cmake", fmt.Sprintf("set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n", version))
	put(t, home, "lib/cmake/rocshmem/rocshmem-config.cmake", fmt.Sprintf(`add_library(roc::rocshmem STATIC IMPORTED)
set_target_properties(roc::rocshmem PROPERTIES IMPORTED_LOCATION "%s/lib/librocshmem.a" INTERFACE_LINK_LIBRARIES "%s"
  INTERFACE_INCLUDE_DIRECTORIES "%s/include" INTERFACE_COMPILE_DEFINITIONS "%s")
`, home, hip, home, define[2:]))
	return home
}

func put(t *testing.T, home, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
