// Command verdict reads what `go test -json` wrote and says whether the run is
// good. It fails on what go test fails on, and also on what go test lets pass: a
// run of zero tests, a test that started and never ended, and a skip that nobody
// has written down. Its closing line is `N passed, N failed, N skipped`.
//
//	go test -json ./... | go run ./internal/ci/verdict -skips .ci/skips/core.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "verdict:", err)
		os.Exit(1)
	}
}

// run judges the named files, or in when there are none.
func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("verdict", flag.ContinueOnError)
	list := flags.String("skips", "", "file that lists the skips that may happen; without it, none may")
	tally := flags.String("tally", "", "file to which the closing line is added")
	if err := flags.Parse(args); err != nil {
		return err
	}
	allowed, err := loadSkips(*list)
	if err != nil {
		return err
	}
	r := newResult(out)
	if err := readAll(r, flags.Args(), in); err != nil {
		return err
	}
	return errors.Join(r.report(allowed), addTally(*tally, r.closing()))
}

// addTally adds a line to the named file; no name is no file.
func addTally(name, line string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the tally: %w", err)
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// readAll feeds every input to r.
func readAll(r *result, files []string, in io.Reader) error {
	if len(files) == 0 {
		return r.read(in)
	}
	for _, name := range files {
		if err := readFile(r, name); err != nil {
			return err
		}
	}
	return nil
}

func readFile(r *result, name string) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open test output: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return r.read(f)
}
