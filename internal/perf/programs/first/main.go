// Command first is a PE that allocates nothing: it joins the world and passes the
// first barrier. With the argument "memory" it then prints what the kernel says
// about its memory, with "finalize" it leaves the world in good order.
package main

import (
	"fmt"
	"os"

	"github.com/goshmem/goshmem/internal/perf/first"
)

func main() {
	if err := first.Run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
