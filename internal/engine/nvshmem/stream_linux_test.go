package nvshmem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// own is an address in the own memory.
func (m *memory) own(off uintptr) device.Ptr { return device.Ptr(m.base + off) }

// fill writes bytes to the own memory, and read reads some.
func (m *memory) fill(off uintptr, data []byte) error {
	return m.Put(m.control.Rank(), off, pointer(&data[0]), uintptr(len(data)))
}

func (m *memory) read(off uintptr, n int) ([]byte, error) {
	data := make([]byte, n)
	return data, m.Get(m.control.Rank(), pointer(&data[0]), off, uintptr(n))
}

// finish waits for a stream of the test.
func (m *memory) finish(s device.Handle) error {
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindQuiet}, s)
}

// onStream runs f on all PEs with a stream of each, then waits for it.
func onStream(t *testing.T, heaps []*heap, f func(pe int, m *memory, s device.Handle) error) {
	t.Helper()
	each(t, heaps, func(pe int, m *memory) error {
		s, err := m.driver.NewStream(m.dev, 0)
		if err != nil {
			return err
		}
		err = errors.Join(f(pe, m, s), m.finish(s))
		return errors.Join(err, m.driver.DestroyStream(m.dev, s))
	})
}

// A ring on streams: what a PE puts is with its neighbour after the barrier, and what
// it signals is seen by the neighbour's stream only after the data.
func TestRingOnStreams(t *testing.T) {
	const n, size = 3, 70001
	heaps, _ := world(t, n, n, true)
	pattern := func(pe int) []byte { return bytes.Repeat([]byte{byte(pe + 1), 7, byte(pe)}, size/3+1)[:size] }
	onStream(t, heaps, func(pe int, m *memory, s device.Handle) error {
		next := (pe + 1) % n
		return errors.Join(
			m.Commit(0, heapSize), m.fill(0, pattern(pe)),
			m.World().SyncOn(s),
			m.PutOn(s, next, 1<<17, m.own(0), size),
			m.QuietOn(s),
			m.World().BarrierOn(s),
			m.PutSignalOn(s, next, 1<<18, m.own(1<<17), size, 1<<19, add(5)),
			m.WaitOn(s, 1<<19, engine.CompareGE, 5),
			m.GetOn(s, next, m.own(1<<19+64), 1<<18, size),
		)
	})
	each(t, heaps, func(pe int, m *memory) error {
		for off, from := range map[uintptr]int{1 << 17: pe - 1, 1 << 18: pe - 2, 1<<19 + 64: pe - 1} {
			got, err := m.read(off, size)
			if want := pattern((from + n) % n); err != nil || off != 1<<19+64 && !bytes.Equal(got, want) {
				t.Errorf("PE %d at %d: %d, want %d, error %v", pe, off, got[:3], want[:3], err)
			}
		}
		return nil
	})
}

// split makes a team on all PEs, and gives each its side of it.
func split(t *testing.T, heaps []*heap, start, stride, size int) []engine.Group {
	t.Helper()
	groups := make([]engine.Group, len(heaps))
	each(t, heaps, func(pe int, m *memory) (err error) {
		groups[pe], err = m.NewGroup(context.Background(), m.World(), 2, start, stride, size)
		return err
	})
	return groups
}

// Teams of strides, their teams, and ends of them.
func TestTeams(t *testing.T) {
	heaps, j := world(t, 4, 4, true)
	odd := split(t, heaps, 1, 2, 2)
	if odd[0] != nil || odd[2] != nil || odd[1].(*group).self != 0 || odd[3].(*group).self != 1 {
		t.Fatalf("groups %v", odd)
	}
	onStream(t, heaps, func(pe int, m *memory, s device.Handle) error {
		if odd[pe] == nil {
			return nil
		}
		inner, err := m.NewGroup(context.Background(), odd[pe], 3, 1, 1, 1)
		if err != nil || (inner != nil) != (pe == 3) {
			return fmt.Errorf("a team of the last one: %v, error %w", inner, err)
		}
		if inner != nil {
			err = errors.Join(inner.BarrierOn(s), m.finish(s), inner.Close(context.Background()))
		}
		return errors.Join(err, m.fill(8, []byte{byte(pe)}), odd[pe].BarrierOn(s),
			odd[pe].CollectiveOn(s, &engine.Collective{Kind: engine.KindFCollect, Dst: 16, Src: 8, Bytes: 1}),
			odd[pe].SyncOn(s), m.finish(s), odd[pe].Close(context.Background()))
	})
	for _, pe := range []int{1, 3} {
		if got, err := heaps[pe].device.read(16, 2); err != nil || !bytes.Equal(got, []byte{1, 3}) {
			t.Errorf("PE %d collected %v, error %v", pe, got, err)
		}
	}
	m := heaps[0].device
	for _, c := range [][3]int{{3, 1, 2}, {0, 0, 2}, {-1, 1, 2}, {0, 1, 0}} {
		if _, err := m.NewGroup(context.Background(), m.World(), 2, c[0], c[1], c[2]); !errors.Is(err, device.ErrArgument) {
			t.Errorf("start, stride and size %v: %v", c, err)
		}
	}
	if _, err := m.NewGroup(context.Background(), nil, 2, 0, 1, 1); !errors.Is(err, device.ErrArgument) {
		t.Errorf("no parent: %v", err)
	}
	j.mocks[0].take()
}

