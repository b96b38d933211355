// Dataparallel is the communication of a data-parallel training step: while a kernel computes
// the gradients of one layer on a stream, those of the layer before are averaged over all
// ranks on another one.
//
//	goshmem run -n 4 ./examples/dataparallel
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "dataparallel: unexpected argument %q: it takes none\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	comm, err := nccl.Init(ctx, nccl.Options{})
	if err != nil {
		return err
	}
	if err := train(ctx, comm); err != nil {
		return errors.Join(err, comm.Abort()) // so that the others do not wait
	}
	return comm.Close()
}

const (
	layers = 8
	size   = 1 << 14 // parameters of a layer
	steps  = 3
)

// layer is the parameters of one layer and their gradients.
type layer struct{ weights, gradients gpu.Slice[float32] }

func train(ctx context.Context, comm *nccl.Comm) error {
	d := comm.Device()
	compute, err := d.NewStream()
	if err != nil {
		return err
	}
	defer compute.Close()
	reduce, err := d.NewStream()
	if err != nil {
		return err
	}
	defer reduce.Close()
	model, err := newModel(d)
	if err != nil {
		return err
	}
	defer free(model)
	k, err := compile(d)
	if err != nil {
		return err
	}
	defer k.Close()
	for range steps {
		if err := step(comm, k, model, compute, reduce); err != nil {
			return err
		}
	}
	if err := errors.Join(comm.Synchronize(ctx, reduce), compute.Synchronize(ctx)); err != nil {
		return err
	}
	return check(comm, model)
}

// step computes all gradients, the last layer first, averages each as soon as it is there,
// and then changes the weights.
func step(comm *nccl.Comm, k *kernels, model []layer, compute, reduce *gpu.Stream) error {
	ready, err := comm.Device().NewEvent()
	if err != nil {
		return err
	}
	defer ready.Close()
	for i := len(model) - 1; i >= 0; i-- {
		l := model[i]
		if err := k.gradient.Launch(compute, gpu.Grid(size, 256), l.gradients, l.weights, float32(comm.Rank()), int32(size)); err != nil {
			return err
		}
		if err := errors.Join(ready.Record(compute), reduce.Wait(ready)); err != nil {
			return err
		}
		if err := nccl.AllReduce(comm, l.gradients, l.gradients, nccl.Avg, reduce); err != nil {
			return err
		}
	}
	for _, l := range model {
		if err := k.update.Launch(reduce, gpu.Grid(size, 256), l.weights, l.gradients, float32(0.5), int32(size)); err != nil {
			return err
		}
	}
	return errors.Join(ready.Record(reduce), compute.Wait(ready)) // the next step needs the weights
}

func newModel(d *gpu.Device) (model []layer, err error) {
	for i := range layers {
		var l layer
		if l.weights, err = gpu.Alloc[float32](d, size); err != nil {
			return model, err
		}
		if l.gradients, err = gpu.Alloc[float32](d, size); err != nil {
			return model, err
		}
		model = append(model, l)
		if err := l.weights.Fill(float32(i)); err != nil {
			return model, err
		}
	}
	return model, nil
}

func free(model []layer) {
	for _, l := range model {
		_ = errors.Join(l.weights.Close(), l.gradients.Close()) // the process ends
	}
}

// check compares with what one machine would have computed: a rank's gradient is the weight
// plus its number.
func check(comm *nccl.Comm, model []layer) error {
	mean := float32(comm.Size()-1) / 2
	for i, l := range model {
		want := float32(i)
		for range steps {
			want -= 0.5 * (want + mean)
		}
		got := make([]float32, size)
		if err := l.weights.CopyTo(got, nil); err != nil {
			return err
		}
		for at, v := range got {
			if v < want-1e-4 || v > want+1e-4 {
				return fmt.Errorf("weight %d of layer %d is %v, want %v", at, i, v, want)
			}
		}
	}
	fmt.Printf("rank %d: the weights of %d layers are right after %d steps\n", comm.Rank(), layers, steps)
	return nil
}
