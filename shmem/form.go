package shmem

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// form is what all members of a collective must have been asked alike.
type form struct {
	kind     engine.Kind
	reduces  bool // op and elem mean something
	op       reduce.Op
	elem     reduce.Type // of a reduction
	size     uintptr     // bytes of an element
	root     int         // noRoot if there is none
	n        int         // elements of each member
	anything bool        // n may differ
	slices   bool        // of Go memory
	past     int         // what the roots of the collectives before were
}

const noRoot = -1

// word packs a form: two that differ give words that differ, unless the numbers are
// absurd. From the top: 5 bits for the kind, 7 for the low part of the size, 1 for slices,
// 11 for the root, 8 for operation and element or for the high part of the size, 32 for n.
//
// To the root the past is added: where roots wait for nobody, nobody reads what a member has
// that took itself for another root, and the next collective finds that out.
func (f form) word() uint64 {
	size := uint64(min(f.size, maxSize))
	w := uint64(f.kind)<<59 | uint64(f.root+1+f.past)&maxRoot<<40
	switch {
	case f.reduces:
		w |= uint64(f.op+1)<<36 | uint64(f.elem)<<32
	default:
		w |= size&0x7f<<52 | size>>7<<32
	}
	if f.slices {
		w |= ofSlices
	}
	if !f.anything {
		w |= uint64(uint32(f.n))
	}
	return w
}

// maxRoot is the mask of a root.
const maxRoot = 0x7ff

// since is the past of the collective after this one.
func (f form) since() int {
	if f.root == noRoot {
		return f.past
	}
	return (f.past*31 + f.root + 1) & maxRoot
}

// ofSlices is the bit for slices.
const ofSlices = 1 << 51

// maxSize stands for all larger sizes of elements.
const maxSize = 1<<11 - 1

func reduces(kind engine.Kind) bool {
	return kind >= engine.KindReduce && kind <= engine.KindExScan
}

// describeForm is the form in the words of error messages, for a PE with this past.
func describeForm(word uint64, past int) string {
	kind, n, op := engine.Kind(word>>59), uint32(word), word>>36&0xf
	text := fmt.Sprintf("%v of %d elements of %d bytes", kind, n, word>>52&0x7f|word>>32&0xf<<7)
	switch {
	case reduces(kind) && op > 0:
		text = fmt.Sprintf("%v (%v) of %d %v", kind, reduce.Op(op-1), n, reduce.Type(word>>32&0xf))
	case kind == engine.KindCollect, kind == engine.KindAllToAllV:
		text = fmt.Sprintf("%v of elements of %d bytes", kind, word>>52&0x7f|word>>32&0xf<<7)
	}
	if word&ofSlices != 0 {
		text += " in slices"
	}
	if root := (word>>40 - uint64(past)) & maxRoot; root != 0 {
		text += fmt.Sprintf(", root %d", root-1)
	}
	return text
}

// slipOf returns what member i has arrived with, or an error if it was asked something
// else than this PE: then it means nothing here.
func (c *collective) slipOf(i int) (*engine.Slip, error) {
	slip := c.t.gate.Slip(i)
	if slip[0] == c.slip[0] {
		return slip, nil
	}
	return slip, c.differs(i, slip[0])
}

// compare is slipOf for all members.
func (c *collective) compare() error {
	for i := range c.t.members {
		if _, err := c.slipOf(i); err != nil {
			return err
		}
	}
	return nil
}

// differs is the error of two members that were asked different things.
func (c *collective) differs(i int, theirs uint64) error {
	site := c.call.Site
	if site == "" {
		site = engine.Site()
	}
	pe, at := c.t.members[i], ""
	if p := c.t.w.heap.Progress(pe); p.Call.Kind == c.call.Kind && p.Site != "" {
		at = " (" + p.Site + ")"
	}
	if c.form.root == noRoot && (theirs^c.slip[0])&^(maxRoot<<40) == 0 {
		return problem(ErrMismatch, "PE %d%s and PE %d named different roots in an earlier collective of this team (found in %v, %s)", pe, at, c.t.w.rank, c.call, site)
	}
	return problem(ErrMismatch, "PE %d asked for %s%s, PE %d for %s (%v, %s)", pe, describeForm(theirs, c.form.past), at, c.t.w.rank, describeForm(c.slip[0], c.form.past), c.call, site)
}
