package shmem

import "unsafe"

// runs is how a transfer between two layouts of one shape goes: runs of bytes that are
// contiguous on both sides, as long as can be, in loops around them. Loop 0 is the
// innermost.
type runs struct {
	size   uintptr // bytes of a run
	loops  int
	n      [MaxDims]int // rounds of each loop
	to, by [MaxDims]int // bytes from one round to the next, in the destination and in the source
	round  [MaxDims]int
	toAt   int // where the loops stand, in bytes from the first element
	byAt   int
}

// between makes of the zero runs those of a transfer of elements of size bytes. There is
// at least one.
func (r *runs) between(dst, src *layout, size uintptr) {
	r.size = size
	for i := dst.dims - 1; i >= 0; i-- {
		if dst.shape[i] != 1 {
			r.nest(dst.shape[i], dst.strides[i]*int(size), src.strides[i]*int(size))
		}
	}
	r.merge()
}

// nest adds a loop so that the densest in the destination stays innermost: what both
// sides have transposed is as contiguous as what neither has.
func (r *runs) nest(n, to, by int) {
	i := r.loops
	for ; i > 0 && r.to[i-1] > to; i-- {
		r.n[i], r.to[i], r.by[i] = r.n[i-1], r.to[i-1], r.by[i-1]
	}
	r.n[i], r.to[i], r.by[i] = n, to, by
	r.loops++
}

// merge makes one of neighbouring loops that go on, on both sides, where the inner one
// ends. What begins as a run of one element grows the same way.
func (r *runs) merge() {
	all := r.loops
	r.loops = 0
	for i := range all {
		n, to, by, in := r.n[i], r.to[i], r.by[i], r.loops-1
		switch {
		case in < 0 && to == int(r.size) && by == int(r.size):
			r.size *= uintptr(n)
		case in >= 0 && to == r.n[in]*r.to[in] && by == r.n[in]*r.by[in]:
			r.n[in] *= n
		default:
			r.n[in+1], r.to[in+1], r.by[in+1] = n, to, by
			r.loops++
		}
	}
	if r.loops == 0 {
		r.n[0], r.loops = 1, 1
	}
}

// next goes on to the next round of the loops around the innermost, false after the last.
func (r *runs) next() bool {
	for i := 1; i < r.loops; i++ {
		r.toAt, r.byAt = r.toAt+r.to[i], r.byAt+r.by[i]
		if r.round[i]++; r.round[i] < r.n[i] {
			return true
		}
		r.toAt, r.byAt = r.toAt-r.n[i]*r.to[i], r.byAt-r.n[i]*r.by[i]
		r.round[i] = 0
	}
	return false
}

// putRuns copies all runs to pe.
func (b *block) putRuns(to, from stride, r *runs, pe int) error {
	for {
		err := b.putStrided(to.plus(r.toAt, r.to[0]), from.plus(r.byAt, r.by[0]), r.size, r.n[0], pe)
		if err != nil || !r.next() {
			return err
		}
	}
}

// getRuns copies all runs from pe.
func (b *block) getRuns(to, from stride, r *runs, pe int) error {
	for {
		err := b.getStrided(to.plus(r.toAt, r.to[0]), from.plus(r.byAt, r.by[0]), r.size, r.n[0], pe)
		if err != nil || !r.next() {
			return err
		}
	}
}

// outRuns copies all runs of this PE's own copy, which are within so many bytes from an
// offset on, to Go memory. From a device these come as a whole.
func (b *block) outRuns(to stride, off, within uintptr, r *runs) error {
	own, err := b.w.bytesAt(off, within)
	if err != nil {
		return err
	}
	return b.getRuns(to, stride{at: unsafe.Pointer(unsafe.SliceData(own))}, r, noPeer)
}

// inRuns copies all runs from Go memory to this PE's own copy. To a device each goes by
// itself: what is between them must stay.
func (b *block) inRuns(off uintptr, from stride, r *runs) error {
	if b.far == nil {
		return b.putRuns(stride{at: unsafe.Add(b.own, off)}, from, r, noPeer)
	}
	for {
		to, by := off+uintptr(r.toAt), unsafe.Add(from.at, r.byAt)
		for i := range r.n[0] {
			if err := b.far.in(to+uintptr(i*r.to[0]), unsafe.Add(by, i*r.by[0]), r.size); err != nil {
				return err
			}
		}
		if !r.next() {
			return nil
		}
	}
}
