// Matmul multiplies a matrix whose rows are spread over the PEs with one that all have, on
// every PE: the kernel loads the rows of the other PEs from their memory while it
// multiplies, so that gathering them is no step of its own.
//
//	goshmem run -n 4 ./examples/matmul
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	rows, k, n := flag.Int("rows", 32, "rows of the left matrix on each PE"), flag.Int("k", 64, "its columns"), flag.Int("n", 48, "columns of the right matrix")
	flag.Parse()
	if flag.NArg() > 0 || min(*rows, *k, *n) < 1 {
		fmt.Fprintln(os.Stderr, "matmul: -rows, -k and -n are at least 1, and there are no other arguments")
		os.Exit(2)
	}
	shmem.Main(func(ctx context.Context, w *shmem.World) error { return multiply(ctx, w, *rows, *k, *n) })
}

// left and right are the elements of the matrices: small whole numbers, so that sums are
// exact in any order.
func left(row, i int) float32  { return float32((row+2*i)%5 - 2) }
func right(i, col int) float32 { return float32((3*i+col)%7 - 3) }

func multiply(ctx context.Context, w *shmem.World, rows, k, n int) error {
	p, err := provider.New(w)
	if err != nil {
		return err
	}
	defer p.Close()
	d := p.Device()
	a, peers, err := provider.AllocateSymmetric[float32](ctx, p, rows*k)
	if err != nil {
		return err
	}
	b, err := gpu.Alloc[float32](d, k*n)
	if err != nil {
		return err
	}
	defer b.Close()
	c, err := gpu.Alloc[float32](d, rows*w.NPEs()*n)
	if err != nil {
		return err
	}
	defer c.Close()
	first := rows * w.MyPE()
	err = errors.Join(
		fill(a, k, func(row, i int) float32 { return left(first+row, i) }),
		fill(b, n, right),
		p.Barrier(ctx)) // all have their rows
	if err != nil {
		return err
	}
	if err := launch(ctx, d, c, a, b, rows, k, n, w, peers); err != nil {
		return err
	}
	if err := check(c, k, n); err != nil {
		return err
	}
	fmt.Printf("%d by %d times %d by %d is right\n", rows*w.NPEs(), k, k, n)
	return p.Barrier(ctx) // until all have read ours
}

func launch(ctx context.Context, d *gpu.Device, c, a, b gpu.Slice[float32], rows, k, n int, w *shmem.World, peers *provider.AddressMap) error {
	m, err := d.Compile(program())
	if err != nil {
		return err
	}
	defer m.Close()
	f, err := m.Function("matmul")
	if err != nil {
		return err
	}
	s := d.DefaultStream()
	if err := f.Launch(s, gpu.Grid(c.Len(), 256), c, a, b, int64(rows), int64(k), int64(n), int32(w.MyPE()), int32(w.NPEs()), peers); err != nil {
		return err
	}
	return s.Synchronize(ctx)
}

// fill gives a matrix so many columns wide its elements.
func fill(x gpu.Slice[float32], columns int, of func(row, column int) float32) error {
	values := make([]float32, x.Len())
	for i := range values {
		values[i] = of(i/columns, i%columns)
	}
	return x.CopyFrom(values, nil)
}

// check compares with the product as anybody would write it.
func check(c gpu.Slice[float32], k, n int) error {
	got := make([]float32, c.Len())
	if err := c.CopyTo(got, nil); err != nil {
		return err
	}
	for at, v := range got {
		want := float32(0)
		for i := range k {
			want += left(at/n, i) * right(i, at%n)
		}
		if v != want {
			return fmt.Errorf("element %d of row %d is %v, want %v", at%n, at/n, v, want)
		}
	}
	return nil
}
