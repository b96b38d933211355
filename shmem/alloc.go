package shmem

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/heap"
)

// Alloc allocates n elements of T, zeroed, at the same place of every PE's heap,
// aligned to 128 bytes. All PEs must ask for the same; if they do not, or one
// cannot, nothing is allocated and every PE gets an error that says who asked
// what. Blocking, collective over the world. OpenSHMEM: shmem_calloc.
func Alloc[T any](ctx context.Context, w *World, n int) (Array[T], error) {
	return alloc[T](ctx, w, n, heap.Grain)
}

// AllocAligned is Alloc with an alignment in bytes: a power of two from 8 to 4096,
// to which every heap is aligned itself. OpenSHMEM: shmem_align, but zeroed.
func AllocAligned[T any](ctx context.Context, w *World, n, align int) (Array[T], error) {
	if align < 8 || align > maxAlign || align&(align-1) != 0 {
		return Array[T]{}, w.refuse(ctx, "alloc", engine.KindAlloc, problem(ErrArgument, "alignment %d: must be a power of two from 8 to %d", align, maxAlign))
	}
	return alloc[T](ctx, w, n, uintptr(align))
}

func alloc[T any](ctx context.Context, w *World, n int, align uintptr) (Array[T], error) {
	t := reflect.TypeFor[T]()
	bytes, err := extent(t, n)
	if err != nil || w == nil {
		return Array[T]{}, w.refuse(ctx, "alloc", engine.KindAlloc, err)
	}
	b, err := w.allocate(ctx, request{bytes, align, t})
	if err != nil {
		return Array[T]{}, fail(w, "alloc", noPeer, err)
	}
	return Array[T]{b, b.at, n}, nil
}

// extent returns the bytes of n elements of t, or why there cannot be such an array.
func extent(t reflect.Type, n int) (uintptr, error) {
	if path := pointerIn(t); path != "" {
		return 0, problem(ErrArgument, "%v holds a pointer (%s), which means nothing to another PE", t, path)
	}
	if n <= 0 {
		return 0, problem(ErrArgument, "%d elements: at least one is needed", n)
	}
	if t.Size() == 0 {
		return 0, problem(ErrArgument, "%v has no size", t)
	}
	if uintptr(n) > env.MaxHeap/t.Size() {
		return 0, problem(ErrNoMemory, "%d elements of %d bytes: no heap is that large", n, t.Size())
	}
	return uintptr(n) * t.Size(), nil
}

// pointerIn returns the path to a pointer inside t, "" if there is none.
func pointerIn(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Array:
		return pointerIn(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if path := pointerIn(t.Field(i).Type); path != "" {
				return t.Field(i).Name + ": " + path
			}
		}
		return ""
	case reflect.Pointer, reflect.UnsafePointer, reflect.Slice, reflect.String, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return t.Kind().String()
	}
	return ""
}

// request is one PE's part in an allocation.
type request struct {
	bytes, align uintptr
	elem         reflect.Type
}

// maxAlign is what the start of every heap is aligned to.
const maxAlign = 4096

// words of an allocation or free: what is compared between PEs. The last one
// says whether this PE can go along.
const (
	wordBytes = iota
	wordAlign // and the element type
	wordPlace
	wordRefuse
)

func (r request) words(at uintptr) engine.Words {
	h := fnv.New32a()
	h.Write([]byte(r.elem.String()))
	return engine.Words{wordBytes: uint64(r.bytes), wordAlign: uint64(r.align)<<32 | uint64(h.Sum32()), wordPlace: uint64(at)}
}

