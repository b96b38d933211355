package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// What the fast paths of rma.go leave: errors, and PEs whose memory only the
// engine reaches.

// pair returns what is wrong with a transfer between a on pe and n local elements.
func (a Array[T]) pair(pe, n int, put bool) error {
	if err := a.usable(); err != nil {
		return err
	}
	if err := a.b.lane.checkPE(pe); err != nil {
		return err
	}
	switch {
	case n == a.n:
		return nil
	case put:
		return lengths(a.n, n)
	}
	return lengths(n, a.n)
}

// ends returns what is wrong with the two ends of a transfer between a on pe and local,
// their lengths aside.
func (a Array[T]) ends(local Array[T], pe int) error {
	if err := local.usable(); err != nil {
		return err
	}
	if err := a.pair(pe, a.n, true); err != nil {
		return err
	}
	if local.b.w != a.b.w {
		return problem(ErrForeign, "the two arrays belong to different worlds")
	}
	return nil
}

// both returns what is wrong with a transfer between two arrays.
func (a Array[T]) both(local Array[T], pe int, put bool) error {
	if err := a.ends(local, pe); err != nil {
		return err
	}
	return a.pair(pe, local.n, put)
}

func (a Array[T]) putOther(op string, src Array[T], pe int, nbi bool) error {
	if err := a.both(src, pe, true); err != nil || a.n == 0 {
		return fail(a.World(), op, pe, err)
	}
	put := a.b.lane.moves.Put
	if nbi {
		put = a.b.lane.moves.PutNBI
	}
	return fail(a.b.w, op, pe, put(a.b.lane.world(pe), a.off, src.here(), a.bytes()))
}

func (a Array[T]) putFrom(op string, src unsafe.Pointer, n, pe int) error {
	if err := a.pair(pe, n, true); err != nil || a.n == 0 {
		return fail(a.World(), op, pe, err)
	}
	return fail(a.b.w, op, pe, a.b.lane.moves.Put(a.b.lane.world(pe), a.off, src, a.bytes()))
}

func (a Array[T]) getOther(op string, src Array[T], pe int, nbi bool) error {
	if err := src.both(a, pe, false); err != nil || a.n == 0 {
		return fail(src.World(), op, pe, err)
	}
	get := src.b.lane.moves.Get
	if nbi {
		get = src.b.lane.moves.GetNBI
	}
	return fail(a.b.w, op, pe, get(src.b.lane.world(pe), a.here(), src.off, a.bytes()))
}

func (a Array[T]) farP(i int, v T, pe int) error {
	if err := a.reach(i, pe); err != nil {
		return fail(a.World(), "p", pe, err)
	}
	return fail(a.b.w, "p", pe, a.b.lane.moves.Put(a.b.lane.world(pe), a.offset(i), mem.Hide(unsafe.Pointer(&v)), sizeOf[T]()))
}

func (a Array[T]) farG(i, pe int) (v T, err error) {
	if err := a.reach(i, pe); err != nil {
		return v, fail(a.World(), "g", pe, err)
	}
	err = a.b.lane.moves.Get(a.b.lane.world(pe), mem.Hide(unsafe.Pointer(&v)), a.offset(i), sizeOf[T]())
	return v, fail(a.b.w, "g", pe, err)
}
