package shmem_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestLaneTexts holds the whole messages of contexts, strided transfers, released
// arrays and objects, as PE 3 of 4 reads them.
func TestLaneTexts(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 4, badOptions(), func(ctx context.Context, w *shmem.World) error {
		contextTexts(t, ctx, w)
		stridedTexts(t, ctx, w)
		releaseTexts(t, ctx, w)
		objectTexts(t, ctx, w)
		return nil
	}))
}

// texts holds errors to their texts.
func texts(t *testing.T, all map[string]error) {
	t.Helper()
	for want, err := range all {
		exactly(t, err, want)
	}
}

func contextTexts(t *testing.T, ctx context.Context, w *shmem.World) {
	a := must1(shmem.Alloc[int64](ctx, w, 4))(t)
	team := must1(w.Team().SplitStrided(ctx, 1, 2, 2, shmem.TeamConfig{}))(t)
	var noTeam *shmem.Team
	var none *shmem.CommContext
	gone := must1(w.NewContext(shmem.ContextOptions{Serialized: true}))(t)
	view := must1(a.Via(gone))(t)
	if gone.Team() != w.Team() || !gone.Options().Serialized || none.Team() != nil || none.Options() != (shmem.ContextOptions{}) {
		t.Error("a context does not know what it was made of")
	}
	must(t, gone.Destroy(ctx))
	must(t, none.Destroy(ctx))
	texts(t, map[string]error{
		"shmem: new context: the world is nil: use Main, Init or RunLocal":          second((*shmem.World)(nil).NewContext(shmem.ContextOptions{})),
		"shmem: new context: this PE is not a member of the team":                   second(noTeam.NewContext(shmem.ContextOptions{})),
		"shmem: via: the context is nil: use NewContext":                            second(a.Via(nil)),
		"shmem: via: the zero value has no memory: use Alloc or AllocSignal":        second(shmem.Array[int64]{}.Via(gone)),
		"shmem: via: the context was destroyed":                                     second(a.Via(gone)),
		"shmem: context fence: the context is nil: use NewContext":                  none.Fence(),
		"shmem: context quiet: the context is nil: use NewContext":                  none.Quiet(ctx),
		"shmem: context fence: the context was destroyed":                           gone.Fence(),
		"shmem: context quiet: the context was destroyed":                           gone.Quiet(ctx),
		"shmem: put: the context was destroyed":                                     view.Put(a, 0),
		"shmem: wait until: the context was destroyed":                              shmem.WaitUntil(ctx, view, 0, shmem.EQ, 0),
		"shmem: put: PE 4 out of range: this world has 4 PEs":                       a.Put(a, 4),
		"shmem: put signal: the zero value has no memory: use Alloc or AllocSignal": a.PutSignal(a, 0, shmem.Signal{}, shmem.SignalSet, 1),
	})
	if team != nil {
		teamContextTexts(t, ctx, w, team, a)
	}
	must(t, team.Destroy(ctx))
	must(t, a.Free(ctx))
}

// teamContextTexts: PEs are called by the numbers that the caller has used.
func teamContextTexts(t *testing.T, ctx context.Context, w *shmem.World, team *shmem.Team, a shmem.Array[int64]) {
	c := must1(team.NewContext(shmem.ContextOptions{}))(t)
	v := must1(a.Via(c))(t)
	err := v.Put(a, 2)
	exactly(t, err, "shmem: put: PE 2 out of range: this team has 2 PEs")
	wrong{is: shmem.ErrPE, op: "put", peer: 2}.in(w).check(t, err)
	wrong{is: shmem.ErrPE, op: "iget", peer: -1, text: "PE -1 out of range: this team has 2 PEs"}.in(w).check(t, a.IGet(v, 1, 1, 1, -1))
	wrong{is: shmem.ErrPE, op: "put signal nbi", peer: 3, text: "this team has 2 PEs"}.in(w).check(t, v.PutSignalNBI(a, 3, must1(shmem.SignalAt(must1(shmem.ObjectAt[uint64](w, addressOf(t, a), 1))(t), 0))(t), shmem.SignalSet, 1))
	var noContext context.Context
	must(t, c.Destroy(noContext))
}

// addressOf is where the own copy begins.
func addressOf(t *testing.T, a shmem.Array[int64]) uintptr {
	return reflect.ValueOf(must1(a.Local())(t)).Pointer()
}

func stridedTexts(t *testing.T, ctx context.Context, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	none := must1(a.Slice(3, 3))(t)
	texts(t, map[string]error{
		"shmem: iput: stride 0: must be at least 1":                           a.IPut(b, 0, 1, 2, 0),
		"shmem: iput: stride -3: must be at least 1":                          a.IPut(b, 1, -3, 2, 0),
		"shmem: iput: -1 elements: must not be negative":                      a.IPut(b, 1, 1, -1, 0),
		"shmem: iput: 3 elements with stride 4 end past an array of 8":        a.IPut(b, 4, 1, 3, 0),
		"shmem: iget: 9 elements with stride 1 end past an array of 8":        a.IGet(b, 1, 1, 9, 0),
		"shmem: iget: 1 elements with stride 2 end past an array of 0":        none.IGet(b, 2, 2, 1, 0),
		"shmem: iput: PE 9 out of range: this world has 4 PEs":                a.IPut(b, 1, 1, 0, 9),
		"shmem: iget: the zero value has no memory: use Alloc or AllocSignal": a.IGet(shmem.Array[int64]{}, 1, 1, 1, 0),
		"shmem: iput: the zero value has no memory: use Alloc or AllocSignal": a.IPut(shmem.Array[int64]{}, 1, 1, 1, 0),
	})
	must(t, a.IPut(b, 0, -5, 0, 0))
	freeAll(t, a, b, sig)
}

