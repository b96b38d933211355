package shmem

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// form is what all members of a collective must have been asked alike.
type form struct {
	reduces  bool // op and elem mean something
	op       reduce.Op
	elem     reduce.Type // of a reduction
	size     uintptr     // bytes of an element
	root     int         // noRoot if there is none
	n        int         // elements of each member
	anything bool        // n may differ
}

const noRoot = -1

// word packs a form: two that differ give words that differ, unless the numbers are
// absurd.
func (f form) word() uint64 {
	w := uint64(f.size&0xff)<<56 | uint64(uint16(f.root+1))<<40
	if f.reduces {
		w |= uint64(f.op+1)<<36 | uint64(f.elem)<<32
	}
	if !f.anything {
		w |= uint64(uint32(f.n))
	}
	return w
}

// describeForm is the form in the words of error messages.
func describeForm(word uint64) string {
	text := fmt.Sprintf("%d elements of %d bytes", uint32(word), word>>56)
	if op := word >> 36 & 0xf; op != 0 {
		text = fmt.Sprintf("%v of %d %v", reduce.Op(op-1), uint32(word), reduce.Type(word>>32&0xf))
	}
	if root := word >> 40 & 0xffff; root != 0 {
		text += fmt.Sprintf(", root %d", root-1)
	}
	return text
}

// compare returns an error if member i was asked something else than this PE.
func (c *collective) compare(i int) error {
	theirs := c.t.gate.Slip(i)[0]
	if theirs == c.slip[0] {
		return nil
	}
	site := c.call.Site
	if site == "" {
		site = engine.Site()
	}
	pe, at := c.t.members[i], ""
	if p := c.t.w.heap.Progress(pe); p.Call.Kind == c.call.Kind && p.Site != "" {
		at = " (" + p.Site + ")"
	}
	return problem(ErrMismatch, "PE %d asked for %s%s, PE %d for %s (%v, %s)", pe, describeForm(theirs), at, c.t.w.rank, describeForm(c.slip[0]), c.call, site)
}
