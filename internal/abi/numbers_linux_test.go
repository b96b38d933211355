package abi

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/hip"
	"github.com/goshmem/goshmem/internal/skip"
)

// constants lists the numbers of a package by what C calls them. Go writes the first
// letter large, and cannot have sizeof(x) as a name.
func constants(t *testing.T, path string) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name := spec.Names[0].Name
		if of, ok := strings.CutPrefix(name, "Sizeof_"); ok {
			name = "sizeof(" + of + ")"
		} else if rest, ok := strings.CutPrefix(name, "Hip"); ok {
			name = "hip" + rest
		}
		value, err := strconv.Atoi(literal(spec.Values[0]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list[name] = value
		return true
	})
	return list
}

// literal is the text of a number, which may have a sign.
func literal(e ast.Expr) string {
	if minus, ok := e.(*ast.UnaryExpr); ok {
		return "-" + literal(minus.X)
	}
	return e.(*ast.BasicLit).Value
}

// numbers reads what a program of testdata has printed.
func numbers(t *testing.T, text string) map[string]int {
	t.Helper()
	list := map[string]int{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.Atoi(strings.TrimSpace(line[at+1:]))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list[line[:at]] = value
	}
	return list
}

// compare reports each name that is not in both with the same number.
func compare(t *testing.T, ours, theirs map[string]int) {
	t.Helper()
	all := maps.Clone(ours)
	maps.Copy(all, theirs)
	for name := range all {
		got, here := ours[name]
		want, there := theirs[name]
		if !here || !there || got != want {
			t.Errorf("%s is %d here (%v), and %d in the header (%v)", name, got, here, want, there)
		}
	}
}

// The golden file is what testdata/cuda.c printed with NVIDIA's header.
func TestNumbersOfCUDA(t *testing.T) {
	text, err := os.ReadFile("testdata/cuda.golden")
	if err != nil {
		t.Fatal(err)
	}
	theirs := numbers(t, string(text))
	if theirs["CUDA_VERSION"] < 12000 {
		t.Errorf("the golden file does not say of which CUDA it is")
	}
	delete(theirs, "CUDA_VERSION")
	compare(t, constants(t, "cuda/cuda.go"), theirs)
}

func TestNumbersOfHIP(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	if _, err := os.Stat("/usr/include/hip/hip_runtime_api.h"); errors.Is(err, fs.ErrNotExist) {
		skip.Now(t, skip.NoVendor, "no hip/hip_runtime_api.h in /usr/include: Debian's package is libamdhip64-dev")
	}
	program := filepath.Join(t.TempDir(), "numbers")
	if text, err := exec.Command(cc, "-w", "-o", program, "testdata/hip.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := numbers(t, string(text))
	ours := constants(t, "hip/hip.go")
	v := hip.Of(theirs["HIP_VERSION_MAJOR"])
	ours["HIP_VERSION_MAJOR"] = theirs["HIP_VERSION_MAJOR"]
	ours["hipMemoryTypeHost"], ours["hipMemoryTypeDevice"] = v.MemoryTypeHost, v.MemoryTypeDevice
	ours["hipIpcMemLazyEnablePeerAccess"] = int(v.IpcMemLazyEnablePeerAccess)
	ours["sizeof(hipDeviceProp_t)"], ours["offsetof(hipDeviceProp_t, gcnArchName)"] = v.PropSize, v.PropArchName
	ours["sizeof(((hipDeviceProp_t *)0)->gcnArchName)"] = hip.ArchNameSize
	compare(t, ours, theirs)
}
