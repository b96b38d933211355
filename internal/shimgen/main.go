// Command shimgen makes from table.txt: the shim over rocSHMEM, the Go functions that call
// it, the stand-in for it, a library that records what it calls, and docs/rocshmem-shim.md.
// Its argument is the folder of the module.
package main

import (
	_ "embed"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

// text is the table.
//
//go:embed table.txt
var text string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shimgen MODULE_FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "shimgen:", err)
		os.Exit(1)
	}
}

// write makes all files below root.
func write(root string) error {
	files, err := generate(text)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Where the files go.
const (
	binding = "internal/abi/rocshmem/"
	native  = "native/rocshmem/"
)

// generate returns the files by their names in the module.
func generate(text string) (map[string][]byte, error) {
	t, err := parse(text)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		native + "src/shim_gen.cpp":              t.shim(),
		native + "probes_gen.cmake":              t.probes(),
		native + "testdata/library_gen.cpp":      t.recorder(),
		binding + "standin/testdata/calls_gen.h": t.standin(),
		"docs/rocshmem-shim.md":                  t.page(),
	}
	for name, source := range map[string][]byte{
		binding + "calls_gen.go": t.calls(), binding + "symbols_gen.go": t.symbols(), native + "calls_gen_test.go": t.callsTest(),
	} {
		if files[name], err = format.Source(source); err != nil {
			return nil, fmt.Errorf("%s: %w in\n%s", name, err, source)
		}
	}
	return files, nil
}
