// Package engine is the seam between the public packages and the ways of moving
// symmetric data: what an engine must do (Heap, Gate), how it says whether it
// can run (Verdict), and how a stalled or broken world is described (Stall).
//
// Engines import this package and the leaves below it; they import neither the
// public packages nor each other.
package engine

import (
	"context"
	"slices"
	"time"
	"unsafe"
)

// Verdict says whether an engine can run here, and why (not).
type Verdict struct {
	OK     bool
	Reason string
}

// Engine is one way to run a world. Optional abilities are further interfaces
// (see Local) that the caller finds by type assertion.
type Engine interface {
	// Name is what GOSHMEM_ENGINE and error messages call it.
	Name() string
	// Probe says whether it can run on this machine. It changes nothing.
	Probe() Verdict
	// Open joins this process to a world. Collective over the job.
	Open(ctx context.Context, job Job) (Heap, error)
}

// Local is the ability to run all PEs of a world inside this process.
type Local interface {
	// OpenLocal returns one heap per PE, already joined.
	OpenLocal(n int, c Config) ([]Heap, error)
}

// Reluctant is the ability of an engine to say why it should run here only if it is asked
// for by name; "" if it need not be.
type Reluctant interface{ Reluctant() string }

// Near is the mark of an engine for the PEs of one machine. It says what can be done where
// there are more.
type Near interface{ Near() string }

// Sized is the ability of an engine to say how large heaps are that nobody has asked for.
type Sized interface{ DefaultHeap() uintptr }

// Spread is the ability of a heap to say how many nodes its PEs are on that share no memory.
type Spread interface {
	Nodes() int
	// Node is the number of a PE's node; virtual ones count, also where they share memory.
	Node(pe int) int
}

// Distant is the mark of a heap whose lanes every operation on a PE must go through,
// also where the PE has a Base, which is then for collectives and for views.
type Distant interface{ Distant() }

// Counting is the ability of a heap to see what a PE does on memory of a device, of which
// it does not move the data.
type Counting interface {
	// Around returns a lane that counts what goes through l.
	Around(l Lane) Lane
	// Exhausted counts an allocation, and returns why it must fail.
	Exhausted() error
}

// Domained is the ability of a lane to tell atomics of contexts of different teams
// apart, which need not be atomic to each other. It is told the team's PEs, nil for all.
type Domained interface{ Domain(pes []int) }

// Config is what all PEs of a world must agree on.
type Config struct {
	HeapSize uintptr       // bytes of each PE's symmetric heap
	Timeout  time.Duration // of waits whose context has no deadline
	NodeSize int           // not 0: PEs on different virtual nodes of so many PEs have no Base

	// Transport is how data goes to PEs of other virtual nodes: "" by memory of this machine
	// that they share all the same, UCX by what carries it to other machines.
	Transport string
}

// UCX is the transport to PEs that share no memory with this one.
const UCX = "ucx"

// Job tells an engine its place and how to reach the others before symmetric
// memory exists.
type Job struct {
	Config
	Rank, Size int
	LocalRank  int // number of this PE among those of its machine, which take turns with its devices
	// Machines has the number of the machine that each PE says it runs on, counted from
	// that of PE 0, which is 0. It is what they say, and proves nothing: PEs with equal
	// numbers run under one kernel, in one network namespace, and may share memory;
	// others may not be tried. nil: not known.
	Machines []int
	Exchange Exchange
}

// Several says whether PEs are known to run on more than one machine.
func (j Job) Several() bool { return len(j.Machines) > 0 && slices.Max(j.Machines) > 0 }

// Exchange is the little that an engine needs to find its peers.
type Exchange interface {
	// Broadcast copies root's buf into everybody's buf. All pass the same length.
	Broadcast(ctx context.Context, buf []byte, root int) error
	// Barrier returns when all have called it.
	Barrier(ctx context.Context) error
}

// Offset is a place in a symmetric heap: the same number on every PE.
type Offset = uintptr

// Lane moves data to the PEs of a world, those without a Base. What goes through one
// lane is ordered by its fences and completed by its quiets, and by no other's. PE
// numbers are the world's.
type Lane interface {
	// Put copies n bytes to pe; src may be reused when it returns. Put, PutSignal
	// and Get must not store their pointer in the heap: it may be into a stack.
	Put(pe int, dst Offset, src unsafe.Pointer, n uintptr) error
	// PutNBI is Put, but src must stay as it is until Quiet.
	PutNBI(pe int, dst Offset, src unsafe.Pointer, n uintptr) error
	// Get copies n bytes from pe; they are there when it returns.
	Get(pe int, dst unsafe.Pointer, src Offset, n uintptr) error
	// GetNBI is Get, but dst is valid only after Quiet.
	GetNBI(pe int, dst unsafe.Pointer, src Offset, n uintptr) error
	// PutSignal is Put followed by op on the 8-byte word at sig of the same PE,
	// which is never seen before the data.
	PutSignal(pe int, dst Offset, src unsafe.Pointer, n uintptr, sig Offset, op AMO) error
	// Atomic applies op to the word at at of pe and returns the old value, unless op is
	// blind: then it may be done later, before Quiet.
	Atomic(pe int, at Offset, op AMO) (uint64, error)
	// Fence orders earlier puts and atomics of this PE before later ones, per target.
	Fence()
	// Quiet returns when all puts, gets and atomics of this PE are complete.
	Quiet(ctx context.Context) error
}

