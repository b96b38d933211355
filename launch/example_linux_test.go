package launch_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/goshmem/goshmem/launch"
)

// Two ranks meet. Here they are goroutines; usually each is a process, and its
// job comes from Detect.
func ExampleJoin() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for rank := range 2 {
		wg.Go(func() {
			s, err := launch.Join(ctx, launch.Job{Rank: rank, Size: 2, Rendezvous: "unix:@goshmem-example", Name: "example"})
			if err != nil {
				fmt.Println(err)
				return
			}
			defer s.Close()
			word := make([]byte, 5)
			if rank == 0 {
				copy(word, "hello")
			}
			if err := s.Broadcast(ctx, word, 0); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%s\n", word)
		})
	}
	wg.Wait()
	// Output:
	// hello
	// hello
}
