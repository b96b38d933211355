package nvshmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// Every kind of atomic gives the old value and leaves the new one, on the own word and on
// that of another PE.
func TestWorldAtomics(t *testing.T) {
	p := world(t, 2, 2)
	p.each(func(pe int, m *memory) error { return m.Commit(0, 4096) })
	p.each(func(pe int, m *memory) error {
		if pe != 0 {
			return nil
		}
		var errs []error
		for to := range p.n {
			for _, width := range []uint8{4, 8} {
				errs = append(errs, changes(m, to, width))
			}
		}
		return errors.Join(errs...)
	})
	_, err := p.heaps[0].device.Atomic(p.n, 0, add(1))
	if !errors.Is(err, device.ErrArgument) {
		t.Errorf("an atomic on PE %d: %v", p.n, err)
	}
}

func changes(m *memory, to int, width uint8) error {
	half, quarter := math.Float64bits(0.5), math.Float64bits(0.25)
	sum := math.Float64bits(0.75)
	if width == 4 {
		half, quarter, sum = uint64(math.Float32bits(0.5)), uint64(math.Float32bits(0.25)), uint64(math.Float32bits(0.75))
	}
	for _, c := range []struct {
		op       engine.AMO
		old, now uint64
	}{
		{engine.AMO{Kind: engine.AMOSet, Value: 12, Blind: true}, 0, 12},
		{engine.AMO{Kind: engine.AMOSwap, Value: 20}, 12, 20},
		{engine.AMO{Kind: engine.AMOCompareSwap, Value: 30, Cond: 19}, 20, 20},
		{engine.AMO{Kind: engine.AMOCompareSwap, Value: 30, Cond: 20}, 20, 30},
		{engine.AMO{Kind: engine.AMOAdd, Value: 5}, 30, 35},
		{engine.AMO{Kind: engine.AMOAdd, Value: 1, Blind: true}, 0, 36},
		{engine.AMO{Kind: engine.AMOAnd, Value: 52}, 36, 36},
		{engine.AMO{Kind: engine.AMOOr, Value: 3, Blind: true}, 0, 39},
		{engine.AMO{Kind: engine.AMOXor, Value: 7}, 39, 32},
		{engine.AMO{Kind: engine.AMOFetch}, 32, 32},
		{engine.AMO{Kind: engine.AMOSet, Value: half}, 32, half},
		{engine.AMO{Kind: engine.AMOAdd, Value: quarter, Float: true}, half, sum},
	} {
		c.op.Width = width
		old, err := m.Atomic(to, 64, c.op)
		if err == nil {
			err = m.Quiet(context.Background())
		}
		if err != nil {
			return err
		}
		now, err := m.Atomic(to, 64, engine.AMO{Kind: engine.AMOFetch, Width: width})
		if err != nil || now != c.now || old != c.old && !c.op.Blind {
			return fmt.Errorf("%d bytes of PE %d: %+v gave %d and left %d, error %w; want %d and %d", width, to, c.op, old, now, err, c.old, c.now)
		}
	}
	_, err := m.Atomic(to, 64, engine.AMO{Kind: engine.AMOSet, Width: 8})
	return err
}

// Puts and gets of the host, from and to memory of the heap and of the stack.
func TestWorldPutsAndGets(t *testing.T) {
	p := world(t, 2, 2)
	for _, n := range []int{1, 13, 5000, 300000} {
		data := func(pe int) []byte { return bytes.Repeat([]byte{byte(pe + n), 3, 9}, n/3+1)[:n] }
		p.each(func(pe int, m *memory) error { return m.Commit(0, heapSize) })
		p.each(func(pe int, m *memory) error {
			next, mine := (pe+1)%p.n, data(pe)
			small := [3]byte{byte(pe), 5, 6}
			err := errors.Join(
				m.Put(next, 0, pointer(&mine[0]), uintptr(n)),
				m.Put(next, heapSize-3, pointer(&small), 3),
				m.PutNBI(next, heapSize/2, pointer(&mine[0]), uintptr(n)))
			m.Fence()
			return errors.Join(err, m.PutSignal(next, heapSize-64, pointer(&small), 3, heapSize-32, set(uint64(pe+7))))
		})
		p.each(func(pe int, m *memory) error {
			from := (pe - 1 + p.n) % p.n
			for _, off := range []uintptr{0, heapSize / 2} {
				late := make([]byte, n)
				err := errors.Join(m.GetNBI(pe, pointer(&late[0]), off, uintptr(n)), m.Quiet(t.Context()))
				got, also := m.read(off, n)
				if !bytes.Equal(got, data(from)) || !bytes.Equal(late, data(from)) {
					return fmt.Errorf("%d bytes at %d: %d and %d, want %d, errors %w", n, off, got[0], late[0], data(from)[0], errors.Join(err, also))
				}
			}
			for off, want := range map[uintptr]uint64{heapSize - 3: uint64(from), heapSize - 64: uint64(from)} {
				if got, err := m.Load(off, 1); err != nil || got != want {
					return fmt.Errorf("%d at %d, want %d, error %w", got, off, want, err)
				}
			}
			if sig, err := m.Load(heapSize-32, 8); err != nil || sig != uint64(from+7) {
				return fmt.Errorf("signal %d, error %w", sig, err)
			}
			return nil
		})
	}
}

// Kernels and copies of this GPU get to the others' memory by its address.
func TestWorldAddresses(t *testing.T) {
	p := world(t, 2, 2)
	p.each(func(pe int, m *memory) error { return m.fill(100, []byte{byte(pe + 40)}) })
	p.onStream(func(pe int, m *memory, s device.Handle) error {
		var errs []error
		for from := range p.n {
			errs = append(errs, m.GPU.Copy(m.Dev, m.own(uintptr(200+from)), m.Address(from)+100, 1, s))
		}
		return errors.Join(errs...)
	})
	p.each(func(pe int, m *memory) error {
		got, err := m.read(200, p.n)
		for from, b := range got {
			if int(b) != from+40 {
				t.Errorf("PE %d: %v", pe, got)
			}
		}
		return err
	})
}

// Without a compiler the error of an atomic operation says what it is for.
func TestAtomicsWithoutACompiler(t *testing.T) {
	p := world(t, 1, 1)
	m := p.heaps[0].device
	m.compile = func(string, string) ([]byte, error) { return nil, device.ErrNoFunction }
	if _, err := m.Atomic(0, 0, engine.AMO{Kind: engine.AMOXor, Width: 8}); !errors.Is(err, device.ErrUnsupported) || !errors.Is(err, device.ErrNoFunction) {
		t.Errorf("error %v", err)
	}
	if _, err := m.Atomic(0, 0, engine.AMO{Kind: engine.AMOSet, Width: 8, Blind: true}); err != nil {
		t.Errorf("a signal: %v", err)
	}
}
