// Command hello is a rank that does what its arguments say.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	rank, size := os.Getenv("GOSHMEM_RANK"), os.Getenv("GOSHMEM_SIZE")
	fmt.Printf("hello from %s of %s %q\n", rank, size, os.Args[1:])
	for _, arg := range os.Args[1:] {
		switch arg {
		case "deaf":
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM)
			go func() {
				for range caught {
					fmt.Println("caught")
				}
			}()
		case "wait":
			fmt.Println("ready")
			time.Sleep(time.Hour)
		case "fail1":
			if rank == "1" {
				fmt.Fprintln(os.Stderr, "rank 1 gives up")
				os.Exit(3)
			}
			time.Sleep(time.Hour)
		}
	}
}
