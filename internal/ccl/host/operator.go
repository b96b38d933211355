package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
)

// operation is one of the user's: elements are multiplied by a scalar, then added up.
type operation struct {
	of     ccl.Type
	scalar uint64  // the bytes of an element
	addr   uintptr // where it is to be read, if it is not known yet
	live   bool
}

// PreMulSum makes an operation.
func (c *Comm) PreMulSum(t ccl.Type, scalar []byte, addr uintptr) (ccl.Op, error) {
	const call = "ncclRedOpCreatePreMulSum"
	if err := c.usable(call); err != nil {
		return 0, err
	}
	if !t.Valid() || scalar != nil && uintptr(len(scalar)) != t.Size() || scalar == nil && addr == 0 {
		return 0, invalid(call, "a scalar of %d bytes for %v", len(scalar), t)
	}
	o := operation{of: t, addr: addr, live: true}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&o.scalar)), 8), scalar)
	if scalar != nil {
		o.addr = 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops = append(c.ops, o)
	return ccl.UserOps + ccl.Op(len(c.ops)-1), nil
}

// FreeOp ends an operation; calls that were made with it are done.
func (c *Comm) FreeOp(op ccl.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := int(op - ccl.UserOps)
	if i < 0 || i >= len(c.ops) || !c.ops[i].live {
		return invalid("ncclRedOpDestroy", "%d is no operation of this communicator", op)
	}
	c.ops[i].live = false
	return nil
}

// known says why a call cannot be made.
func (c *Comm) known(call *ccl.Call) error {
	switch {
	case !call.Type.Valid() || call.Count < 0:
		return invalid(names[call.Kind], "%d elements of type %d", call.Count, call.Type)
	case (call.Kind.Rooted() || call.Kind >= ccl.Send) && uint(call.Peer) >= uint(c.place.Size):
		return invalid(names[call.Kind], "rank %d: there are %d", call.Peer, c.place.Size)
	case call.Kind == ccl.AllToAllV && !fit(call.Counts, c.place.Size):
		return invalid(names[call.Kind], "counts are not of %d ranks", c.place.Size)
	case !call.Kind.Reduces() || call.Op >= 0 && call.Op < ccl.UserOps:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := int(call.Op - ccl.UserOps)
	if i < 0 || i >= len(c.ops) || !c.ops[i].live || c.ops[i].of != call.Type {
		return invalid(names[call.Kind], "%d is no operation of this communicator for %v", call.Op, call.Type)
	}
	return nil
}

// scale is the scalar of this rank, which may be in memory until the operation is done.
func (c *Comm) scale(op ccl.Op) (bits uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.ops[op-ccl.UserOps]
	if o.addr == 0 {
		return o.scalar
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&bits)), o.of.Size()), mem.At[byte](o.addr, int(o.of.Size())))
	return bits
}
