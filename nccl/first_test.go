package nccl_test

import (
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

func TestFirst(t *testing.T) {
	devices, err := gpu.Devices("host")
	if err != nil {
		t.Fatal(err)
	}
	d := devices[0]
	comms, err := nccl.InitAll(t.Context(), []*gpu.Device{d, d, d}, nccl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var xs []gpu.Slice[float32]
	var ss []*gpu.Stream
	for i := range comms {
		x, err := gpu.Alloc[float32](d, 4)
		if err != nil {
			t.Fatal(err)
		}
		v := float32(i + 1)
		if err := x.CopyFrom([]float32{v, v, v, v}, nil); err != nil {
			t.Fatal(err)
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		xs, ss = append(xs, x), append(ss, s)
	}
	err = nccl.Group(func() error {
		for i, c := range comms {
			if err := nccl.AllReduce(c, xs[i], xs[i], nccl.Sum, ss[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range comms {
		if err := c.Synchronize(t.Context(), ss[i]); err != nil {
			t.Fatal(err)
		}
		v, err := xs[i].At(3)
		t.Log(c, v, err)
	}
	for _, c := range comms {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