// Each collective gives what plain Go makes of the same data, on the world and on a team.
func TestCollectives(t *testing.T) {
	const n = 3
	heaps, _ := world(t, n, n, true)
	team := split(t, heaps, 0, 1, 2)
	data := func(pe, i int) byte { return byte(17*pe + i) }
	for size, groups := range map[int][]engine.Group{n: {heaps[0].device.World(), heaps[1].device.World(), heaps[2].device.World()}, 2: team} {
		for _, bytesEach := range []int{1, 24, 4099} {
			for kind, want := range map[engine.Kind]func(pe, i int) byte{
				engine.KindBroadcast: func(_, i int) byte { return data(1, i) },
				engine.KindFCollect:  func(_, i int) byte { return data(i/bytesEach, i%bytesEach) },
				engine.KindAllToAll:  func(pe, i int) byte { return data(i/bytesEach, pe*bytesEach+i%bytesEach) },
			} {
				onStream(t, heaps, func(pe int, m *memory, s device.Handle) error {
					if groups[pe] == nil {
						return nil
					}
					in := make([]byte, bytesEach*size)
					for i := range in {
						in[i] = data(pe, i)
					}
					c := &engine.Collective{Kind: kind, Root: 1, Dst: 1 << 16, Src: 0, Bytes: uintptr(bytesEach)}
					err := errors.Join(m.fill(0, in), m.Commit(1<<16, 1<<16), groups[pe].BarrierOn(s), groups[pe].CollectiveOn(s, c), m.finish(s))
					got, also := m.read(1<<16, bytesEach*size)
					if kind == engine.KindBroadcast {
						got = got[:bytesEach]
					}
					for i, b := range got {
						if b != want(pe, i) {
							return fmt.Errorf("%v of %d bytes of %d: byte %d is %d, want %d", kind, bytesEach, size, i, b, want(pe, i))
						}
					}
					return errors.Join(err, also)
				})
			}
		}
	}
}

// Every reduction that there is, for all and for one, against package reduce.
func TestReductions(t *testing.T) {
	const n, count = 2, 3
	heaps, _ := world(t, n, n, true)
	for elem := reduce.Int8; elem <= reduce.BFloat16; elem++ {
		for op := reduce.Sum; op <= reduce.Xor; op++ {
			if elem == reduce.Complex64 || elem == reduce.Complex128 || elem > reduce.Uint64 && op >= reduce.And {
				continue
			}
			for _, kind := range []engine.Kind{engine.KindAllReduce, engine.KindReduceScatter, engine.KindReduce} {
				reduceOnce(t, heaps, engine.Collective{Kind: kind, Root: 1, Dst: 1 << 16, Src: 0, Bytes: count * elem.Size(), Elem: elem, Op: op})
			}
		}
	}
	// longer than the memory that goes to a root in one piece
	reduceOnce(t, heaps, engine.Collective{Kind: engine.KindReduce, Dst: 1 << 19, Src: 0, Bytes: 2*scratchSize + 8, Elem: reduce.Int64, Op: reduce.Sum})
}

func reduceOnce(t *testing.T, heaps []*heap, c engine.Collective) {
	t.Helper()
	n, size := len(heaps), int(c.Elem.Size())
	length := int(c.Bytes)
	if c.Kind == engine.KindReduceScatter {
		length *= n
	}
	vectors := make([][]byte, n)
	for pe := range vectors {
		vectors[pe] = make([]byte, length)
		for i := range length / size { // small numbers, whose results are exact in all types
			vectors[pe][i*size] = byte(i%3 + pe + 1)
			if c.Elem > reduce.Uint64 {
				copy(vectors[pe][i*size:], one(c.Elem, i%2+pe))
			}
		}
	}
	want := bytes.Clone(vectors[0])
	reduce.Combine(c.Elem, c.Op, pointer(&want[0]), pointer(&vectors[0][0]), pointer(&vectors[1][0]), length/size)
	onStream(t, heaps, func(pe int, m *memory, s device.Handle) error {
		err := errors.Join(m.fill(0, vectors[pe]), m.Commit(c.Dst, c.Bytes), m.World().BarrierOn(s), m.World().CollectiveOn(s, &c), m.finish(s))
		got, also := m.read(c.Dst, int(c.Bytes))
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
		return errors.Join(err, also)
	})
}

// one is the number 1 or 2 of a floating-point type.
func one(t reduce.Type, which int) []byte {
	bits := map[reduce.Type][2]uint64{
		reduce.Float32: {0x3f800000, 0x40000000}, reduce.Float64: {0x3ff0000000000000, 0x4000000000000000},
		reduce.Float16: {0x3c00, 0x4000}, reduce.BFloat16: {0x3f80, 0x4000},
	}[t][which%2]
	return binary.LittleEndian.AppendUint64(nil, bits)[:t.Size()]
}
