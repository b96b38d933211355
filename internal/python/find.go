package python

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
)

// Exchange defines, in Python, what a test of interchange needs: Lent, Shown, capsule
// and take. It is for Run.
//
//go:embed exchange.py
var Exchange string

//go:embed about.py
var about string

// place is an installation of Python.
type place struct {
	Libraries []string
	Home      string
	Path      []string
	NumPy     string
}

// find looks for a Python with NumPy and a shared library: the one that the variable
// PYTHON names, or the first of those that are usual. The reason is about all of them.
func find() (*place, string) {
	if runtime.GOOS != "linux" || (runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64") {
		return nil, "C functions are called on Linux with amd64 and arm64 only"
	}
	programs := []string{"python3", "/usr/bin/python3", "/usr/local/bin/python3", "python"}
	if name := os.Getenv("PYTHON"); name != "" {
		programs = []string{name}
	}
	var reasons []string
	for _, program := range programs {
		at, err := ask(program)
		if err == nil {
			return at, ""
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", program, err))
	}
	return nil, strings.Join(reasons, "; ")
}

// ask asks a program about itself.
func ask(program string) (*place, error) {
	text, err := exec.Command(program, "-c", about).Output()
	if err != nil {
		return nil, err
	}
	at := &place{}
	if err := json.Unmarshal(text, at); err != nil {
		return nil, err
	}
	if at.NumPy == "" {
		return nil, errors.New("no NumPy")
	}
	if len(at.Libraries) == 0 {
		return nil, errors.New("no shared libpython")
	}
	return at, nil
}

func (at *place) spec() dl.Spec {
	s := dl.Spec{Name: "python", Path: at.Libraries[0]}
	for _, name := range []string{"Py_IsInitialized", "Py_InitializeEx", "PyEval_SaveThread", "PyGILState_Ensure", "PyGILState_Release", "PyRun_SimpleString"} {
		s.Symbols = append(s.Symbols, dl.Symbol{Name: name, Required: true})
	}
	return s
}
