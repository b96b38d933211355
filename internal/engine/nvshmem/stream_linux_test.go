package nvshmem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// own is an address in the own memory.
func (m *memory) own(off uintptr) device.Ptr { return device.Ptr(m.Base + off) }

// fill writes bytes to the own memory, and read reads some.
func (m *memory) fill(off uintptr, data []byte) error {
	return m.Put(m.Control.Rank(), off, pointer(&data[0]), uintptr(len(data)))
}

func (m *memory) read(off uintptr, n int) ([]byte, error) {
	data := make([]byte, n)
	return data, m.Get(m.Control.Rank(), pointer(&data[0]), off, uintptr(n))
}

// finish waits for a stream of the test.
func (m *memory) finish(s device.Handle) error {
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindQuiet}, s)
}

// onStream runs f on all PEs with a stream of each, then waits for it.
func (p *party) onStream(f func(pe int, m *memory, s device.Handle) error) {
	p.t.Helper()
	p.each(func(pe int, m *memory) error {
		s, err := m.GPU.NewStream(m.Dev, 0)
		if err != nil {
			return err
		}
		err = errors.Join(f(pe, m, s), m.finish(s))
		return errors.Join(err, m.GPU.DestroyStream(m.Dev, s))
	})
}

// whole says whether the library does everything here.
func (p *party) whole() bool { return !p.heaps[0].device.limited }

// A ring on streams: what a PE puts is with its neighbour after the barrier, and what
// it signals is seen by the neighbour's stream only after the data.
func TestWorldRing(t *testing.T) {
	const size = 70001
	p := world(t, 3, 3)
	pattern := func(pe int) []byte { return bytes.Repeat([]byte{byte(pe + 1), 7, byte(pe)}, size/3+1)[:size] }
	p.each(func(pe int, m *memory) error { return errors.Join(m.Commit(0, heapSize), m.fill(0, pattern(pe))) })
	p.onStream(func(pe int, m *memory, s device.Handle) error {
		next := (pe + 1) % p.n
		err := errors.Join(
			m.PutOn(s, next, 1<<17, m.own(0), size),
			m.QuietOn(s),
			m.World().BarrierOn(s),
			m.PutSignalOn(s, next, 1<<18, m.own(1<<17), size, 1<<19, add(5)),
			m.GetOn(s, next, m.own(1<<19+64), 1<<17, size))
		if p.whole() {
			err = errors.Join(err, m.WaitOn(s, 1<<19, engine.CompareGE, 5))
		}
		return err
	})
	p.each(func(pe int, m *memory) error {
		for off, from := range map[uintptr]int{1 << 17: pe - 1, 1 << 18: pe - 2, 1<<19 + 64: pe} {
			got, err := m.read(off, size)
			if want := pattern((from + 2*p.n) % p.n); err != nil || !bytes.Equal(got, want) {
				t.Errorf("PE %d at %d: %d, want %d, error %v", pe, off, got[:3], want[:3], err)
			}
		}
		return nil
	})
}

// split makes a team on all PEs, and gives each its side of it.
func (p *party) split(start, stride, size int) map[int]engine.Group {
	p.t.Helper()
	var mu sync.Mutex
	groups := map[int]engine.Group{}
	p.each(func(pe int, m *memory) error {
		g, err := m.NewGroup(context.Background(), m.World(), 2, start, stride, size)
		mu.Lock()
		defer mu.Unlock()
		groups[pe] = g
		return err
	})
	return groups
}

// Teams of strides, their teams, and ends of them.
func TestWorldTeams(t *testing.T) {
	p := world(t, 4, 4)
	if !p.whole() {
		return
	}
	last := (p.n - 1) / 2
	even := p.split(0, 2, last+1)
	p.onStream(func(pe int, m *memory, s device.Handle) error {
		if (even[pe] != nil) != (pe%2 == 0) {
			return fmt.Errorf("its group is %v", even[pe])
		}
		if even[pe] == nil {
			return nil
		}
		inner, err := m.NewGroup(context.Background(), even[pe], 3, last, 1, 1)
		if err != nil || (inner != nil) != (pe == 2*last) {
			return fmt.Errorf("a team of the last one: %v, error %w", inner, err)
		}
		if inner != nil {
			err = errors.Join(inner.BarrierOn(s), m.finish(s), inner.Close(context.Background()))
		}
		return errors.Join(err, m.fill(8, []byte{byte(pe)}), even[pe].BarrierOn(s),
			even[pe].CollectiveOn(s, &engine.Collective{Kind: engine.KindFCollect, Dst: 16, Src: 8, Bytes: 1}),
			even[pe].SyncOn(s), m.finish(s), even[pe].Close(context.Background()))
	})
	p.each(func(pe int, m *memory) error {
		got, err := m.read(16, last+1)
		for i, b := range got {
			if pe%2 == 0 && int(b) != 2*i {
				t.Errorf("PE %d collected %v", pe, got)
			}
		}
		return err
	})
	m := p.heaps[0].device
	for _, c := range [][3]int{{p.n - 1, 1, 2}, {0, 0, 2}, {-1, 1, 2}, {0, 1, 0}} {
		if _, err := m.NewGroup(context.Background(), m.World(), 2, c[0], c[1], c[2]); !errors.Is(err, device.ErrArgument) {
			t.Errorf("start, stride and size %v: %v", c, err)
		}
	}
	if _, err := m.NewGroup(context.Background(), nil, 2, 0, 1, 1); !errors.Is(err, device.ErrArgument) {
		t.Errorf("no parent: %v", err)
	}
}

