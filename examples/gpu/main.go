// Gpu opens the best device that there is, computes y = a*x + y on it with a kernel of
// its own, and checks the result. Without a GPU the same kernel in Go runs.
//
//	go run ./examples/gpu
//	go run ./examples/gpu -device host
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

func main() {
	name := flag.String("device", "", "device to use, such as cuda:1, hip:0, host; unset: the best")
	n := flag.Int("n", 1<<20, "number of elements")
	flag.Parse()
	if err := run(*name, *n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(name string, n int) error {
	d, err := choose(name)
	if err != nil {
		return err
	}
	about, err := d.Properties()
	if err != nil {
		return err
	}
	fmt.Printf("device %v: %s (%s)\n", d, about.Name, about.Arch)
	return compute(d, n)
}

// choose opens a device by name, or the best one and says why it is none of the others.
func choose(name string) (*gpu.Device, error) {
	if name != "" {
		return gpu.Open(name)
	}
	for _, p := range gpu.Platforms() {
		fmt.Println("platform", p)
	}
	return gpu.Best()
}

func compute(d *gpu.Device, n int) error {
	x, err := gpu.Alloc[float32](d, n)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := gpu.Alloc[float32](d, n)
	if err != nil {
		return err
	}
	defer y.Close()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := x.FillAsync(3, s); err != nil {
		return err
	}
	if err := y.FillAsync(1, s); err != nil {
		return err
	}
	took, err := saxpy(d, s, y, x, 2)
	if err != nil {
		return err
	}
	fmt.Printf("saxpy of %d elements in %v\n", n, took)
	return check(y, s, 2*3+1)
}

// saxpy computes y = a*x + y in the order of a stream, and says how long it took.
func saxpy(d *gpu.Device, s *gpu.Stream, y, x gpu.Slice[float32], a float32) (time.Duration, error) {
	m, err := d.Compile(program())
	if err != nil {
		return 0, err
	}
	defer m.Close()
	f, err := m.Function("saxpy")
	if err != nil {
		return 0, err
	}
	before, err := s.Record(gpu.EventOptions{Timing: true})
	if err != nil {
		return 0, err
	}
	defer before.Close()
	if err := f.Launch(s, gpu.Grid(y.Len(), 256), y, x, a, int32(y.Len())); err != nil {
		return 0, err
	}
	after, err := s.Record(gpu.EventOptions{Timing: true})
	if err != nil {
		return 0, err
	}
	defer after.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := after.Synchronize(ctx); err != nil {
		return 0, err
	}
	return after.Since(before)
}

func check(y gpu.Slice[float32], s *gpu.Stream, want float32) error {
	got := make([]float32, y.Len())
	if err := y.CopyTo(got, s); err != nil {
		return err
	}
	for i, v := range got {
		if v != want {
			return fmt.Errorf("element %d is %v, want %v", i, v, want)
		}
	}
	fmt.Println("all elements are", want)
	return nil
}
