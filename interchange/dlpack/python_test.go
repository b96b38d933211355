//go:build linux && (amd64 || arm64)

package dlpack

import (
	"fmt"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/python"
	"github.com/goshmem/goshmem/internal/skip"
)

// lend exports a for Python, as the name x there: from is the consumer's function.
func lend(t *testing.T, p *python.Interpreter, a interchange.Array, versioned bool, from string) *Exported {
	t.Helper()
	e, err := Export(a, versioned)
	if err != nil {
		t.Fatal(err)
	}
	flag := map[bool]string{false: "False", true: "True"}[versioned]
	p.Run(t, fmt.Sprintf("x = %s(Lent(%d, %s, (%d, %d)))", from, e.Address(), flag, a.Device.Type, a.Device.ID))
	return e
}

// seen wants of x in Python a shape and elements, and that a change shows.
func seen(t *testing.T, p *python.Interpreter, list []int32) {
	t.Helper()
	var got [][]int32
	p.Ask(t, &got, "answer = x.tolist()")
	if fmt.Sprint(got) != "[[1 3] [4 6] [7 9]]" {
		t.Errorf("Python sees %v", got)
	}
	list[0] = -5
	p.Ask(t, &got, "answer = x.tolist()")
	if list[0] = 1; got[0][0] != -5 {
		t.Errorf("Python has a copy: %v", got)
	}
}

// TestNumPyTakes what we export: both forms, if it knows both.
func TestNumPyTakes(t *testing.T) {
	p := python.Start(t)
	var version string
	p.Ask(t, &version, python.Exchange+"import numpy\nanswer = numpy.__version__")
	t.Log("NumPy", version)
	list := numbers(t, 9)
	a := array(list, []int64{3, 2}, []int64{3, 2})
	for _, versioned := range []bool{false, true} {
		if versioned && version[0] == '1' {
			continue // it knows the older form only
		}
		e := lend(t, p, a, versioned, "numpy.from_dlpack")
		seen(t, p, list)
		if e.Released() {
			t.Error("released while Python has it")
		}
		if p.Run(t, "del x; gc.collect()"); !e.Released() {
			t.Error("Python has let go of it, and that does not show")
		}
		if versioned {
			writable(t, p, a)
		}
	}
	none(t)
}

// writable wants NumPy to write memory unless the record forbids it.
func writable(t *testing.T, p *python.Interpreter, a interchange.Array) {
	t.Helper()
	for _, a.ReadOnly = range []bool{true, false} {
		lend(t, p, a, true, "numpy.from_dlpack")
		var may bool
		if p.Ask(t, &may, "answer = bool(x.flags.writeable)\ndel x; gc.collect()"); may == a.ReadOnly {
			t.Errorf("read-only %v, and NumPy may write: %v", a.ReadOnly, may)
		}
	}
}

// TestNumPyDoesNotTake: a record that nobody took can be cancelled.
func TestNumPyDoesNotTake(t *testing.T) {
	p := python.Start(t)
	a := array(numbers(t, 2), []int64{2}, nil)
	a.Device = interchange.Device{Type: interchange.CUDA, ID: 0}
	e, err := Export(a, false)
	if err != nil {
		t.Fatal(err)
	}
	var refused bool
	p.Ask(t, &refused, python.Exchange+fmt.Sprintf(`
import numpy
answer = False
try:
    numpy.from_dlpack(Lent(%d, False, (2, 0)))
except (BufferError, RuntimeError, ValueError):
    answer = True
gc.collect()
`, e.Address()))
	if !refused {
		t.Fatal("NumPy took memory of a GPU")
	}
	if err := e.Cancel(); err != nil {
		t.Error(err)
	}
}

