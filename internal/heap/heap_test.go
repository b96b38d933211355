package heap

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// model is the slow and simple truth about a heap: the live blocks, in a list.
type model struct {
	size   uintptr
	blocks []span
}

// holes returns the free ranges in order.
func (m *model) holes() []span {
	slices.SortFunc(m.blocks, func(a, b span) int { return int(a.at) - int(b.at) })
	var list []span
	end := uintptr(0)
	for _, b := range append(slices.Clone(m.blocks), span{m.size, 0}) {
		if b.at > end {
			list = append(list, span{end, b.at - end})
		}
		end = b.at + b.n
	}
	return list
}

// firstFit is where a block must go, and whether there is such a place.
func (m *model) firstFit(n, align uintptr) (uintptr, bool) {
	for _, h := range m.holes() {
		for at := h.at; at+n <= h.at+h.n; at += Grain {
			if at%align == 0 {
				return at, true
			}
		}
	}
	return 0, false
}

// alloc does the same in the heap and in the model, and compares.
func (m *model) alloc(t *testing.T, a *Allocator, n, align uintptr) {
	t.Helper()
	size := (max(n, 1) + Grain - 1) / Grain * Grain
	want, fits := m.firstFit(size, max(align, Grain))
	at, err := a.Alloc(n, align)
	if fits != (err == nil) || fits && at != want {
		t.Fatalf("alloc of %d aligned %d: at %d, %v; want at %d: %v", n, align, at, err, want, fits)
	}
	if err == nil {
		if got := a.Size(at); got != size {
			t.Fatalf("the block at %d has %d bytes, want %d", at, got, size)
		}
		m.blocks = append(m.blocks, span{at, size})
		return
	}
	var full *Full
	if !errors.As(err, &full) || full.Asked != n || full.Stats != a.Stats() {
		t.Fatalf("alloc of %d: %v", n, err)
	}
}

// free frees the i-th live block in both.
func (m *model) free(t *testing.T, a *Allocator, i int) {
	t.Helper()
	at := m.blocks[i].at
	if err := a.Free(at); err != nil {
		t.Fatal(err)
	}
	m.blocks = slices.Delete(m.blocks, i, i+1)
	if a.Size(at) != 0 || a.Free(at) == nil {
		t.Fatalf("the block at %d is free, but has a size or can be freed again", at)
	}
}

// check compares the heap with the model: same holes, so blocks neither overlap
// nor leave the heap, and neighbouring holes have merged; right numbers; and the
// largest hole is as large as it says.
func (m *model) check(t *testing.T, a *Allocator) {
	t.Helper()
	holes := m.holes()
	if !slices.Equal(holes, a.free) {
		t.Fatalf("the holes are %v, want %v", a.free, holes)
	}
	want := Stats{Size: m.size, Blocks: len(m.blocks), Holes: len(holes)}
	for _, b := range m.blocks {
		want.Used += b.n
	}
	for _, h := range holes {
		want.Largest = max(want.Largest, h.n)
	}
	s := a.Stats()
	if s != want {
		t.Fatalf("stats are %+v, want %+v", s, want)
	}
	if _, err := a.Alloc(s.Largest+1, Grain); err == nil {
		t.Fatalf("a block larger than the largest hole of %d has found a place", s.Largest)
	}
	if s.Largest == 0 {
		return
	}
	at, err := a.Alloc(s.Largest, Grain)
	if err != nil {
		t.Fatalf("the largest hole of %d is not one: %v", s.Largest, err)
	}
	if err := a.Free(at); err != nil {
		t.Fatal(err)
	}
}

// FuzzHeap decodes allocations and frees from bytes. The first byte is the size
// of the heap, then each operation has three: what, how much, how aligned.
func FuzzHeap(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0, 1, 0, 0, 1, 0})
	f.Add([]byte{40, 0, 200, 0, 0, 3, 5, 1, 0, 0, 0, 100, 9, 1, 1, 0, 2, 255, 2, 1, 0, 0})
	f.Add(slices.Repeat([]byte{17, 0, 90, 3, 1, 7, 2}, 30))
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) == 0 {
			return
		}
		size := uintptr(ops[0])*Grain + uintptr(ops[0])%3*50 // not always whole grains
		a, m := New(size), &model{size: size / Grain * Grain}
		for ops = ops[1:]; len(ops) >= 3; ops = ops[3:] {
			switch what, n := ops[0], uintptr(ops[1]); {
			case what%3 == 1 && len(m.blocks) > 0:
				m.free(t, a, int(n)%len(m.blocks))
			case what%3 == 2:
				m.alloc(t, a, n*n, 8<<(ops[2]%10))
			default:
				m.alloc(t, a, n, 8<<(ops[2]%10))
			}
			m.check(t, a)
		}
	})
}

// TestAgainstModel is what FuzzHeap does, on random operations without a fuzzer.
func TestAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		size := Grain * uintptr(1+rng.IntN(300))
		a, m := New(size), &model{size: size}
		for range 300 {
			if len(m.blocks) > 0 && rng.IntN(5) < 2 {
				m.free(t, a, rng.IntN(len(m.blocks)))
			} else {
				m.alloc(t, a, uintptr(rng.IntN(int(size)/4+2)), 8<<rng.IntN(9))
			}
			m.check(t, a)
		}
		for len(m.blocks) > 0 {
			m.free(t, a, rng.IntN(len(m.blocks)))
		}
		if s := a.Stats(); s != (Stats{Size: size, Largest: size, Holes: 1}) {
			t.Fatalf("all is free, but %+v", s)
		}
	}
}

