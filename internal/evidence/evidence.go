// Package evidence says how far each function of a vendor's library that we call has
// been seen to work, and where.
package evidence

//go:generate go run ./page ../..

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goshmem/goshmem/internal/abi"
)

// Level is how strong the evidence is; the higher the better.
type Level int

// The levels.
const (
	Mock     Level = iota + 1 // called in a stand-in for the library only
	Bound                     // found in the real library, without a device
	Compiler                  // the vendor's compiler did its work, or its headers agree
	SameCode                  // the code that calls it ran on NVIDIA's GPUs, with NVIDIA's function
	Ran                       // ran on that vendor's GPUs
)

// String is what the page says.
func (l Level) String() string {
	names := []string{"none", "mock only", "bound, no device", "vendor's compiler or headers", "same code ran on NVIDIA", "ran on that hardware"}
	return names[l]
}

// Row is one function. Where refers to a test, or to a file in docs/results.
type Row struct {
	Library, Function string
	Level             Level
	Where             string
}

// Calls are the functions that a run on GPUs really called: what a file
// docs/results/gpu-calls.json has, which a run writes on a machine with GPUs, two for
// the functions about peers:
//
//	GPU_TEST_CALLS=$PWD/docs/results/gpu-calls.json go test -count=1 ./gpu
//	go generate ./internal/evidence
//
// The zero value is that there was no such run.
type Calls struct {
	File      string              `json:"-"`         // where it stands, from the root
	Machine   string              `json:"machine"`   // the GPUs
	Libraries map[string][]string `json:"libraries"` // functions by library: cuda, nvrtc, hip, hiprtc
}

// Load reads what the run on GPUs left in docs/results below root, if there was one.
func Load(root string) (Calls, error) {
	const file = "docs/results/gpu-calls.json"
	run := Calls{File: file}
	data, err := os.ReadFile(filepath.Join(root, file))
	if errors.Is(err, fs.ErrNotExist) {
		return run, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	return run, err
}

// did says whether the run called any of the functions.
func (c Calls) did(library string, names ...string) bool {
	for _, called := range c.Libraries[library] {
		for _, name := range names {
			if called == name {
				return true
			}
		}
	}
	return false
}

// Where the tests are that the rows without a GPU refer to.
const (
	mockTest  = "internal/device/vendor TestEveryCallHasItsArgumentsInOrder"
	boundTest = "internal/evidence TestBoundIsBound"
	nvrtcTest = "internal/rtc TestNVRTC TestNVRTCLog"
	amdTest   = "internal/rtc TestHIPRTC TestHIPRTCLog"
	shimTest  = "native/rocshmem TestCMake TestShimNeedsPublishedNamesOnly"
)

// Rows is the table: each function of the libraries that packages gpu and nccl call, and of
// the shim over rocSHMEM.
func Rows(run Calls) []Row {
	var rows []Row
	for _, spec := range abi.All() {
		for _, symbol := range spec.Symbols {
			level, where := known(spec.Name, symbol.Name)
			if level == 0 {
				continue
			}
			row := Row{spec.Name, symbol.Name, level, where}
			if run.did(spec.Name, symbol.Name) {
				row.Level, row.Where = Ran, run.File
			} else if spec.Name == "hip" && run.did("cuda", counterparts(symbol.Name)...) {
				row.Level, row.Where = SameCode, run.File
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// known is what is known of a function without a GPU; 0 for libraries that we do not call.
func known(library, function string) (Level, string) {
	switch {
	case library == "cuda", function == "hipGetDevicePropertiesR0600": // which HIP 5 lacks
		return Mock, mockTest
	case library == "hip":
		return Bound, boundTest
	case library == "nvrtc":
		return Mock, nvrtcTest
	case library == "hiprtc":
		return Compiler, amdTest
	case library == "rocshmem": // functions of the shim, over a library that records
		return Mock, shimTest
	case library == "nccl", library == "rccl":
		return collective(library, function)
	}
	return 0, ""
}

// counterparts are the names of NVIDIA's function for the same operation.
func counterparts(hip string) []string {
	for _, b := range abi.HIPRuntime() {
		for _, name := range b.Names {
			if name == hip {
				return namesOf(b.Op)
			}
		}
	}
	return nil
}

func namesOf(op abi.Op) []string {
	for _, b := range abi.CUDARuntime() {
		if b.Op == op {
			return b.Names
		}
	}
	return nil
}

// Page is docs/evidence.md.
func Page(rows []Row) string {
	var b strings.Builder
	b.WriteString(`# What has been seen to work

Generated from internal/evidence; its test keeps it up to date. Each function of a
vendor's library that we call has the best evidence that there is for it: it ran on that
vendor's hardware; the code that calls it ran on NVIDIA's GPUs; the vendor's compiler did
its work; it was found in the real library without a device; or only a stand-in was called.

| library | function | evidence | where |
|---|---|---|---|
`)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Library, r.Function, r.Level, r.Where)
	}
	return b.String()
}
