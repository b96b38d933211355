package shmem

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/internal/engine"
)

// Free gives the memory of the whole allocation back, also if a is a slice of it.
// All PEs must free the same allocation. Using the array afterwards is ErrFreed,
// a second Free too. Blocking, collective over the world. OpenSHMEM: shmem_free.
func (a Array[T]) Free(ctx context.Context) error { return a.b.free(ctx) }

func (b *block) free(ctx context.Context) error {
	if b == nil {
		return fail(nil, "free", noPeer, problem(ErrArgument, "the zero value has no memory"))
	}
	w := b.w
	b = b.allocation()
	switch b.state.Load() {
	case freed:
		return w.refuse(ctx, "free", engine.KindFree, problem(ErrFreed, "freed twice, first%s", b.history()))
	case released, absent:
		return w.refuse(ctx, "free", engine.KindFree, b.ended())
	}
	return fail(w, "free", noPeer, w.free(ctx, b))
}

func (w *World) free(ctx context.Context, b *block) error {
	t := w.world
	if err := t.enter(ctx); err != nil {
		return err
	}
	defer t.exit()
	if err := w.quietAll(ctx); err != nil { // puts of this PE must not land in somebody's next block
		return err
	}
	call := t.call(engine.KindFree, engine.Site())
	mine := engine.Words{wordBytes: uint64(b.n), wordPlace: b.seq}
	if err := w.agree(ctx, call, mine, nil, describeFree); err != nil {
		return err
	}
	w.bury(b, call.Site)
	return w.giveBack(b)
}

func describeFree(words engine.Words) string {
	return fmt.Sprintf("alloc #%d (%d bytes)", words[wordPlace], words[wordBytes])
}