// allocate takes a range of the heap if every PE can. Memory is taken before the
// PEs meet, so that the meeting also says that everybody's copy is there.
func (w *World) allocate(ctx context.Context, r request) (*block, error) {
	t := w.world
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.busy.Store(false)
	call := t.call(engine.KindAlloc, engine.Site())
	b, refusal := w.take(r)
	if b != nil {
		b.site, b.seq = call.Site, call.Seq
	}
	if err := w.agree(ctx, call, r.words(b.offset()), refusal, describeAlloc); err != nil {
		return nil, errors.Join(err, w.giveBack(b))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocks[b.at] = b
	return b, nil
}

// offset of a block that may not exist.
func (b *block) offset() uintptr {
	if b == nil {
		return 0
	}
	return b.at
}

// take finds and backs a range on this PE.
func (w *World) take(r request) (*block, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := w.alloc.Alloc(r.bytes, r.align)
	if err != nil {
		return nil, problem(ErrNoMemory, "symmetric heap exhausted: %v: raise %s or Options.HeapSize", err, env.HeapSize)
	}
	if err := w.heap.Commit(at, r.bytes); err != nil {
		err = problem(ErrNoMemory, "%v", err)
		return nil, errors.Join(err, w.alloc.Free(at))
	}
	return &block{w: w, at: at, n: r.bytes}, nil
}

// giveBack undoes take.
func (w *World) giveBack(b *block) error {
	if b == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.blocks, b.at)
	if err := w.heap.Release(b.at, b.n); err != nil {
		return err
	}
	return w.alloc.Free(b.at)
}

// agree meets the others with mine, or with a refusal, and returns an error if
// anybody refuses or differs.
func (w *World) agree(ctx context.Context, call engine.Call, mine engine.Words, refusal error, describe func(engine.Words) string) error {
	all, err := w.world.propose(ctx, call, mine, refusal)
	if err != nil {
		return err
	}
	return differ(all, call, describe)
}

// propose gathers the words of all members, or returns why one of them refuses.
// After a refusal they meet once more, so that everybody has read the reason before
// its writer can write another.
func (t *Team) propose(ctx context.Context, call engine.Call, mine engine.Words, refusal error) ([]engine.Words, error) {
	if refusal != nil {
		t.w.heap.Note(refusal.Error())
		mine[wordRefuse] = 1
	}
	all, err := t.gather(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(words engine.Words) bool { return words[wordRefuse] != 0 })
	if i < 0 {
		return all, nil
	}
	reason := t.w.heap.Progress(t.members[i]).Note
	if err := t.gate.Meet(orBackground(ctx), call); err != nil {
		return nil, err
	}
	if refusal != nil {
		return nil, refusal
	}
	return nil, problem(ErrMismatch, "PE %d refused %v (%s): %s", t.members[i], call, call.Site, reason)
}

// differ returns an error that groups the PEs by what they asked, nil if all
// asked the same. The smallest group comes first: it is the likelier culprit.
func differ(all []engine.Words, call engine.Call, describe func(engine.Words) string) error {
	groups := map[engine.Words][]int{}
	var order []engine.Words
	for pe, words := range all {
		if groups[words] == nil {
			order = append(order, words)
		}
		groups[words] = append(groups[words], pe)
	}
	if len(order) == 1 {
		return nil
	}
	if len(groups[order[0]]) > len(groups[order[1]]) {
		order[0], order[1] = order[1], order[0]
	}
	var parts []string
	for _, words := range order {
		noun := "PEs"
		if len(groups[words]) == 1 {
			noun = "PE"
		}
		parts = append(parts, fmt.Sprintf("%s %s asked %s", noun, engine.Ranges(groups[words]), describe(words)))
	}
	text := strings.Join(parts, ", ")
	if describe(order[0]) == describe(order[1]) {
		text += " of another element type"
	}
	return problem(ErrMismatch, "%s (%v, %s)", text, call, call.Site)
}

func describeAlloc(words engine.Words) string {
	return fmt.Sprintf("%d bytes aligned %d", words[wordBytes], words[wordAlign]>>32)
}

// refuse takes part in a collective of the world that this PE cannot do, so that
// nobody waits for it.
func (w *World) refuse(ctx context.Context, op string, kind engine.Kind, refusal error) error {
	if w == nil {
		return noWorld(op)
	}
	t := w.world
	if err := t.enter(); err != nil {
		return fail(w, op, noPeer, err)
	}
	defer t.busy.Store(false)
	return fail(w, op, noPeer, w.agree(ctx, t.call(kind, engine.Site()), engine.Words{}, refusal, nil))
}
