package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// Put copies this PE's copy of src to pe's copy of a. Both have the same length. It
// returns when src may be reused; see the package comment for when the data is there.
// Not collective. OpenSHMEM: shmem_put.
func (a Array[T]) Put(src Array[T], pe int) error {
	to := a.target(pe)
	if to == nil || !src.alive() || src.b.w != a.b.w || src.n != a.n {
		return a.putOther("put", src, pe, false)
	}
	mem.Put(to, src.here(), a.bytes())
	return nil
}

// PutNBI is Put, but src must stay as it is until Quiet or Barrier. Not collective.
// OpenSHMEM: shmem_put_nbi.
func (a Array[T]) PutNBI(src Array[T], pe int) error {
	to := a.target(pe)
	if to == nil || !src.alive() || src.b.w != a.b.w || src.n != a.n {
		return a.putOther("put nbi", src, pe, true)
	}
	mem.Put(to, src.here(), a.bytes())
	return nil
}

// PutSlice is Put from ordinary Go memory. Not collective.
func (a Array[T]) PutSlice(src []T, pe int) error {
	to := a.target(pe)
	from := mem.Hide(unsafe.Pointer(unsafe.SliceData(src)))
	if to == nil || len(src) != a.n {
		return a.putFrom("put slice", from, len(src), pe)
	}
	mem.Put(to, from, a.bytes())
	return nil
}

// PutSliceNBI is PutNBI from ordinary Go memory. Not collective.
func (a Array[T]) PutSliceNBI(src []T, pe int) error {
	to := a.target(pe)
	if to == nil || len(src) != a.n {
		if err := a.pair(pe, len(src), true); err != nil || a.n == 0 {
			return fail(a.World(), "put slice nbi", pe, err)
		}
		return fail(a.b.w, "put slice nbi", pe, a.b.lane.moves.PutNBI(a.b.lane.world(pe), a.off, unsafe.Pointer(unsafe.SliceData(src)), a.bytes()))
	}
	mem.Put(to, unsafe.Pointer(unsafe.SliceData(src)), a.bytes())
	return nil
}

// Get copies pe's copy of src to this PE's copy of a. Both have the same length. The
// data is there when it returns. Not collective. OpenSHMEM: shmem_get.
func (a Array[T]) Get(src Array[T], pe int) error {
	from := src.target(pe)
	if from == nil || !a.alive() || a.b.w != src.b.w || src.n != a.n {
		return a.getOther("get", src, pe, false)
	}
	mem.Get(a.here(), from, a.bytes())
	return nil
}

// GetNBI is Get, but the data is there only after Quiet or Barrier. Not collective.
// OpenSHMEM: shmem_get_nbi.
func (a Array[T]) GetNBI(src Array[T], pe int) error {
	from := src.target(pe)
	if from == nil || !a.alive() || a.b.w != src.b.w || src.n != a.n {
		return a.getOther("get nbi", src, pe, true)
	}
	mem.Get(a.here(), from, a.bytes())
	return nil
}

// GetSlice copies pe's copy of a to dst, ordinary Go memory of the same length. Not
// collective.
func (a Array[T]) GetSlice(dst []T, pe int) error {
	from := a.target(pe)
	to := mem.Hide(unsafe.Pointer(unsafe.SliceData(dst)))
	if from == nil || len(dst) != a.n {
		if err := a.pair(pe, len(dst), false); err != nil || a.n == 0 {
			return fail(a.World(), "get slice", pe, err)
		}
		return fail(a.b.w, "get slice", pe, a.b.lane.moves.Get(a.b.lane.world(pe), to, a.off, a.bytes()))
	}
	mem.Get(to, from, a.bytes())
	return nil
}

// GetSliceNBI is GetSlice, but the data is there only after Quiet or Barrier. Not
// collective.
func (a Array[T]) GetSliceNBI(dst []T, pe int) error {
	from := a.target(pe)
	if from == nil || len(dst) != a.n {
		if err := a.pair(pe, len(dst), false); err != nil || a.n == 0 {
			return fail(a.World(), "get slice nbi", pe, err)
		}
		return fail(a.b.w, "get slice nbi", pe, a.b.lane.moves.GetNBI(a.b.lane.world(pe), unsafe.Pointer(unsafe.SliceData(dst)), a.off, a.bytes()))
	}
	mem.Get(unsafe.Pointer(unsafe.SliceData(dst)), from, a.bytes())
	return nil
}

// P writes v to element i of pe's copy. Not collective. OpenSHMEM: shmem_p.
func (a Array[T]) P(i int, v T, pe int) error {
	p := a.word(i, pe)
	if p == nil {
		return a.farP(i, v, pe)
	}
	mem.Store(p, v)
	return nil
}

// G reads element i of pe's copy. Not collective. OpenSHMEM: shmem_g.
func (a Array[T]) G(i, pe int) (v T, err error) {
	p := a.word(i, pe)
	if p == nil {
		return a.farG(i, pe)
	}
	return mem.Load[T](p), nil
}

// target is where pe's copy of the array starts; nil if anything is unusual.
func (a Array[T]) target(pe int) unsafe.Pointer {
	b := a.b
	if b == nil || b.state.Load() != live || uint(pe) >= uint(len(b.bases)) {
		return nil
	}
	base := b.bases[pe]
	if base == nil {
		return nil
	}
	return unsafe.Add(base, a.off)
}
