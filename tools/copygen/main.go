// Command copygen writes the assembly with which internal/mem copies blocks.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "copygen: want one argument, the file to write, not %q\n", os.Args[1:])
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "copygen:", err)
		os.Exit(1)
	}
}

func write(name string) error {
	w := writer{build.NewContext()}
	w.ConstraintExpr("!race")
	w.function("put", "putRep")
	w.function("get", "getRep")
	f, err := w.Result()
	if err != nil {
		return err
	}
	f.Includes = append(f.Includes, "go_asm.h") // constants of the Go code
	if err := pass.Compile.Execute(f); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "copygen", Pkg: "mem"}).Print(f)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
