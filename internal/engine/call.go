package engine

import "fmt"

// Kind names a call in which a PE can wait for others.
type Kind uint8

// The kinds, in the words of error messages.
const (
	None Kind = iota
	KindInit
	KindBarrier
	KindSync
	KindAlloc
	KindFree
	KindSplit
	KindDestroy
	KindWait
	KindQuiet
	KindLock
	KindBroadcast
	KindCollect
	KindFCollect
	KindAllToAll
	KindAllToAllV
	KindReduce
	KindAllReduce
	KindReduceScatter
	KindInScan
	KindExScan
	KindGather
	KindScatter
	KindStop // a fault that was asked for holds the PE
	KindFinalize
	KindSendReceive // of package nccl, whose worlds know no faults
)

var kindNames = [...]string{"nothing yet", "init", "barrier", "sync", "alloc", "free", "split", "destroy", "wait", "quiet", "lock", "broadcast", "collect", "fcollect", "alltoall", "alltoallv", "reduce", "allreduce", "reduce scatter", "inscan", "exscan", "gather", "scatter", "stop", "finalize", "send and receive"}

// String returns the kind in the words of error messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("call kind %d", uint8(k))
}

// Call is one entry into a waiting call: the Seq-th of its kind on a team.
type Call struct {
	Kind Kind
	Slot uint8  // team slot; 0 is the world; from OnStreams on those of the same teams on streams
	Seq  uint64 // from 1, counted per kind and team
	Site string // file:line, if the caller knows it already
}

// OnStreams is the first slot of gates at which teams meet in the order of streams. They
// have no stages and no rooms.
const OnStreams = 64

// String names the call: "barrier #12", "sync #3 of team 5 on streams".
func (c Call) String() string {
	text := fmt.Sprintf("%v #%d", c.Kind, c.Seq)
	if c.Kind == None || c.Seq == 0 {
		return c.Kind.String()
	}
	if team := c.Slot % OnStreams; team != 0 {
		text += fmt.Sprintf(" of team %d", team)
	}
	if c.Slot >= OnStreams {
		text += " on streams"
	}
	return text
}

// Pack puts a call into one word, so that a board entry is one store.
func (c Call) Pack(active bool) uint64 {
	w := uint64(c.Kind)<<56 | uint64(c.Slot)<<48 | c.Seq&(1<<47-1)
	if active {
		w |= 1 << 47
	}
	return w
}

// Unpack is the inverse of Pack.
func Unpack(w uint64) (c Call, active bool) {
	return Call{Kind: Kind(w >> 56), Slot: uint8(w >> 48), Seq: w & (1<<47 - 1)}, w>>47&1 == 1
}
