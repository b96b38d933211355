package shmem

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/heap"
	"github.com/goshmem/goshmem/internal/mem"
)

// Alloc allocates n elements of T, zeroed, at the same place of every PE's heap,
// aligned to 128 bytes. All PEs must ask for the same; if they do not, or one
// cannot, nothing is allocated and every PE gets an error that says who asked
// what. Blocking, collective over the world. OpenSHMEM: shmem_calloc.
func Alloc[T any](ctx context.Context, w *World, n int) (Array[T], error) {
	return alloc[T](ctx, w, n, heap.Grain)
}

// AllocAligned is Alloc with an alignment in bytes: a power of two from 8 to 4096, to
// which every heap is aligned itself. Blocking, collective over the world. OpenSHMEM:
// shmem_align, but zeroed.
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
	if path := mem.PointerIn(t); path != "" {
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

// request is one PE's part in an allocation.
type request struct {
	bytes, align uintptr
	elem         reflect.Type
}

// maxAlign is what the start of every heap is aligned to.
const maxAlign = 4096

// words of an allocation or free: what is compared between PEs. The last one
// says whether this PE can go along, and is not compared.
const (
	wordBytes = iota
	wordAlign // and the element type
	wordPlace
	wordRefuse
)

// wordRefuse holds these, and how many arrays this PE has released.
const (
	refuses  = 1 << iota
	lacking  // it refuses for lack of memory
	pending0 // one released array
)

func (r request) words(at uintptr) engine.Words {
	h := fnv.New32a()
	h.Write([]byte(r.elem.String()))
	return engine.Words{wordBytes: uint64(r.bytes), wordAlign: uint64(r.align)<<32 | uint64(h.Sum32()), wordPlace: uint64(at)}
}

// allocate takes a range of the heap if every PE can. Memory is taken before the
// PEs meet, so that the meeting also says that everybody's copy is there. If it
// is short, arrays that all PEs have released make room for a second try.
func (w *World) allocate(ctx context.Context, r request) (*block, error) {
	t := w.world
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	defer t.exit()
	call := t.call(engine.KindAlloc, engine.Site())
	for {
		b, again, err := w.tryAllocate(ctx, call, r)
		if !again {
			return b, err
		}
	}
}

// tryAllocate says again if all PEs were short of memory and some has come free.
func (w *World) tryAllocate(ctx context.Context, call engine.Call, r request) (b *block, again bool, err error) {
	pending, refusal := w.givenUp(ctx)
	if refusal == nil {
		b, refusal = w.take(r)
	}
	mine := r.words(b.offset())
	mine[wordRefuse] = uint64(len(pending)) * pending0
	all, err := w.world.propose(ctx, call, mine, refusal)
	if err == nil {
		err = differ(all, call, describeAlloc)
	}
	if err != nil {
		err = errors.Join(err, w.giveBack(b))
		b = nil
	} else {
		w.keep(b, call)
	}
	freed, cannot := w.reclaim(ctx, call, all, pending)
	if cannot != nil {
		return nil, false, cannot
	}
	return b, freed > 0 && short(all), err
}

// short says whether lack of memory is all that the PEs refuse for.
func short(all []engine.Words) bool {
	found := false
	for _, words := range all {
		if words[wordRefuse]&refuses != 0 && words[wordRefuse]&lacking == 0 {
			return false
		}
		found = found || words[wordRefuse]&lacking != 0
	}
	return found
}

// keep makes a taken block known.
func (w *World) keep(b *block, call engine.Call) {
	b.site, b.seq = call.Site, call.Seq
	w.mu.Lock()
	defer w.mu.Unlock()
	i, _ := w.place(b.at)
	w.blocks = slices.Insert(w.blocks, i, b)
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
	if beyond := uintptr(w.arrays) & (r.align - 1); beyond != 0 {
		return nil, problem(ErrArgument, "alignment %d: the symmetric memory of PE %d begins %d bytes behind such a place", r.align, w.rank, beyond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := w.alloc.Alloc(r.bytes, r.align)
	if err != nil {
		return nil, problem(ErrNoMemory, "symmetric heap exhausted: %v: raise %s or Options.HeapSize", err, env.HeapSize)
	}
	if err := w.store.Commit(at, r.bytes); err != nil {
		err = problem(ErrNoMemory, "%v", err)
		return nil, errors.Join(err, w.alloc.Free(at))
	}
	if err := w.trodden(at, r.bytes); err != nil {
		return nil, errors.Join(err, w.store.Release(at, r.bytes), w.alloc.Free(at))
	}
	return w.newBlock(at, r.bytes), nil
}

// giveBack undoes take.
func (w *World) giveBack(b *block) error {
	if b == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i, found := w.place(b.at); found {
		w.blocks = slices.Delete(w.blocks, i, i+1)
		w.inter(b)
	}
	if err := w.store.Release(b.at, b.n); err != nil {
		return err
	}
	return w.alloc.Free(b.at)
}

func describeAlloc(words engine.Words) string {
	return fmt.Sprintf("%d bytes aligned %d", words[wordBytes], words[wordAlign]>>32)
}
