package shmem

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// several is what a call on several elements of this PE's own copy asks of them. It
// is handed on by value: only a long wait, whose closure keeps it, moves it to the heap.
type several[T Waitable] struct {
	a      Array[T]
	except []bool // elements that do not count; nil: all do
	cmp    Cmp
	v      T
	vs     []T   // a value for each element,
	vector bool  // if these count, not v
	seen   []T   // of an array on a device: what was there at the latest look
	failed error // why it could not look
}

func scalar[T Waitable](a Array[T], except []bool, cmp Cmp, v T) several[T] {
	return several[T]{a: a, except: except, cmp: cmp, v: v}
}

func vector[T Waitable](a Array[T], except []bool, cmp Cmp, vs []T) several[T] {
	return several[T]{a: a, except: except, cmp: cmp, vs: vs, vector: true}
}

// check returns what is wrong with the arguments.
func (s *several[T]) check() error {
	if err := s.a.usable(); err != nil {
		return err
	}
	switch n := s.a.n; {
	case s.except != nil && len(s.except) != n:
		return problem(ErrLength, "the array has %d elements, the mask %d: it needs one for each, or must be nil", n, len(s.except))
	case s.vector && len(s.vs) != n:
		return problem(ErrLength, "the array has %d elements, but %d values were given: one for each is needed", n, len(s.vs))
	}
	return s.cmp.check()
}

// counts says whether element i is not excluded.
func (s *several[T]) counts(i int) bool { return s.except == nil || !s.except[i] }

// value is what element i is compared with.
func (s *several[T]) value(i int) T {
	if s.vector {
		return s.vs[i]
	}
	return s.v
}

// compares says whether element i, which is at p, compares.
func (s *several[T]) compares(p unsafe.Pointer, i int) bool {
	_, ok := look(p, s.cmp, s.value(i))
	return ok
}

// look returns where the elements are to be read: where they are, or, of a device, all
// that was there now.
func (s *several[T]) look() unsafe.Pointer {
	if s.a.b.far == nil {
		return s.a.here()
	}
	if s.seen == nil {
		s.seen = make([]T, s.a.n)
	}
	if err := s.a.b.out(unsafe.Pointer(unsafe.SliceData(s.seen)), s.a.off, s.a.bytes()); err != nil {
		s.failed = err
	}
	return unsafe.Pointer(unsafe.SliceData(s.seen))
}

// place is where element i is among those that begin at own.
func (s *several[T]) place(own unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add(own, uintptr(i)*sizeOf[T]())
}

// find returns the first element from lo to hi-1 that counts and of which it is true
// or false, as wanted, that it compares; -1 if there is none.
func (s *several[T]) find(lo, hi int, wanted bool) int {
	own := s.look()
	for i := lo; i < hi; i++ {
		if s.counts(i) && s.compares(s.place(own, i), i) == wanted {
			return i
		}
	}
	return -1
}

// nothing says whether no element counts.
func (s *several[T]) nothing() bool {
	for i := range s.a.n {
		if s.counts(i) {
			return false
		}
	}
	return true
}

// any returns an element that compares, -1 if there is none. It goes round: it begins
// behind the element that was found last, so that none is passed over for ever.
func (s *several[T]) any() int {
	from, b := 0, s.a.b
	if at := b.turn.Load(); at >= s.a.off && at < s.a.off+s.a.bytes() {
		from = int((at - s.a.off) / sizeOf[T]())
	}
	i := s.find(from, s.a.n, true)
	if i < 0 {
		i = s.find(0, from, true)
	}
	if i >= 0 {
		b.turn.Store(s.a.offset(i + 1))
	}
	return i
}

// collect appends to indices those elements that compare, and one that has done so.
func (s *several[T]) collect(indices []int, known int) []int {
	own := s.look()
	for i := range s.a.n {
		if i == known || s.counts(i) && s.compares(s.place(own, i), i) {
			indices = append(indices, i)
		}
	}
	return indices
}

