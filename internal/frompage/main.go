// Command frompage makes the pages for people who come from another library, such as
// docs/from-nccl4py.md, from tables beside it. Its argument is the folder of the module.
// A test holds that every Go name in a table exists.
//
//go:generate go run . ../..
package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tables has one file for each page.
//
//go:embed *.txt
var tables embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: frompage MODULE_FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "frompage:", err)
		os.Exit(1)
	}
}

// write makes all pages below root.
func write(root string) error {
	pages, err := generate()
	if err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the pages by their names in the module.
func generate() (map[string]string, error) {
	entries, err := tables.ReadDir(".")
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for _, e := range entries {
		t, err := load(e.Name())
		if err != nil {
			return nil, err
		}
		pages["docs/from-"+strings.TrimSuffix(e.Name(), ".txt")+".md"] = t.page(e.Name())
	}
	return pages, nil
}
