//go:build linux && (amd64 || arm64)

package dlpack

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/skip"
)

//go:embed testdata/consumer.c
var consumer string

// library is the consumer and producer in C.
func library(t *testing.T) func(name string) uintptr {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "consumer.c"), filepath.Join(dir, "libconsumer.so")
	if err := os.WriteFile(in, []byte(consumer), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(cc, "-shared", "-fPIC", "-O1", "-pthread", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, text)
	}
	spec := dl.Spec{Name: "consumer", Path: out}
	for _, name := range []string{"consume", "consume_versioned", "delete_elsewhere", "how_often", "produce", "produce_versioned"} {
		spec.Symbols = append(spec.Symbols, dl.Symbol{Name: name, Required: true})
	}
	l, _, err := dl.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) uintptr {
		addr, err := l.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return addr
	}
}

// numbers are n int32 that do not move: 1, 2 and so on.
func numbers(t *testing.T, n int) []int32 {
	s := dl.Borrow()
	t.Cleanup(s.Return)
	list := dl.OutSlice[int32](s, n)
	for i := range list {
		list[i] = int32(i + 1)
	}
	return list
}

// array describes list in a shape.
func array(list []int32, shape, strides []int64) interchange.Array {
	return interchange.Array{Pointer: dl.Addr(&list[0]), Shape: shape, Strides: strides, Type: interchange.Type{Code: interchange.Int, Bits: 32, Lanes: 1}, Device: interchange.Device{Type: interchange.CPU, ID: 0}, Owner: list}
}

// none wants that no record is left with a consumer.
func none(t *testing.T) {
	t.Helper()
	if n := Outstanding(); n != 0 {
		t.Errorf("%d records are still out", n)
	}
}

func TestCReadsWhatIsExported(t *testing.T) {
	find, list := library(t), numbers(t, 24)
	s := dl.Borrow()
	defer s.Return()
	out := dl.OutSlice[int64](s, 30)
	for _, c := range []struct {
		a       interchange.Array
		strides []int64
		sum     int64
	}{
		{array(list, []int64{2, 3, 4}, nil), []int64{12, 4, 1}, 300},
		{array(list, []int64{4, 3}, []int64{1, 8}), []int64{1, 8}, 126},
		{array(list, []int64{5}, []int64{0}), []int64{0}, 5},
		{array(list, []int64{}, nil), []int64{}, 1},
	} {
		c.a.Device = interchange.Device{Type: interchange.CUDAHost, ID: 3}
		for _, function := range []string{"consume", "consume_versioned"} {
			c.a.ReadOnly = function == "consume_versioned"
			e, err := Export(c.a, c.a.ReadOnly)
			if err != nil {
				t.Fatal(err)
			}
			clear(out)
			sum := int64(dl.Call(find(function), e.Address(), dl.Addr(&out[0])))
			dims := len(c.a.Shape)
			want := []int64{3, 3, int64(dims), 0, 32, 1, 0, int64(c.a.Pointer)}
			if sum != c.sum || !slices.Equal(out[:8], want) || !slices.Equal(out[10:10+dims], c.a.Shape) || !slices.Equal(out[20:20+dims], c.strides) {
				t.Errorf("%s of %+v: sum %d, fields %v", function, c.a, sum, out)
			}
			if c.a.ReadOnly && (out[8] != 1 || out[9] != 1) {
				t.Errorf("version %d, flags %d", out[8], out[9])
			}
			if !e.Released() || e.Address() != 0 {
				t.Errorf("%s has called the deleter, and it does not show", function)
			}
		}
	}
	none(t)
}

// TestRecordsAreUsedAgain also has many goroutines at it.
func TestRecordsAreUsedAgain(t *testing.T) {
	find, list := library(t), numbers(t, 6)
	consume := find("consume")
	none(t)
	before := len(records.free)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s := dl.Borrow()
			defer s.Return()
			out := dl.Addr(&dl.OutSlice[int64](s, 30)[0])
			for range 125 {
				e, err := Export(array(list, []int64{6}, nil), false)
				if err != nil {
					t.Error(err)
					return
				}
				if sum := dl.Call(consume, e.Address(), out); sum != 21 || !e.Released() {
					t.Errorf("sum %d", sum)
				}
			}
		})
	}
	wg.Wait()
	none(t)
	if grown := len(records.free) - before; grown > dl.ScratchSize/slotSize {
		t.Errorf("1000 rounds, 8 at a time, took memory for %d more records", grown)
	}
}