// spin is how often to look at one element before the engine waits: at those of a device
// it costs too much.
func (s *several[T]) spin() (looks int, pause bool) {
	if s.a.b.far != nil {
		return 0, false
	}
	return s.a.b.w.heap.Spin()
}

// looks is how often to look at all elements before the engine waits.
func (s *several[T]) looks() (looks int, pause bool) {
	spin, pause := s.spin()
	return max(spin/max(s.a.n, 1), min(spin, 1)), pause
}

func (s several[T]) awaitAny(ctx context.Context) (int, error) {
	if err := s.check(); err != nil || s.nothing() {
		return -1, err
	}
	for n, pause := s.looks(); n > 0; n-- {
		if i := s.any(); i >= 0 {
			return i, nil
		}
		if pause {
			mem.Pause()
		}
	}
	return s.awaitAnyLong(ctx)
}

func (s several[T]) awaitAnyLong(ctx context.Context) (int, error) {
	i := -1
	if err := s.wait(ctx, func() bool { i = s.any(); return i >= 0 }); err != nil {
		return -1, s.missing(0, err)
	}
	return i, nil
}

// awaitAll passes over elements that compare, and never looks at these again: so a
// look costs little, however many elements there are.
func (s several[T]) awaitAll(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	next := 0
	for n, pause := s.spin(); n > 0; n-- {
		if next = s.find(next, s.a.n, false); next < 0 {
			return nil
		}
		if pause {
			mem.Pause()
		}
	}
	return s.awaitAllLong(ctx, next)
}

func (s several[T]) awaitAllLong(ctx context.Context, next int) error {
	err := s.wait(ctx, func() bool {
		if next >= 0 {
			next = s.find(next, s.a.n, false)
		}
		return next < 0
	})
	return s.missing(next, err)
}

func (s several[T]) awaitSome(ctx context.Context, indices []int) ([]int, error) {
	i, err := s.awaitAny(ctx)
	if i < 0 {
		return indices, err
	}
	return s.collect(indices, i), s.failed
}

func (s several[T]) testAny() (int, error) {
	if err := s.check(); err != nil {
		return -1, err
	}
	return s.any(), s.failed
}

func (s several[T]) testAll() (bool, error) {
	if err := s.check(); err != nil {
		return false, err
	}
	return s.find(0, s.a.n, false) < 0, s.failed
}

func (s several[T]) testSome(indices []int) ([]int, error) {
	if err := s.check(); err != nil {
		return indices, err
	}
	return s.collect(indices, -1), s.failed
}

// wait is one wait of the engine for all elements together. It ends if they cannot be
// looked at.
func (s *several[T]) wait(ctx context.Context, ready func() bool) error {
	err := s.a.b.w.waitFor(ctx, func() bool { return ready() || s.failed != nil })
	return cmp.Or(s.failed, err)
}

// told is how many missing elements an error tells the values of.
const told = 3

// missing adds to the error of a wait which elements from lo on have not come, and
// what the first of them were.
func (s *several[T]) missing(lo int, err error) error {
	if err == nil || s.failed != nil {
		return err
	}
	var list []int
	var values []string
	for i := s.find(max(lo, 0), s.a.n, false); i >= 0; i = s.find(i+1, s.a.n, false) {
		if len(list) < told {
			values = append(values, fmt.Sprintf("%d was %v, wanted %v %v%s", i, mem.Look[T](s.place(s.look(), i)), s.cmp, s.value(i), s.a.b.w.lastWriter(s.a.offset(i))))
		}
		list = append(list, i)
	}
	if len(list) == 0 { // the last has come this moment
		return err
	}
	if len(list) > told {
		values = append(values, fmt.Sprintf("and %d more", len(list)-told))
	}
	return fmt.Errorf("%s %s missing: %s: %w", nouns(len(list), "element"), shorten(engine.Ranges(list)), strings.Join(values, "; "), err)
}

// shorten cuts a list that is too long for a line.
func shorten(list string) string {
	const most = 200
	if len(list) <= most {
		return list
	}
	return list[:strings.LastIndex(list[:most], ", ")] + ", ..."
}
