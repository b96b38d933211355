// Command reducegen writes the assembly with which internal/reduce combines vectors,
// and the tables through which Go finds it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "reducegen: want one argument, the folder to write to, not %q\n", os.Args[1:])
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "reducegen:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	w := &writer{Context: build.NewContext(), places: map[uint64]int{}}
	w.ConstraintExpr("!race")
	for _, w.width = range widths {
		for _, k := range kernels() {
			w.function(k)
		}
	}
	w.data()
	f, err := w.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "reducegen", Pkg: "reduce"}).Print(f)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "vector_gen_amd64.s"), text, 0o644); err != nil {
		return err
	}
	text, err = tables()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "vector_gen.go"), text, 0o644)
}