// TestNumPyReadsRecords, and writes where it may.
func TestNumPyReadsRecords(t *testing.T) {
	p := python.Start(t)
	list := numbers(t, 9)
	a := array(list, []int64{3, 2}, []int64{3, 2})
	for _, a.ReadOnly = range []bool{false, true} {
		r, err := interchange.NewRecord(a)
		if err != nil {
			t.Fatal(err)
		}
		var may bool
		p.Ask(t, &may, python.Exchange+fmt.Sprintf("import numpy\nx = numpy.asarray(Shown(%q, %v))\nanswer = bool(x.flags.writeable)", r.Attribute(), r))
		if may == a.ReadOnly {
			t.Errorf("read-only %v, and NumPy may write: %v", a.ReadOnly, may)
		}
		seen(t, p, list)
	}
	a.ReadOnly = false
	r, err := interchange.NewRecord(a)
	if err != nil {
		t.Fatal(err)
	}
	p.Run(t, fmt.Sprintf("numpy.asarray(Shown(%q, %v))[2, 1] = 77\ndel x", r.Attribute(), r))
	if list[8] != 77 {
		t.Errorf("NumPy's 77 is not here: %v", list)
	}
}

// odd is in Python what taken wants: made of NumPy's base, whose end w shows.
const odd = "base = numpy.arange(12, dtype=numpy.float32)\nw = weakref.ref(base)\nx = %s.reshape(3, 4)[:, 1::2]\ndel base\n"

// given runs code that sets x, and imports the record that a capsule of it holds.
func given(t *testing.T, p *python.Interpreter, code, capsule string) *Imported {
	t.Helper()
	var record [2]uintptr
	p.Ask(t, &record, fmt.Sprintf("%sanswer = take(%s)\ndel x", code, capsule))
	im, err := Import(record[0], record[1] != 0)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// taken wants the odd columns of 0 to 11 in three rows, and that Close ends them.
func taken(t *testing.T, p *python.Interpreter, im *Imported) {
	t.Helper()
	a := im.Array
	if !slices.Equal(a.Shape, []int64{3, 2}) || !slices.Equal(a.ElementStrides(), []int64{4, 2}) || a.Type != (interchange.Type{Code: interchange.Float, Bits: 32, Lanes: 1}) || a.Device.Type != interchange.CPU {
		t.Errorf("Python gives %+v", a)
	}
	if got := mem.At[float32](a.Pointer, 11); got[0] != 1 || got[2] != 3 || got[10] != 11 {
		t.Errorf("elements %v", got)
	}
	var alive bool
	if p.Ask(t, &alive, "gc.collect()\nanswer = w() is not None"); !alive {
		t.Error("Python's array went before Close")
	}
	im.Close()
	if p.Ask(t, &alive, "gc.collect()\nanswer = w() is not None"); alive {
		t.Error("Python's array stays after Close")
	}
	im.Close()
}

// TestNumPyGives arrays, which live until Close.
func TestNumPyGives(t *testing.T) {
	p := python.Start(t)
	p.Run(t, python.Exchange+"import numpy")
	taken(t, p, given(t, p, fmt.Sprintf(odd, "base"), "x.__dlpack__()"))
	var text string
	p.Ask(t, &text, fmt.Sprintf(odd, "base")+"answer = json.dumps(x.__array_interface__)")
	r, err := interchange.ParseRecord("__array_interface__", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Array(interchange.Device{Type: interchange.CPU, ID: 0}, nil)
	if err != nil || !slices.Equal(a.Strides, []int64{4, 2}) || mem.At[float32](a.Pointer, 11)[10] != 11 {
		t.Errorf("%s is %+v, %v", text, a, err)
	}
	p.Run(t, "del x")
}

// TestTorch takes and gives, where PyTorch is.
func TestTorch(t *testing.T) {
	p := python.Start(t)
	p.Run(t, python.Exchange+"import numpy")
	if there, _ := p.Torch(t); !there {
		skip.Now(t, skip.NoPython, "no PyTorch")
	}
	p.Run(t, "import torch.utils.dlpack")
	list := numbers(t, 9)
	a := array(list, []int64{3, 2}, []int64{3, 2})
	e := lend(t, p, a, false, "torch.from_dlpack")
	seen(t, p, list)
	p.Run(t, "x[2, 1] = 77\ndel x; gc.collect()")
	if list[8] != 77 || !e.Released() {
		t.Errorf("PyTorch's 77 is not here, or the deleter was not called: %v", list)
	}
	taken(t, p, given(t, p, fmt.Sprintf(odd, "torch.from_numpy(base)"), "torch.utils.dlpack.to_dlpack(x)"))
	none(t)
}
