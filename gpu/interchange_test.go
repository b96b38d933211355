package gpu_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/interchange/dlpack"
	"github.com/goshmem/goshmem/internal/python"
	"github.com/goshmem/goshmem/internal/skip"
)

// places are what DLPack calls a platform's device memory and pinned memory.
func places(platform string) [2]interchange.DeviceType {
	return map[string][2]interchange.DeviceType{
		"cuda": {interchange.CUDA, interchange.CUDAHost},
		"hip":  {interchange.ROCm, interchange.ROCmHost},
		"host": {interchange.CPU, interchange.CPU},
	}[platform]
}

// described looks at what others are told, and takes it back as foreign memory.
func described(t *testing.T, d *gpu.Device) {
	x, host := alloc[float32](t, d, some), pinned[uint16](t, d, some)
	must(t, x.CopyFrom(values[float32](some), nil))
	part := get(x.Slice(10, 20))(t)
	a := get(part.Interchange())(t)
	where := interchange.Device{Type: places(d.Platform())[0]}
	if where.Type != interchange.CPU {
		where.ID = int32(d.Index())
	}
	if a.Pointer != part.Address() || len(a.Shape) != 1 || a.Len() != 10 || a.Strides != nil || a.Type != (interchange.Type{Code: interchange.Float, Bits: 32, Lanes: 1}) || a.Device != where {
		t.Errorf("%v is described as %+v", part, a)
	}
	must(t, a.Validate())
	again := get(gpu.Foreign[float32](d, a.Pointer, int(a.Len()), gpu.DeviceMemory))(t)
	holds(t, again, values[float32](some)[10:20], nil)
	if a := get(host.Interchange())(t); a.Device != (interchange.Device{Type: places(d.Platform())[1]}) || a.Type.Bits != 16 {
		t.Errorf("%v is described as %+v", host, a)
	}
	pairs := get(gpu.As[[2]float32](x))(t)
	if _, err := pairs.Interchange(); !errors.Is(err, gpu.ErrArgument) {
		t.Errorf("elements of [2]float32: %v", err)
	}
	gone := get(gpu.Alloc[byte](d, 8))(t)
	must(t, gone.Close())
	if _, err := gone.Interchange(); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("closed memory: %v", err)
	}
	if _, err := (gpu.Buffer{}).Interchange(); !errors.Is(err, gpu.ErrArgument) {
		t.Errorf("no memory: %v", err)
	}
}

// TestPython shares memory of each platform with Python: of GPUs with PyTorch, of
// platform host with NumPy.
func TestPython(t *testing.T) {
	everywhere(t, func(t *testing.T, platform string) {
		p := python.Start(t)
		p.Run(t, python.Exchange+"import numpy")
		if _, gpus := p.Torch(t); platform != "host" && !gpus {
			skip.Now(t, skip.NoPython, "no PyTorch with GPUs")
		}
		run(t, platform, func(t *testing.T, d *gpu.Device) {
			lends(t, p, d)
			shows(t, p, d)
			borrows(t, p, d)
		})
	})
}

// on is what the library of a device is called in Python, and how a device is given to it.
func on(d *gpu.Device) (library, device string) {
	if d.Platform() == "host" {
		return "numpy", ""
	}
	return "torch", fmt.Sprintf(", device='cuda:%d'", d.Index())
}

// settle is what Python does when it is done with x: it waits for its device.
const settle = "\nif type(x).__module__ == 'torch': torch.cuda.synchronize()\n"

// lends exports memory; the sum of Python and the deleter's call are looked at.
func lends(t *testing.T, p *python.Interpreter, d *gpu.Device) {
	x := alloc[int32](t, d, 100)
	must(t, x.CopyFrom(values[int32](100), nil))
	a := get(x.Interchange())(t)
	e := get(dlpack.Export(a, false))(t)
	library, _ := on(d)
	var sum int64
	p.Ask(t, &sum, fmt.Sprintf("x = %s.from_dlpack(Lent(%d, False, (%d, %d)))\nanswer = int(x[10:20].sum())", library, e.Address(), a.Device.Type, a.Device.ID))
	want := int64(0)
	for _, v := range values[int32](100)[10:20] {
		want += int64(v)
	}
	if sum != want || e.Released() {
		t.Errorf("Python's sum of %v is %d, want %d; released %v", x, sum, want, e.Released())
	}
	if p.Run(t, settle+"del x; gc.collect()"); !e.Released() {
		t.Errorf("Python has let go of %v, and that does not show", x)
	}
}

// shows gives Python a record of the array interface, and reads what it writes.
func shows(t *testing.T, p *python.Interpreter, d *gpu.Device) {
	x := alloc[float64](t, d, 8)
	must(t, x.Fill(0.5))
	r := get(interchange.NewRecord(get(x.Interchange())(t)))(t)
	library, device := on(d)
	make := map[string]string{"numpy": "asarray", "torch": "as_tensor"}[library]
	p.Run(t, fmt.Sprintf("x = %s.%s(Shown(%q, %v)%s)\nx *= 3\nx[7] = 4%sdel x", library, make, r.Attribute(), r, device, settle))
	holds(t, x, []float64{1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 4}, nil)
}

// borrows imports memory of Python's, and copies out of it.
func borrows(t *testing.T, p *python.Interpreter, d *gpu.Device) {
	library, device := on(d)
	var record [2]uintptr
	p.Ask(t, &record, fmt.Sprintf("x = %s.arange(1, 9, dtype=%s.float32%s)%sanswer = take(x.__dlpack__())\ndel x", library, library, device, settle))
	im := get(dlpack.Import(record[0], record[1] != 0))(t)
	closing(t, im)
	if want := places(d.Platform())[0]; im.Array.Device.Type != want || im.Array.Len() != 8 {
		t.Fatalf("Python gives %+v, want %v", im.Array, want)
	}
	x := get(gpu.Foreign[float32](d, im.Array.Pointer, int(im.Array.Len()), gpu.DeviceMemory))(t)
	holds(t, x, []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil)
}
