// Command loops does one thing again and again in a world of two goroutine PEs, and
// prints the nanoseconds that one took.
package main

import (
	"fmt"
	"os"

	"github.com/goshmem/goshmem/internal/perf/loops"
)

func main() {
	if err := loops.Run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
