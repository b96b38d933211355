// Command rawgen makes package shmem/raw, the tests of its families, and
// docs/from-rocshmem4py.md from table.txt. Its argument is the folder of the module.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// text is the table.
//
//go:embed table.txt
var text string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rawgen MODULE_FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "rawgen:", err)
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

// generate returns the files by their names in the module.
func generate(text string) (map[string][]byte, error) {
	t, err := parse(text)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"docs/from-rocshmem4py.md": []byte(t.page())}
	sources := t.code()
	sources["families_gen_test.go"] = t.families()
	sources["typed_gen_test.go"] = t.snippets("typed", (*row).typedLines)
	sources["raw_gen_test.go"] = t.snippets("raw", (*row).rawLines)
	for name, source := range sources {
		if files["shmem/raw/"+name], err = tidy(source); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}
