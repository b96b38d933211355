package shmem

import "github.com/goshmem/goshmem/internal/engine"

// span is where an array is, without its type.
type span struct {
	b     *block
	off   engine.Offset
	bytes uintptr
}

func (a Array[T]) span() span { return span{a.b, a.off, a.bytes()} }

// fine says whether the array may be used with a team.
func (s span) fine(t *Team) bool { return s.b != nil && s.b.state.Load() == live && s.b.w == t.w }

// wrong returns why it may not.
func (s span) wrong() error {
	if err := (Array[byte]{b: s.b}).usable(); err != nil {
		return err
	}
	return problem(ErrForeign, "an array belongs to another world than the team")
}

// overlaps says whether two spans share a byte.
func (s span) overlaps(o span) bool {
	return s.bytes > 0 && o.bytes > 0 && s.off < o.off+o.bytes && o.off < s.off+s.bytes
}

// pair returns what is wrong with the arrays of a collective. They may share memory
// only if src begins at byte own of dst; never, if own is apart.
func (t *Team) pair(dst, src span, own uintptr) error {
	switch {
	case t == nil:
		return nil // begin says so
	case !dst.fine(t):
		return dst.wrong()
	case !src.fine(t):
		return src.wrong()
	case dst.overlaps(src) && (own == apart || src.off != dst.off+own):
		return problem(ErrArgument, "source and destination overlap")
	}
	return nil
}

const apart = ^uintptr(0)

// rooted adds what is wrong with a root.
func (t *Team) rooted(root int, err error) error {
	if err == nil && t != nil && (root < 0 || root >= len(t.members)) {
		return problem(ErrPE, "root %d out of range: the team has %d PEs", root, len(t.members))
	}
	return err
}

// times adds an error unless whole is part times the number of members.
func (t *Team) times(whole, part int, err error) error {
	if err == nil && t != nil && whole != part*len(t.members) {
		return problem(ErrLength, "%d elements for %d PEs with %d each: %d are needed", whole, len(t.members), part, part*len(t.members))
	}
	return err
}

// divided adds an error unless n is a multiple of the number of members.
func (t *Team) divided(n int, err error) error {
	if err == nil && t != nil && n%len(t.members) != 0 {
		return problem(ErrLength, "%d elements cannot be divided among %d PEs", n, len(t.members))
	}
	return err
}

// alike adds an error unless two lengths are equal.
func alike(dst, src int, err error) error {
	if err == nil && dst != src {
		return lengths(dst, src)
	}
	return err
}

// mine is the byte at which this PE's part of n bytes begins.
func (t *Team) mine(n uintptr) uintptr {
	if t == nil {
		return 0
	}
	return uintptr(t.me) * n
}
