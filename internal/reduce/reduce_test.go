package reduce

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// vectorsOf are k vectors of n elements, of which many are special.
func vectorsOf(what Type, n, k int) [][]byte {
	r, special := rand.New(rand.NewPCG(uint64(n), uint64(k))), values(what)
	list := make([][]byte, k)
	for i := range list {
		list[i] = make([]byte, 0, n*int(what.Size()))
		for range n {
			random := r.Uint64()
			list[i] = append(list[i], special[random%1024%uint64(len(special))]...)
			if random>>63 == 0 {
				list[i][len(list[i])-1-int(random>>10%uint64(what.Size()))] ^= byte(random >> 20)
			}
		}
	}
	return list
}

func addresses(list [][]byte) []unsafe.Pointer {
	var all []unsafe.Pointer
	for _, b := range list {
		all = append(all, unsafe.Pointer(unsafe.SliceData(b)))
	}
	return all
}

// combined combines whole vectors of bytes into a new one.
func combined(s *Scratch, what Type, op Op, sources ...[]byte) []byte {
	dst := make([]byte, len(sources[0]))
	at := addresses([][]byte{dst})[0]
	Fold(what, op, at, addresses(sources), len(dst)/int(what.Size()), s)
	return dst
}

// TestPairs combines all values at which something may go wrong with each other.
func TestPairs(t *testing.T) {
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		var a, b []byte
		for _, x := range values(what) {
			for _, y := range values(what) {
				a, b = append(a, x...), append(b, y...)
			}
		}
		compare(t, what, op, combined(s, what, op, a, b), [][]byte{a, b})
	})
}

// TestAll16 combines all values of 16 bits with some.
func TestAll16(t *testing.T) {
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		if what.Size() != 2 {
			return
		}
		special := values(what)
		var a, b []byte
		for bits := range 1 << 16 {
			for i := range 3 {
				a, b = append(a, byte(bits), byte(bits>>8)), append(b, special[(bits*3+bits>>6+i)%len(special)]...)
			}
		}
		compare(t, what, op, combined(s, what, op, a, b), [][]byte{a, b})
		compare(t, what, op, combined(s, what, op, b, a), [][]byte{b, a})
	})
}

// TestLengths combines vectors of all small lengths, two and more of them.
func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		all, size := vectorsOf(what, 300, 4), int(what.Size())
		for n := range 300 / size {
			for k := 1; k <= 4; k++ {
				var sources [][]byte
				for _, b := range all[:k] {
					sources = append(sources, b[:n*size])
				}
				compare(t, what, op, combined(s, what, op, sources...), sources)
			}
		}
	})
}

// TestLarge combines what is taken in several pieces.
func TestLarge(t *testing.T) {
	s := new(Scratch)
	variants(t, func(t *testing.T) {
		for _, what := range []Type{Uint64, Float32, BFloat16, Float8E4M3} {
			for _, c := range []struct{ size, sources int }{{block, 3}, {block + 40, 2}, {2*piece/3 + 136, 2}, {2*piece/10 + 8, 9}} {
				sources := vectorsOf(what, c.size/int(what.Size()), c.sources)
				compare(t, what, Sum, combined(s, what, Sum, sources...), sources)
			}
		}
	})
}

// A place is where a vector lies in a block of memory: so far behind its beginning.
type place struct {
	memory []byte
	offset int
}

const guard = 128 // bytes around a vector that must stay as they are

func placed(b []byte, offset int) place {
	p := place{bytes.Repeat([]byte{0xa5}, guard+offset+len(b)+guard), guard + offset}
	copy(p.memory[p.offset:], b)
	return p
}

func (p place) address() unsafe.Pointer { return unsafe.Pointer(&p.memory[p.offset]) }

func (p place) bytes(n int) []byte { return p.memory[p.offset : p.offset+n] }

// intact says whether nothing has been written around the vector.
func (p place) intact(n int) bool {
	fill := []byte{0xa5}
	return bytes.Count(p.memory[:p.offset], fill) == p.offset &&
		bytes.Count(p.memory[p.offset+n:], fill) == len(p.memory)-p.offset-n
}