// Heap is one PE's view of a world. All methods may be called from many
// goroutines at once. Its own Lane is the default one. Where Base is not nil the
// caller loads and stores through it by itself.
type Heap interface {
	Lane
	// NewLane returns another lane to the same PEs.
	NewLane() Lane
	Engine() string
	Rank() int
	NPEs() int
	// Size is the number of bytes in each PE's heap.
	Size() uintptr
	// Base is where pe's heap starts in this process; nil: not reachable by
	// load and store. The mapping stays until the process ends.
	Base(pe int) unsafe.Pointer
	// Commit gives [at, at+n) of the own heap memory that reads as zero.
	Commit(at Offset, n uintptr) error
	// Release takes the memory of a freed range back.
	Release(at Offset, n uintptr) error

	// Spin is how often a waiter should look by itself before it calls Wait, and
	// whether it should pause between looks.
	Spin() (looks int, pause bool)
	// Wait blocks until ready says so. ready is called often and must be cheap.
	Wait(ctx context.Context, call Call, ready func() bool) error
	// Ring wakes pe if it sleeps in Wait: after a signal, not after a put.
	Ring(pe int)
	// Gate makes the meeting point of a team. Local. The members must have
	// agreed on a free slot and on the highest Generation among them.
	Gate(slot int, members []int, generation uint64) Gate
	// Generation is the number of the latest meeting that this PE has entered
	// at any gate.
	Generation() uint64
	// Broken returns the error that every wait would end with now: the world has failed, or
	// a PE has died. Nil if all is well. Cheap.
	Broken() error
	// Note writes why this PE refuses a call, for the Progress that others read.
	Note(reason string)
	// Progress reads the board of pe: where it is, as far as can be known.
	Progress(pe int) Progress
	// Record keeps an operation of this PE for others to read.
	Record(r Record)
	// Records returns the latest operations of pe that were recorded, oldest first.
	Records(pe int) []Record
	// Fail ends the world: every wait of every PE returns an error with this
	// reason. An empty reason says that this PE only follows another's failure.
	// exit is Stays, Leaves or an exit code with which all processes are to exit.
	Fail(reason string, exit int)
	// Die kills PEs of this machine as a crash would; their ends say of what. A process
	// that is among them does not return; a goroutine PE does, and must end.
	Die(of string, pes []int)
	// Hang stops this PE as if it would never go on: a process until SIGCONT, a goroutine
	// PE until the world has ended, which is its error.
	Hang(call Call) error
	// Close leaves the world in good order, after the last meeting.
	Close() error
}

// What becomes of a process after Heap.Fail, if it does not ask all to exit with a
// code. Nobody is alarmed about a process that leaves until it has left: others that
// end because of it must not end before it.
const (
	Stays  = -1 // the process goes on; the waits of the others end now
	Leaves = -2 // the process exits at once; the waits of the others end then
)

// Words is what each member contributes to Gate.Gather.
type Words [4]uint64

// Gate is where the members of one team meet. One goroutine of a PE at a time.
type Gate interface {
	// Meet returns when every member has called it with a call of the same kind.
	Meet(ctx context.Context, call Call) error
	// Gather is Meet that also fills all with each member's words, in team order.
	Gather(ctx context.Context, call Call, mine Words, all []Words) error

	// The parts of a meeting, for collectives in which not everybody waits for
	// everybody: Open, Arrive, Await or nothing, Leave. An error of any of them
	// ends the meeting.

	// Open enters the next meeting. It waits only if somebody is many meetings behind:
	// what was staged and written so long ago must no longer be needed. It fails if
	// somebody was in an earlier one for something else, as far as that is known.
	Open(ctx context.Context, call Call) error
	// Slip is what member i comes with. The own may be written from Open to Arrive, others'
	// read from their being awaited to the next Open.
	Slip(i int) *Slip
	// Stage is more memory of member i for data of this meeting, StageSize bytes, to be
	// read like its slip; nil if it cannot be loaded and stored.
	Stage(i int) unsafe.Pointer
	// OwnStage is that of this PE, of which the first n bytes are to be written until Arrive.
	// There are fewer stages than slips: it waits as Open does.
	OwnStage(ctx context.Context, call Call, n uintptr) (unsafe.Pointer, error)
	// Room is memory behind each member's heap, at the same offset and of the same size
	// for all of them, for data that passes through this team. Local.
	Room() (at Offset, n uintptr)
	// Arrive tells the others that this PE is here, with its slip and its stage.
	Arrive(call Call)
	// Await returns when member i has arrived, All when all have, and fails if it
	// came for a call of another kind.
	Await(ctx context.Context, call Call, i int) error
	// Until waits inside a meeting, after Await, until ready, which is called often. It fails
	// as Await does, also if a member gives the meeting up.
	Until(ctx context.Context, call Call, ready func() bool) error
	// Leave ends the meeting for this PE.
	Leave(call Call)
	// Refuse ends the gate for everybody because this PE cannot go on with call:
	// the others' calls fail with the reason, but not a meeting before this one. For
	// use before Open or after it.
	Refuse(call Call, reason error)
}

// Slip is what a member has with it when it arrives.
type Slip [7]uint64

// All awaits every member.
const All = -1

// StageSize is how much a member can stage in a meeting.
const StageSize = 4096
