package engine

import (
	"context"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/reduce"
)

// Devised is the ability of a heap whose symmetric memory belongs to a device. Such a
// heap still has memory of its own, for meetings, boards and rooms; arrays are on the
// device.
type Devised interface{ Device() Device }

// Device is symmetric memory on devices, as one PE sees it: what operations of a world
// go through whose arrays are not in its heap. PE numbers are the world's, offsets are
// into this memory.
//
// Where a method takes an unsafe.Pointer it is the address of Go memory, of pinned
// memory, or of device memory, which is told by the address. Methods without a stream
// return when what they promise is done; they neither complete nor order what is queued
// on streams. Methods with a stream return when their work is queued; the zero handle is
// the default stream.
//
// Every wait of a stream is released when the world fails, a PE dies or the world's
// time-out is over; then Wait and Broken of the heap tell why, and what the stream did is
// worth nothing. Where a library of a vendor waits, nothing can be released: see Poisoned.
type Device interface {
	Lane
	// NewLane returns another lane to the same PEs.
	NewLane() Lane
	// Size is the number of bytes of each PE's memory.
	Size() uintptr
	// Driver drives the device with the number, where this PE's memory is.
	Driver() (device.Driver, int)
	// Address is where pe's memory begins for copies and kernels of this PE's device; 0 if
	// they cannot get there. The own one is never 0.
	Address(pe int) device.Ptr
	// Commit makes [at, at+n) of the own memory read as zero, and Release gives it back.
	Commit(at Offset, n uintptr) error
	Release(at Offset, n uintptr) error
	// Load reads a word of 1, 2, 4 or 8 bytes of the own memory as it is now, also while
	// streams are busy. What is read later is not older.
	Load(at Offset, width int) (uint64, error)
	// Finish returns when all that is queued on a stream is done, with a fault of it. It
	// ends with the world, and with ctx.
	Finish(ctx context.Context, call Call, s device.Handle) error

	Streams
	// World is the meeting point of all PEs. NewGroup makes that of a part of parent's
	// members, whose numbers in the world are start, start+stride and so on in parent's
	// numbering: all members of parent call it alike, and those that are not in the new one
	// get nil. slot is the new team's.
	World() Group
	NewGroup(ctx context.Context, parent Group, slot, start, stride, size int) (Group, error)

	// Close gives the memory back, after the last meeting.
	Close() error
}

// Poisoned is the ability of a device to say that a library call has not come back, so
// that nothing of the library can be used again in this process. Nil: all is well.
type Poisoned interface{ Poisoned() error }

// Streams are operations in the order of a stream of the PE's device.
type Streams interface {
	PutOn(s device.Handle, pe int, dst Offset, src device.Ptr, n uintptr) error
	GetOn(s device.Handle, pe int, dst device.Ptr, src Offset, n uintptr) error
	// PutSignalOn is PutOn followed by op on the word at sig of the same PE.
	PutSignalOn(s device.Handle, pe int, dst Offset, src device.Ptr, n uintptr, sig Offset, op AMO) error
	// SignalOn does op, a set or an add of 8 bytes, on the word at sig of pe.
	SignalOn(s device.Handle, pe int, sig Offset, op AMO) error
	// WaitOn has later work wait until the own word at at compares with v.
	WaitOn(s device.Handle, at Offset, c Compare, v uint64) error
	// QuietOn has later work wait until what this stream has put is there.
	QuietOn(s device.Handle) error
}

// Compare is a comparison of a word in memory with a given one, as signed numbers where it
// matters, numbered as in rocSHMEM.
type Compare uint8

// The comparisons.
const (
	CompareEQ Compare = iota
	CompareNE
	CompareGT
	CompareGE
	CompareLT
	CompareLE
)

// Group is where the members of a team meet in the order of streams. All members call its
// methods alike and in the same order; arguments are compared by nobody. On several
// streams that must also be the order in which they happen: have these wait for each other.
type Group interface {
	// BarrierOn has later work wait until all members' streams have come here, and what
	// they had put is there. SyncOn completes no puts.
	BarrierOn(s device.Handle) error
	SyncOn(s device.Handle) error
	// CollectiveOn does a collective.
	CollectiveOn(s device.Handle, c *Collective) error
	// Close ends the group, for all members. What is queued must be done.
	Close(ctx context.Context) error
}

// Collective is what all members do. Dst and Src are where the arrays begin.
type Collective struct {
	Kind     Kind   // KindBroadcast, KindFCollect, KindAllToAll, KindAllReduce, KindReduce or KindReduceScatter
	Root     int    // in the group's numbering, of a broadcast or reduce
	Dst, Src Offset // the own ones
	// Bytes are those that one member gives to one other: of the whole array of a broadcast
	// and of a reduction to all or one, of a part elsewhere.
	Bytes uintptr
	Elem  reduce.Type // of reductions
	Op    reduce.Op
	// Exact asks for what package reduce makes of the members' elements from the first to
	// the last, bit for bit, zeros and NaNs included. An engine that cannot promise that
	// says device.ErrUnsupported; without it the order is the engine's.
	Exact bool
}
