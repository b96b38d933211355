package conformance

import (
	"fmt"
	"strings"
)

// Program is a random program for a number of PEs whose result does not depend on
// how its PEs interleave: between two meetings each place of memory has one PE
// that may write it, or is only read, or is only updated by atomics that commute.
// Its operations are in one order in which they could run one after the other;
// each PE runs its own.
type Program struct {
	PEs   int
	teams [][3]int // start, stride, size
	ops   []op
	final [][]uint64 // what the memory of each PE holds in the end
}

// Memory of a program is cells: words of 8 bytes first, then single bytes. The
// right to write changes hands in blocks of them.
const (
	wordCells = 16
	cells     = 40
)

// extents are the first cells of the blocks, and the end.
func extents() []int { return []int{0, 4, 8, 12, 16, 24, 32, cells} }

// span is n cells of one PE, all words or all bytes.
type span struct{ pe, lo, n int }

func (s span) words() bool { return s.lo < wordCells }

func (s span) overlaps(t span) bool { return s.pe == t.pe && s.lo < t.lo+t.n && t.lo < s.lo+s.n }

// bounds are the span's elements in its array.
func (s span) bounds() (lo, hi int) {
	if s.words() {
		return s.lo, s.lo + s.n
	}
	return s.lo - wordCells, s.lo - wordCells + s.n
}

func (s span) String() string {
	lo, hi := s.bounds()
	kind := "bytes"
	if s.words() {
		kind = "words"
	}
	if s.n == 1 {
		return fmt.Sprintf("%s[%d] of PE %d", kind, lo, s.pe)
	}
	return fmt.Sprintf("%s[%d:%d] of PE %d", kind, lo, hi, s.pe)
}

// opKind is an operation of a program.
type opKind int

const (
	opSet opKind = iota // own cell
	opLook
	opPut // from an own span
	opPutNBI
	opPutSlice // from private memory
	opPutSliceNBI
	opP
	opGet // to an own span
	opGetNBI
	opGetSlice // to private memory
	opGetSliceNBI
	opG
	opAMO
	opPutSignal
	opSignalSet
	opSignalAdd
	opWait
	opFence
	opQuiet
	opBarrier
	opSync
	opBroadcast // to a span from another, or the same, on every PE
	opAllReduce
	opInScan
)

func opNames() []string {
	return []string{"set", "look at", "put to", "put nbi to", "put slice to", "put slice nbi to", "P", "get", "get nbi", "get slice from",
		"get slice nbi from", "G", "atomic", "put with signal to", "signal set", "signal add", "wait for signal", "fence", "quiet", "barrier", "sync", "broadcast to", "allreduce to", "inscan to"}
}

// amo is an atomic operation.
type amo int

const (
	amoAdd amo = iota // commutes with itself
	amoXor
	amoOr
	amoAnd
	amoFetchAdd
	amoFetchXor
	amoSet
	amoSwap
	amoCompareSwap
	amoFetch
	amos
)

func amoNames() []string {
	return []string{"add", "xor", "or", "and", "fetch add", "fetch xor", "set", "swap", "compare swap", "fetch"}
}

// fetches says whether a returns the old value, so is complete when it returns.
func (a amo) fetches() bool { return a >= amoFetchAdd && a != amoSet }

// apply returns what a leaves of old.
func (a amo) apply(old, v, cond uint64) uint64 {
	switch a {
	case amoAdd, amoFetchAdd:
		return old + v
	case amoXor, amoFetchXor:
		return old ^ v
	case amoOr:
		return old | v
	case amoAnd:
		return old & v
	case amoSet, amoSwap:
		return v
	case amoCompareSwap:
		if old == cond {
			return v
		}
	}
	return old
}

// op is one step of one PE, or a meeting of a team.
type op struct {
	kind   opKind
	pe     int // who does it; a meeting has a team instead
	team   int // of meetings: -1 is the world, others index Program.teams
	there  span
	here   span     // the own side of put, get and their kin
	values []uint64 // written, or awaited from a read
	amo    amo
	cond   uint64
	signal int // of opWait: whose signal; of opBroadcast: the root; else the PE that gets it
	count  uint64
}

func (o op) meeting() bool { return o.kind >= opBarrier }

func (o op) collective() bool { return o.kind >= opBroadcast }

func (o op) String() string {
	if o.collective() {
		return fmt.Sprintf("all: %s %v and so on, from %v and so on, root %d", opNames()[o.kind], o.there, o.here, o.signal)
	}
	if o.meeting() {
		if o.team < 0 {
			return "all: " + opNames()[o.kind]
		}
		return fmt.Sprintf("team %d: %s", o.team, opNames()[o.kind])
	}
	text := fmt.Sprintf("PE %d: %s", o.pe, opNames()[o.kind])
	if o.there.n > 0 {
		text += " " + o.there.String()
	}
	if o.kind == opAMO {
		text += fmt.Sprintf(" %s (compares %#x)", amoNames()[o.amo], o.cond)
	}
	if o.here.n > 0 {
		text += ", own " + o.here.String()
	}
	if len(o.values) > 0 {
		text += fmt.Sprintf(", values %#x", o.values)
	}
	if o.count > 0 {
		text += fmt.Sprintf(", signal with PE %d: %d", o.signal, o.count)
	}
	return text
}

// String lists the program, one operation a line.
func (p Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d PEs", p.PEs)
	for i, t := range p.teams {
		fmt.Fprintf(&b, "; team %d: start %d, stride %d, size %d", i, t[0], t[1], t[2])
	}
	b.WriteString("\n")
	for i, o := range p.ops {
		fmt.Fprintf(&b, "%4d  %v\n", i, o)
	}
	return b.String()
}

// members returns the PEs of a team; team -1 is the world.
func (p Program) members(team int) []int {
	start, stride, size := 0, 1, p.PEs
	if team >= 0 {
		start, stride, size = p.teams[team][0], p.teams[team][1], p.teams[team][2]
	}
	var list []int
	for i := range size {
		list = append(list, start+i*stride)
	}
	return list
}
