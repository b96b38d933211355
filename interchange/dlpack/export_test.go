//go:build linux && (amd64 || arm64)

package dlpack

import (
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/mem"
)

func TestExportThenImport(t *testing.T) {
	list := numbers(t, 12)
	for _, isVersioned := range []bool{false, true} {
		for _, a := range []interchange.Array{
			array(list, []int64{3, 4}, nil),
			array(list, []int64{4, 3}, []int64{1, 4}),
			array(list, []int64{12}, []int64{-1}),
			array(list, []int64{}, nil),
			array(list, []int64{3, 0}, nil),
		} {
			a.Type, a.ReadOnly = interchange.Type{Code: interchange.Float8E5M2, Bits: 8, Lanes: 1}, isVersioned
			e, err := Export(a, isVersioned)
			if err != nil {
				t.Fatal(err)
			}
			im, err := Import(e.Address(), isVersioned)
			if err != nil {
				t.Fatal(err)
			}
			b := im.Array
			if a.Len() == 0 {
				a.Pointer = 0
			}
			if b.Pointer != a.Pointer || !slices.Equal(b.Shape, a.Shape) || !slices.Equal(b.ElementStrides(), a.ElementStrides()) || b.Type != a.Type || b.Device != a.Device || b.ReadOnly != a.ReadOnly {
				t.Errorf("%+v came back as %+v", a, b)
			}
			if e.Released() {
				t.Error("released before Close")
			}
			if im.Close(); !e.Released() {
				t.Error("not released by Close")
			}
			if im.Close(); e.Cancel() == nil {
				t.Error("what was released can be cancelled")
			}
		}
	}
	none(t)
}

func TestCancel(t *testing.T) {
	list := numbers(t, 4)
	e, err := Export(array(list, []int64{4}, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	if Outstanding() != 1 || e.Released() {
		t.Error("a fresh record is not out")
	}
	if err := e.Cancel(); err != nil || !e.Released() || e.Address() != 0 {
		t.Errorf("cancel: %v", err)
	}
	if err := e.Cancel(); err == nil {
		t.Error("cancelled twice")
	}
	none(t)
}

// TestReleasedIsOver: what happens to memory of a record that was used again is no
// business of the one before.
func TestReleasedIsOver(t *testing.T) {
	list := numbers(t, 4)
	first, err := Export(array(list, []int64{4}, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	at := first.Address()
	if err := first.Cancel(); err != nil {
		t.Fatal(err)
	}
	var all []*Exported
	for range 100 {
		e, err := Export(array(list, []int64{4}, nil), true)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if !slices.ContainsFunc(all, func(e *Exported) bool { return e.Address() == at }) {
		t.Error("the memory of the first record was not used again")
	}
	if !first.Released() || first.Cancel() == nil {
		t.Error("the first record lives again")
	}
	for _, e := range all {
		if err := e.Cancel(); err != nil {
			t.Error(err)
		}
	}
	none(t)
}

func TestExportRefuses(t *testing.T) {
	a := array(numbers(t, 4), []int64{4}, nil)
	a.ReadOnly = true
	if _, err := Export(a, false); err == nil || !strings.Contains(err.Error(), "versioned") {
		t.Errorf("read-only, unversioned: %v", err)
	}
	a.Shape = []int64{-1}
	if _, err := Export(a, true); err == nil {
		t.Error("a negative extent was exported")
	}
	none(t)
}

func TestImportRefuses(t *testing.T) {
	for _, address := range []uintptr{0, 12} {
		if _, err := Import(address, true); err == nil {
			t.Errorf("a record at %d was imported", address)
		}
	}
	for what, spoil := range map[string]func(m *managed){
		"-1 dimensions": func(m *managed) { m.tensor.ndim = -1 },
		"33 dimensions": func(m *managed) { m.tensor.ndim = 33 },
		"2 dimensions":  func(m *managed) { m.tensor.ndim, m.tensor.shape = 2, 0 },
		"4 lanes":       func(m *managed) { m.tensor.dtype.Lanes = 4 },
		"4 bits":        func(m *managed) { m.tensor.dtype.Bits = 4 },
		"address 0":     func(m *managed) { m.tensor.data = 0 },
	} {
		e, err := Export(array(numbers(t, 4), []int64{4}, nil), false)
		if err != nil {
			t.Fatal(err)
		}
		spoil(&mem.At[managed](e.Address(), 1)[0])
		if _, err := Import(e.Address(), false); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if !e.Released() {
			t.Errorf("%s: refused, and not deleted", what)
		}
	}
}
