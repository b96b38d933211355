// Command page writes docs/evidence.md below the folder that is its argument.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goshmem/goshmem/internal/evidence"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: page ROOT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	run, err := evidence.Load(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "evidence.md"), []byte(evidence.Page(evidence.Rows(run))), 0o644)
}
