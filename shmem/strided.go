package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// stride is the way through an array of a transfer that does not take every element:
// blocks of equal size whose beginnings are step bytes apart.
type stride struct {
	at   unsafe.Pointer // of the first block; of the remote side: nil if only the engine gets there
	off  engine.Offset  // of the first block, of the remote side
	step int
}

// IPut copies n elements of this PE's copy of src, every srcStride-th, to pe's copy of
// a, every dstStride-th. It returns when src may be reused. Not collective. OpenSHMEM:
// shmem_iput.
func (a Array[T]) IPut(src Array[T], dstStride, srcStride, n, pe int) error {
	err := a.strided(src, pe, reach{dstStride, a.n}, reach{srcStride, src.n}, n)
	if err == nil {
		err = a.b.putStrided(a.remote(dstStride, pe), src.local(srcStride), sizeOf[T](), n, pe)
	}
	return fail(a.World(), "iput", pe, err)
}

// IGet copies n elements of pe's copy of src, every srcStride-th, to this PE's copy of
// a, every dstStride-th. The data is there when it returns. Not collective. OpenSHMEM:
// shmem_iget.
func (a Array[T]) IGet(src Array[T], dstStride, srcStride, n, pe int) error {
	err := src.strided(a, pe, reach{srcStride, src.n}, reach{dstStride, a.n}, n)
	if err == nil {
		err = src.b.getStrided(a.local(dstStride), src.remote(srcStride, pe), sizeOf[T](), n, pe)
	}
	return fail(src.World(), "iget", pe, err)
}

// reach is how far a strided transfer goes in an array of length elements.
type reach struct{ stride, length int }

func (r reach) check(n int) error {
	if n > 0 && r.stride < 1 {
		return problem(ErrArgument, "stride %d: must be at least 1", r.stride)
	}
	if n > 0 && (r.length == 0 || n-1 > (r.length-1)/r.stride) {
		return problem(ErrBounds, "%d elements with stride %d end past an array of %d", n, r.stride, r.length)
	}
	return nil
}

// strided returns what is wrong with a strided transfer between a on pe and local.
func (a Array[T]) strided(local Array[T], pe int, there, here reach, n int) error {
	if err := a.ends(local, pe); err != nil {
		return err
	}
	if n < 0 {
		return problem(ErrArgument, "%d elements: must not be negative", n)
	}
	if err := there.check(n); err != nil {
		return err
	}
	return here.check(n)
}

func (a Array[T]) local(step int) stride {
	return stride{at: a.here(), step: step * int(sizeOf[T]())}
}

func (a Array[T]) remote(step, pe int) stride {
	return stride{at: a.target(pe), off: a.off, step: step * int(sizeOf[T]())}
}

// plus is the way of other blocks: bytes further on, step bytes apart.
func (s stride) plus(bytes, step int) stride {
	if s.at != nil {
		s.at = unsafe.Add(s.at, bytes)
	}
	return stride{at: s.at, off: s.off + uintptr(bytes), step: step}
}

// putStrided copies n blocks of size bytes to pe.
func (b *block) putStrided(to, from stride, size uintptr, n, pe int) error {
	for i := range n {
		src := unsafe.Add(from.at, i*from.step)
		if to.at != nil {
			mem.Put(unsafe.Add(to.at, i*to.step), src, size)
		} else if err := b.lane.moves.Put(b.lane.world(pe), to.off+uintptr(i*to.step), src, size); err != nil {
			return err
		}
	}
	return nil
}

// getStrided copies n blocks of size bytes from pe.
func (b *block) getStrided(to, from stride, size uintptr, n, pe int) error {
	for i := range n {
		dst := unsafe.Add(to.at, i*to.step)
		if from.at != nil {
			mem.Get(dst, unsafe.Add(from.at, i*from.step), size)
		} else if err := b.lane.moves.Get(b.lane.world(pe), dst, from.off+uintptr(i*from.step), size); err != nil {
			return err
		}
	}
	return nil
}
