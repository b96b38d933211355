package perf

import (
	"errors"
	"fmt"
	"strings"
)

// Order is what a job of a comparison is told to measure, as a line of text:
//
//	OP SIZE AREA EVERY N
//
// Both sides get the same lines, so that their loops are the same. The answer is
// one line: the nanoseconds of all N operations together, or "error" and why.
type Order struct {
	Op    string // one of the Op constants
	Size  int    // bytes of one operation, a multiple of 8
	Area  int    // bytes over which the operations go round; Size: always the same place
	Every int    // operations between two calls of quiet
	N     int    // operations
}

// What can be ordered. Source of a put and target of a get are private memory.
const (
	OpPut         = "put"          // a block from private memory
	OpGet         = "get"          // a block to private memory
	OpP           = "p"            // one element from a register
	OpG           = "g"            // one element into a register
	OpFetchAdd    = "fetch_add"    // atomic
	OpCompareSwap = "compare_swap" // atomic, succeeds each time
	OpAdd         = "add"          // atomic, nothing comes back
	OpSeen        = "seen"         // two PEs hand a word to and fro with put and look at it; half of a round
	OpPingPong    = "pingpong"     // the same with p and wait_until
	OpBarrier     = "barrier_all"
	OpSync        = "sync_all"
)

// Collectives, of float32. Size is that of the whole: of the vector that is broadcast
// or reduced, of what FCollect makes, of the input of ReduceScatter, of what each PE
// has for all in AllToAll. Area is Size, and Every is 1.
const (
	OpBroadcast     = "broadcast"
	OpFCollect      = "fcollect"
	OpAllToAll      = "alltoall"
	OpAllReduce     = "allreduce"
	OpReduceScatter = "reducescatter"

	// Copied after one of these is for libraries with a symmetric heap: the vectors
	// are private, and are copied to the heap and back.
	Copied = ":c"

	// These are for package nccl on its host library: the vectors are in memory of platform
	// host, or in Go slices.
	OnDevice = ":d"
	InSlices = ":s"
)

// What a row says about its buffers.
const (
	Hot      = "hot"      // every operation has the same two blocks, which stay in the caches that they fit into
	Rotating = "rotating" // operations go round in two areas that fit into no cache
	Heap     = "heap"     // the vectors of a collective are in the symmetric heap
	Private  = "private"  // they are in private memory, copied to the heap and back
	Device   = "device"   // they are in memory of platform host, for package nccl
	Slices   = "slices"   // they are Go slices, for package nccl
)

// MostBytes is the largest Area: two of these are more than the last cache has.
const MostBytes = 64 << 20

// String is the line.
func (o Order) String() string {
	return fmt.Sprintf("%s %d %d %d %d", o.Op, o.Size, o.Area, o.Every, o.N)
}

// ParseOrder reads such a line. What the peers' order.h accepts, it accepts.
func ParseOrder(line string) (o Order, err error) {
	fields := strings.Fields(line)
	if len(fields) != 5 || len(line) > 100 {
		return o, fmt.Errorf("order %q: want OP SIZE AREA EVERY N", line)
	}
	o.Op = fields[0]
	for i, to := range []*int{&o.Size, &o.Area, &o.Every, &o.N} {
		if *to, err = number(fields[i+1]); err != nil {
			return o, fmt.Errorf("order %q: %w", line, err)
		}
	}
	if err = o.check(); err != nil {
		err = fmt.Errorf("order %q: %w", line, err)
	}
	return o, err
}

// number reads a positive number of at most 18 digits, which is what fits everywhere.
func number(text string) (n int, err error) {
	for _, c := range text {
		if c < '0' || c > '9' || n > 1e17 {
			return 0, fmt.Errorf("%q is not a number of at most 18 digits", text)
		}
		n = 10*n + int(c-'0')
	}
	return n, nil
}

func (o Order) check() error {
	switch {
	case len(o.Op) > 15:
		return errors.New("there is no operation with so long a name")
	case o.Size < 8 || o.Size%8 != 0:
		return errors.New("SIZE must be a positive multiple of 8")
	case o.Area < o.Size || o.Area > MostBytes || o.Area%o.Size != 0:
		return errors.New("AREA must be a multiple of SIZE, at most 64 MiB")
	case o.Every < 1 || o.N < 1:
		return errors.New("EVERY and N must be positive")
	}
	return nil
}