// TestNoFragmentation makes a million allocations and frees of mixed sizes and
// lifetimes while half of the heap or more is live, and asks for large blocks now
// and then. What is free must stay usable.
func TestNoFragmentation(t *testing.T) {
	const size = 1 << 30
	for _, load := range []uintptr{size / 2, size * 6 / 10} {
		a, worst, refused := churn(t, size, load, 500_000)
		s := a.Stats()
		t.Logf("load %d%%: %d blocks, %d holes, the largest %.1f%% of what is free, at worst %.1f%%; %d large blocks refused",
			load*100/size, s.Blocks, s.Holes, 100*float64(s.Largest)/float64(s.Size-s.Used), 100*worst, refused)
		if worst < 0.5 {
			t.Errorf("load %d%%: at worst the largest hole was %.1f%% of what is free", load*100/size, 100*worst)
		}
		if refused > 0 {
			t.Errorf("load %d%%: %d blocks of an eighth of the heap found no place", load*100/size, refused)
		}
	}
}

// churn does ops operations on a heap of the given size around the given load. It
// returns the heap, the worst share of the largest hole in what was free once the
// load was reached, and how many large blocks found no place.
func churn(t *testing.T, size, load uintptr, ops int) (a *Allocator, worst float64, refused int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(load)))
	a, worst = New(size), 1
	var short, long []uintptr // blocks that live for a while, and ten times longer
	drop := func(from *[]uintptr) {
		i := rng.IntN(len(*from))
		if err := a.Free((*from)[i]); err != nil {
			t.Fatal(err)
		}
		(*from)[i] = (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
	}
	reached := false
	for op := range ops {
		if a.used >= load {
			reached = true
			if len(long) > 0 && (len(short) == 0 || rng.IntN(10) == 0) {
				drop(&long)
			} else {
				drop(&short)
			}
			continue
		}
		at, err := a.Alloc(mixedSize(rng), Grain)
		if err != nil {
			t.Fatalf("after %d operations: %v", op, err)
		}
		if rng.IntN(4) == 0 {
			long = append(long, at)
		} else {
			short = append(short, at)
		}
		if reached && op%1000 == 0 {
			s := a.Stats()
			worst = min(worst, float64(s.Largest)/float64(s.Size-s.Used))
			if at, err := a.Alloc(size/8, 4096); err != nil {
				refused++
			} else if err := a.Free(at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a, worst, refused
}

// mixedSize is spread over the orders of magnitude from 1 byte to 4 MiB: as many
// blocks of some hundred bytes as of some hundred thousand.
func mixedSize(rng *rand.Rand) uintptr {
	return uintptr(math.Exp2(rng.Float64() * 22))
}

// TestDeterministic feeds two heaps the same calls, which the PEs of a world do.
func TestDeterministic(t *testing.T) {
	a, b := New(1<<20), New(1<<20)
	rng := rand.New(rand.NewPCG(3, 4))
	var live []uintptr
	for range 20000 {
		if len(live) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(live))
			if errA, errB := a.Free(live[i]), b.Free(live[i]); errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			live = slices.Delete(live, i, i+1)
			continue
		}
		n, align := uintptr(rng.IntN(20000)), uintptr(8)<<rng.IntN(10)
		atA, errA := a.Alloc(n, align)
		atB, errB := b.Alloc(n, align)
		if atA != atB || (errA == nil) != (errB == nil) || a.Stats() != b.Stats() {
			t.Fatalf("the same calls gave %d, %v and %d, %v", atA, errA, atB, errB)
		}
		if errA == nil {
			live = append(live, atA)
		} else if errA.Error() != errB.Error() {
			t.Fatalf("%v and %v", errA, errB)
		}
	}
}

// TestEdges asks for nothing, for more than an address can say, and frees what is no block.
func TestEdges(t *testing.T) {
	for _, size := range []uintptr{0, 1, Grain - 1} {
		a := New(size)
		if _, err := a.Alloc(0, Grain); err == nil || a.Stats() != (Stats{}) {
			t.Errorf("a heap of %d bytes holds something: %+v", size, a.Stats())
		}
	}
	a := New(10*Grain + 5)
	for _, n := range []uintptr{10*Grain + 1, math.MaxInt, math.MaxUint64, math.MaxUint64 - Grain, math.MaxUint64 - Grain + 2} {
		for _, align := range []uintptr{0, 1, Grain, 1 << 20, 1 << 62} {
			if at, err := a.Alloc(n, align); err == nil {
				t.Errorf("%d bytes aligned %d are at %d", n, align, at)
			}
		}
	}
	at, err := a.Alloc(0, 8)
	if err != nil || a.Size(at) != Grain {
		t.Errorf("a block of nothing: %d bytes, %v", a.Size(at), err)
	}
	for _, wrong := range []uintptr{1, Grain, 10 * Grain, math.MaxUint64} {
		if err := a.Free(wrong); err == nil || !strings.Contains(err.Error(), "no block at offset") {
			t.Errorf("free of %d: %v", wrong, err)
		}
	}
	_, err = a.Alloc(9*Grain+1, 8)
	if want := "asked 1153 bytes, largest hole 1152, 128 of 1280 in use"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// BenchmarkAllocFree is one allocation and one free in a heap with many holes.
func BenchmarkAllocFree(b *testing.B) {
	a := New(1 << 30)
	rng := rand.New(rand.NewPCG(5, 6))
	var live []uintptr
	for range 2000 {
		at, err := a.Alloc(mixedSize(rng), Grain)
		if err != nil {
			b.Fatal(err)
		}
		live = append(live, at)
	}
	for b.Loop() {
		i := rng.IntN(len(live))
		if err := a.Free(live[i]); err != nil {
			b.Fatal(err)
		}
		at, err := a.Alloc(mixedSize(rng), Grain)
		if err != nil {
			b.Fatal(err)
		}
		live[i] = at
	}
	b.ReportMetric(float64(a.Stats().Holes), "holes")
}