// Each collective gives what plain Go makes of the same data, on the world and on a team.
func TestWorldCollectives(t *testing.T) {
	p := world(t, 3, 3)
	if !p.whole() {
		return
	}
	team, everyone := p.split(0, 1, 2), map[int]engine.Group{}
	for _, h := range p.heaps {
		everyone[h.Rank()] = h.device.World()
	}
	for _, n := range []int{1, 24, 4099, 1 << 17} {
		for _, kind := range []engine.Kind{engine.KindBroadcast, engine.KindFCollect, engine.KindAllToAll} {
			p.collect(everyone, p.n, engine.Collective{Kind: kind, Root: 1, Dst: 1 << 19, Bytes: uintptr(n)})
			p.collect(team, 2, engine.Collective{Kind: kind, Root: 1, Dst: 1 << 19, Bytes: uintptr(n)})
		}
	}
	p.each(func(pe int, _ *memory) error {
		if team[pe] == nil {
			return nil
		}
		return team[pe].Close(context.Background())
	})
}

// collect does a collective of bytes by groups of a size, and looks at what comes of it.
func (p *party) collect(groups map[int]engine.Group, size int, c engine.Collective) {
	p.t.Helper()
	n, total := int(c.Bytes), int(c.Bytes)*size
	data := func(pe, i int) byte { return byte(17*pe + i + i>>8) }
	want := func(pe, i int) byte {
		switch c.Kind {
		case engine.KindBroadcast:
			return data(c.Root, i)
		case engine.KindFCollect:
			return data(i/n, i%n)
		}
		return data(i/n, pe*n+i%n)
	}
	p.each(func(pe int, m *memory) error {
		in := make([]byte, total)
		for i := range in {
			in[i] = data(pe, i)
		}
		return errors.Join(m.fill(0, in), m.Commit(c.Dst, heapSize/2))
	})
	p.onStream(func(pe int, m *memory, s device.Handle) error {
		if groups[pe] == nil {
			return nil
		}
		return groups[pe].CollectiveOn(s, &c)
	})
	if c.Kind == engine.KindBroadcast {
		total = n
	}
	p.each(func(pe int, m *memory) error {
		got, err := m.read(c.Dst, total)
		for i, b := range got {
			if groups[pe] != nil && b != want(pe, i) {
				return fmt.Errorf("%v of %d bytes of %d: byte %d is %d, want %d", c.Kind, n, size, i, b, want(pe, i))
			}
		}
		return err
	})
}

// Every reduction that there is, for all and for one, against package reduce.
func TestWorldReductions(t *testing.T) {
	p := world(t, 2, 2)
	if !p.whole() {
		return
	}
	for elem := reduce.Int8; elem <= reduce.BFloat16; elem++ {
		for op := reduce.Sum; op <= reduce.Xor; op++ {
			if nvshmem.Reduction(elem, op, false) == "" {
				continue
			}
			for _, kind := range []engine.Kind{engine.KindAllReduce, engine.KindReduceScatter, engine.KindReduce} {
				p.reduce(engine.Collective{Kind: kind, Root: 1, Dst: 1 << 19, Bytes: 3 * elem.Size(), Elem: elem, Op: op})
			}
		}
	}
	// longer than the memory that goes to a root in one piece
	p.reduce(engine.Collective{Kind: engine.KindReduce, Dst: 1 << 19, Bytes: 2*scratchSize + 8, Elem: reduce.Int64, Op: reduce.Sum})
}

func (p *party) reduce(c engine.Collective) {
	p.t.Helper()
	size, length := int(c.Elem.Size()), int(c.Bytes)
	if c.Kind == engine.KindReduceScatter {
		length *= p.n
	}
	vectors := make([][]byte, p.n)
	for pe := range vectors {
		vectors[pe] = small(c.Elem, pe, length)
	}
	want := bytes.Clone(vectors[0])
	for _, v := range vectors[1:] {
		reduce.Combine(c.Elem, c.Op, pointer(&want[0]), pointer(&want[0]), pointer(&v[0]), length/size)
	}
	p.each(func(pe int, m *memory) error { return errors.Join(m.fill(0, vectors[pe]), m.Commit(c.Dst, c.Bytes)) })
	p.onStream(func(_ int, m *memory, s device.Handle) error { return m.World().CollectiveOn(s, &c) })
	p.each(func(pe int, m *memory) error {
		got, err := m.read(c.Dst, int(c.Bytes))
		expected := want
		switch {
		case c.Kind == engine.KindReduceScatter:
			expected = want[pe*int(c.Bytes):][:c.Bytes]
		case c.Kind == engine.KindReduce && pe != c.Root:
			expected = make([]byte, c.Bytes)
		}
		if !bytes.Equal(got, expected) {
			return fmt.Errorf("%v of %v of %v: %v, want %v", c.Kind, c.Op, c.Elem, got[:min(24, len(got))], expected[:min(24, len(expected))])
		}
		return err
	})
}

// small makes a vector of numbers whose sums and products are exact in all types.
func small(t reduce.Type, pe, length int) []byte {
	bits := map[reduce.Type][2]uint64{
		reduce.Float32: {0x3f800000, 0x40000000}, reduce.Float64: {0x3ff0000000000000, 0x4000000000000000},
		reduce.Float16: {0x3c00, 0x4000}, reduce.BFloat16: {0x3f80, 0x4000},
	}[t]
	v := make([]byte, 0, length+8)
	for i := 0; len(v) < length; i++ {
		x := uint64(i%3 + pe + 1)
		if t > reduce.Uint64 {
			x = bits[(i+pe)%2]
		}
		v = binary.LittleEndian.AppendUint64(v, x)[:len(v)+int(t.Size())]
	}
	return v
}