// TestDeletedElsewhere: the deleter runs on a thread that Go does not know.
func TestDeletedElsewhere(t *testing.T) {
	find, list := library(t), numbers(t, 6)
	for range 20 {
		e, err := Export(array(list, []int64{6}, nil), false)
		if err != nil {
			t.Fatal(err)
		}
		if status := dl.Status(dl.Call(find("delete_elsewhere"), e.Address())); status != 0 || !e.Released() {
			t.Fatalf("status %d, released %v", status, e.Released())
		}
	}
	none(t)
}

// TestOwnerStays until the consumer has called the deleter, and not longer.
func TestOwnerStays(t *testing.T) {
	find, list := library(t), numbers(t, 6)
	s := dl.Borrow()
	defer s.Return()
	out := dl.Addr(&dl.OutSlice[int64](s, 30)[0])
	gone := make(chan struct{})
	at := func() uintptr {
		owner := new([64]int)
		runtime.AddCleanup(owner, func(c chan struct{}) { close(c) }, gone)
		a := array(list, []int64{6}, nil)
		a.Owner = owner
		e, err := Export(a, false)
		if err != nil {
			t.Fatal(err)
		}
		return e.Address()
	}()
	for range 3 {
		runtime.GC()
	}
	select {
	case <-gone:
		t.Fatal("the owner went while the consumer had the record")
	default:
	}
	dl.Call(find("consume"), at, out)
	none(t)
	for range 5000 { // the cleanup has a goroutine of its own
		runtime.GC()
		select {
		case <-gone:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the owner stays after the deleter was called")
}

func TestImportFromC(t *testing.T) {
	find := library(t)
	often := func() uintptr { return dl.Call(find("how_often")) }
	for how, strides := range [][]int64{nil, {1, 2}, nil} {
		before := often()
		im, err := Import(dl.Call(find("produce"), uintptr(how)), false)
		if err != nil {
			t.Fatal(err)
		}
		a := im.Array
		if !slices.Equal(a.Shape, []int64{2, 3}) || !slices.Equal(a.Strides, strides) || a.Type != (interchange.Type{Code: interchange.Int, Bits: 32, Lanes: 1}) || a.Device != (interchange.Device{Type: interchange.CPU, ID: 0}) || a.Owner != im {
			t.Errorf("way %d: %+v", how, a)
		}
		if got := mem.At[int32](a.Pointer, 6); !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("way %d: elements %v: the offset counts", how, got)
		}
		if often() != before {
			t.Errorf("way %d: deleted before Close", how)
		}
		for range 2 {
			if err := im.Close(); err != nil {
				t.Error(err)
			}
		}
		want := before + 1
		if how == 2 {
			want = before
		}
		if n := often(); n != want {
			t.Errorf("way %d: deleted %d times, want %d", how, n, want)
		}
	}
}

func TestImportVersionedFromC(t *testing.T) {
	find := library(t)
	produce := find("produce_versioned")
	for flags, readOnly := range []bool{false, true, false, true} {
		im, err := Import(dl.Call(produce, 1, uintptr(flags)), true)
		if err != nil {
			t.Fatal(err)
		}
		if im.Array.ReadOnly != readOnly || im.Array.Len() != 6 {
			t.Errorf("flags %d: %+v", flags, im.Array)
		}
		im.Close()
	}
	before := dl.Call(find("how_often"))
	if _, err := Import(dl.Call(produce, 2, 0), true); err == nil || !strings.Contains(err.Error(), "DLPack 2.7") {
		t.Errorf("another version: %v", err)
	}
	if n := dl.Call(find("how_often")); n != before+1 {
		t.Errorf("a record of another version was deleted %d times", n-before)
	}
}