func releaseTexts(t *testing.T, ctx context.Context, w *shmem.World) {
	line := here(1)
	a := must1(shmem.Alloc[int64](ctx, w, 4))(t)
	from := fmt.Sprintf(" (allocated in alloc #%d, %s)", w.Leaks()[0].Seq, line)
	if w.MyPE() == 2 { // it alone has released what the others free
		line = here(1)
		must(t, a.Release())
		text := "PE 2 has released the array at " + line + from
		texts(t, map[string]error{"shmem: release: " + text: a.Release(), "shmem: p: " + text: a.P(0, 1, 0), "shmem: free: " + text: a.Free(ctx)})
	} else {
		err := a.Free(ctx)
		wrong{is: shmem.ErrMismatch, op: "free", peer: -1, text: "PE 2 refused free #"}.in(w).check(t, err)
		wrong{is: shmem.ErrMismatch, op: "free", peer: -1, text: "PE 2 has released the array at badinput_lane_test.go:"}.in(w).check(t, err)
		line = here(1)
		must(t, a.Release())
	}
	must(t, w.Barrier(ctx))
	b := must1(shmem.Alloc[int64](ctx, w, 1))(t) // takes it back
	text := "the array was freed at " + line + from
	texts(t, map[string]error{"shmem: release: " + text: a.Release(), "shmem: set: " + text: a.Set(0, 1)})
	exactly(t, a.Free(ctx), "shmem: free: freed twice, first at "+line+from)
	exactly(t, shmem.Array[int64]{}.Release(), "shmem: release: the zero value has no memory")
	line = here(1)
	must(t, b.Free(ctx))
	wrong{is: shmem.ErrFreed, op: "release", peer: -1, text: "the array was freed at " + line}.in(w).check(t, b.Release())
}

func objectTexts(t *testing.T, ctx context.Context, w *shmem.World) {
	line := here(1)
	a := must1(shmem.Alloc[int64](ctx, w, 4))(t)
	at, mem := addressOf(t, a), make([]int64, 4)
	seq := w.Leaks()[0].Seq
	must(t, shmem.Register(w, mem[1:3]))
	start := addressOf(t, must1(shmem.ObjectAt[int64](w, at, 4))(t))
	first := reflect.ValueOf(mem).Pointer()
	texts(t, map[string]error{
		"shmem: object at: the world is nil: use Main, Init or RunLocal":                                                        second(shmem.ObjectAt[int64](nil, at, 1)),
		"shmem: object at: -1 elements: the symmetric heap has 1048576 bytes":                                                   second(shmem.ObjectAt[int64](w, at, -1)),
		"shmem: object at: *int holds a pointer (ptr), which means nothing to another PE":                                       second(shmem.ObjectAt[*int](w, at, 1)),
		fmt.Sprintf("shmem: object at: address %#x is not aligned to the 8 bytes of the type", at+1):                            second(shmem.ObjectAt[int64](w, at+1, 1)),
		fmt.Sprintf("shmem: object at: 16 bytes at %#x end 8 bytes past the end of alloc #%d (32 bytes, %s)", at+24, seq, line): second(shmem.ObjectAt[int64](w, at+24, 2)),
		fmt.Sprintf("shmem: object at: address %#x (offset 32) is in no live allocation", at+32):                                second(shmem.ObjectAt[byte](w, at+32, 1)),
		fmt.Sprintf("shmem: object at: address 0x10 is not in this PE's symmetric heap, [%#x, %#x)", start, start+1<<20):        second(shmem.ObjectAt[byte](w, 16, 1)),
		"shmem: register: the world is nil: use Main, Init or RunLocal":                                                         shmem.Register(nil, mem),
		"shmem: unregister: the world is nil: use Main, Init or RunLocal":                                                       shmem.Unregister(nil, mem),
		"shmem: unregister all: the world is nil: use Main, Init or RunLocal":                                                   (*shmem.World)(nil).UnregisterAll(),
		"shmem: register: the memory is empty":                                                                                  shmem.Register[int64](w, nil),
		fmt.Sprintf("shmem: register: 32 bytes at %#x overlap with 16 registered bytes at %#x", first, first+8):                 shmem.Register(w, mem),
		fmt.Sprintf("shmem: unregister: no registered memory begins at %#x", first):                                             shmem.Unregister(w, mem),
	})
	must(t, w.Barrier(ctx))
	must(t, a.Free(ctx))
}