// scene is a call of FoldTo: so many destinations, of which the first ones are
// sources.
type scene struct {
	what          Type
	op            Op
	n             int
	sources, dsts int
	shared        int
	offsets       []int // of the places, in turns
}

func (c scene) play(t *testing.T, s *Scratch) {
	t.Helper()
	had := vectorsOf(c.what, c.n, c.sources)
	size := c.n * int(c.what.Size())
	var sources, dsts []place
	var from, to []unsafe.Pointer
	for i := range c.sources {
		sources = append(sources, placed(had[i], c.offsets[i%len(c.offsets)]))
		from = append(from, sources[i].address())
	}
	for i := range c.dsts {
		p := placed(make([]byte, size), c.offsets[(i+1)%len(c.offsets)])
		if i < c.shared {
			p = sources[(i+1)%c.sources]
		}
		dsts = append(dsts, p)
		to = append(to, p.address())
	}
	FoldTo(c.what, c.op, to, from, c.n, s)
	compare(t, c.what, c.op, dsts[0].bytes(size), had)
	for i, p := range slices.Concat(dsts, sources) {
		if !p.intact(size) {
			t.Fatalf("%+v: something was written beside vector %d", c, i)
		}
		if i < len(dsts) && !bytes.Equal(p.bytes(size), dsts[0].bytes(size)) {
			t.Fatalf("%+v: destination %d is not like the first", c, i)
		}
	}
	for i := range sources {
		if written := (i-1+c.sources)%c.sources < min(c.shared, c.dsts); !written && !bytes.Equal(sources[i].bytes(size), had[i]) {
			t.Fatalf("%+v: source %d was changed", c, i)
		}
	}
}

// TestPlaces folds from and to places of all kinds of alignment, with destinations
// that are sources and others, and looks at the bytes around.
func TestPlaces(t *testing.T) {
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		for i, n := range []int{1, 3, 31, 33, 64, 129, 511} {
			for sources := 1; sources <= 4; sources++ {
				for dsts := 1; dsts <= 3; dsts++ {
					for shared := 0; shared <= min(sources, dsts); shared++ {
						c := scene{what, op, n, sources, dsts, shared, []int{i, 0, 1, 64 - i, 8 * i}}
						c.play(t, s)
					}
				}
			}
		}
	})
}

// FuzzFold folds anything from anywhere to anywhere.
func FuzzFold(f *testing.F) {
	f.Add(uint8(Float32), uint8(Sum), uint16(1000), uint8(2), uint8(2), uint8(1), []byte{0, 3})
	f.Add(uint8(Float8E4M3), uint8(Max), uint16(77), uint8(5), uint8(1), uint8(0), []byte{1})
	f.Add(uint8(BFloat16), uint8(Prod), uint16(0), uint8(1), uint8(4), uint8(1), []byte{})
	f.Fuzz(func(t *testing.T, what, op uint8, n uint16, sources, dsts, shared uint8, offsets []byte) {
		c := scene{
			what: Type(what) % types, op: Op(op) % ops, n: int(n % 3000), sources: int(sources%9) + 1, dsts: int(dsts%5) + 1, offsets: []int{0},
		}
		c.shared = min(int(shared), c.sources, c.dsts)
		for _, o := range offsets {
			c.offsets = append(c.offsets, int(o))
		}
		if Has(c.what, c.op) {
			variants(t, func(t *testing.T) { c.play(t, new(Scratch)) })
		}
	})
}

// TestNames: whatever there is has a name, and a size.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for op := range ops {
		seen[op.String()] = true
	}
	if len(seen) != int(ops) || seen[""] {
		t.Errorf("names of operations: %v", seen)
	}
	for what := range types {
		if what.Size() == 0 || !Has(what, Sum) {
			t.Errorf("type %d has %d bytes; can be summed: %v", what, what.Size(), Has(what, Sum))
		}
	}
}
