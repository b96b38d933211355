package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrFault is the error of an operation that failed because it was asked to.
var ErrFault = errors.New("a fault that was asked for")

// Verb is what happens.
type Verb string

// The verbs.
const (
	Delay   Verb = "delay"
	Stop    Verb = "stop"
	Kill    Verb = "kill"
	Fail    Verb = "fail"
	Slow    Verb = "slow"
	Exhaust Verb = "exhaust"
	Lose    Verb = "lose"
)

// Op is a kind of operation, in the words of the text.
type Op string

// The operations that are no calls of the engine's meetings, and all of them.
const (
	Put    Op = "put"
	Get    Op = "get"
	Atomic Op = "atomic"
	Signal Op = "signal"
	Fence  Op = "fence"
	Quiet  Op = "quiet"
	Alloc  Op = "alloc"
	Any    Op = "any"
)

// Ops returns the operations, in the order of the documentation.
func Ops() []Op {
	return []Op{Put, Get, Signal, Atomic, "wait", "lock", Quiet, Fence, "init", "barrier", "sync", Alloc, "free", "split", "destroy", "finalize",
		"broadcast", "collect", "fcollect", "alltoall", "alltoallv", "reduce", "allreduce", "reducescatter", "inscan", "exscan", "gather", "scatter", Any}
}

// Fault is one fault. What its verb has no use for is zero.
type Fault struct {
	Verb Verb
	PE   int
	Op   Op
	N    int
	By   time.Duration
	Link [2]int
	Node int
	From string // the text that asked for it

	seeded bool
	seed   uint64
	upto   int
	given  []string // the keys that were
}

// keysOf returns which keys a verb needs to be complete, in the order in which they are
// written.
func keysOf(v Verb) []string {
	switch v {
	case Delay:
		return []string{"pe", "op", "n", "by"}
	case Stop, Kill, Fail:
		return []string{"pe", "op", "n"}
	case Slow:
		return []string{"link", "by"}
	case Exhaust:
		return []string{"pe", "n"}
	case Lose:
		return []string{"node", "op", "n"}
	}
	return nil
}

func verbs() []string {
	return []string{string(Delay), string(Stop), string(Kill), string(Fail), string(Slow), string(Exhaust), string(Lose)}
}

// String is the fault as one would type it, complete and without a seed.
func (f Fault) String() string {
	parts := []string{string(f.Verb)}
	for _, key := range keysOf(f.Verb) {
		parts = append(parts, key+"="+f.value(key))
	}
	return strings.Join(parts, " ")
}

func (f Fault) value(key string) string {
	switch key {
	case "pe":
		return fmt.Sprint(f.PE)
	case "op":
		return string(f.Op)
	case "n":
		return fmt.Sprint(f.N)
	case "by":
		return f.By.String()
	case "link":
		return fmt.Sprintf("%d-%d", f.Link[0], f.Link[1])
	}
	return fmt.Sprint(f.Node)
}

// Drawn says whether a seed had a part in it.
func (f Fault) Drawn() bool { return f.seeded }

// Takes says whether an operation of this kind is one that the fault counts.
func (f Fault) Takes(op Op) bool {
	switch {
	case !slices.Contains(keysOf(f.Verb), "op"):
		return false
	case f.Op == Any:
		return f.Verb != Fail || op != Fence
	}
	return f.Op == op
}

// Concerns says whether anything happens on a PE, on virtual nodes of so many PEs.
func (f Fault) Concerns(pe, nodeSize int) bool {
	switch f.Verb {
	case Slow:
		return pe == f.Link[0] || pe == f.Link[1]
	case Lose:
		return pe/nodeSize == f.Node
	}
	return pe == f.PE
}
