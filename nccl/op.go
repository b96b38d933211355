package nccl

import (
	"slices"
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// PreMulSum is an operation that multiplies the elements of each rank by that rank's
// scalar, and adds them up: the sum of scalar × send over the ranks, whose scalars may
// differ. It belongs to one communicator and one type.
type PreMulSum struct {
	c  *Comm
	op Op
	t  DataType
}

// NewPreMulSum makes an operation of a scalar. It is copied. T is a type of the library's.
// Local. ncclRedOpCreatePreMulSum (2.11).
func NewPreMulSum[T any](c *Comm, scalar T) (*PreMulSum, error) {
	t, elem := ccl.TypeOf[T]()
	if !t.Valid() {
		return nil, c.fail(opPreMulSum, problem(ErrArgument, "a scalar of %d bytes that is none of the types of NCCL", elem))
	}
	return c.preMulSum(t, unsafe.Slice((*byte)(unsafe.Pointer(&scalar)), elem), 0)
}

// NewPreMulSumAt makes an operation of element 0 of x, in the memory of the communicator's
// device. Collectives read it when they run, so that x must stay, and may change between
// them. Local. ncclRedOpCreatePreMulSum (2.11).
func NewPreMulSumAt[T any](c *Comm, x gpu.Slice[T]) (*PreMulSum, error) {
	if err := c.usable(); err != nil {
		return nil, c.fail(opPreMulSum, err)
	}
	b, call := ccl.Buffer{}, ccl.Call{}
	x.CollectiveBuffer(&b)
	if err := c.memory(&call, &b, "scalar"); err != nil {
		return nil, c.fail(opPreMulSum, err)
	}
	if !b.Type.Valid() {
		return nil, c.fail(opPreMulSum, problem(ErrArgument, "a scalar that is none of the types of NCCL"))
	}
	return c.preMulSum(b.Type, nil, b.Addr)
}

const opPreMulSum = "pre-mul-sum"

func (c *Comm) preMulSum(t DataType, scalar []byte, addr uintptr) (*PreMulSum, error) {
	if err := c.absent(); err != nil {
		return nil, c.fail(opPreMulSum, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return nil, c.fail(opPreMulSum, err)
	}
	o, ok := c.c.(ccl.Operator)
	if !ok {
		return nil, c.fail(opPreMulSum, c.without("have operations of the user's"))
	}
	op, err := o.PreMulSum(t, scalar, addr)
	if err != nil {
		return nil, c.fail(opPreMulSum, err)
	}
	p := &PreMulSum{c: c, op: Op(c.number<<ownerShift) | Op(op), t: t}
	c.resources = append(c.resources, p)
	return p, nil
}

// Op is what reductions of the communicator take. Local.
func (p *PreMulSum) Op() Op { return p.op }

// Close ends the operation: calls that have returned are not concerned. The communicator's
// Close does so, too. More than once does no harm. Local. ncclRedOpDestroy.
func (p *PreMulSum) Close() error {
	if p == nil {
		return nil
	}
	return p.c.drop("close pre-mul-sum", p)
}

func (p *PreMulSum) release() error { return p.c.c.(ccl.Operator).FreeOp(p.op.library()) }

// drop releases something before the communicator does. There is none of the zero value.
func (c *Comm) drop(op string, r resource) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.resources, r)
	if i < 0 || c.state.Load() == closed {
		return nil
	}
	c.resources = slices.Delete(c.resources, i, i+1)
	return c.fail(op, c.begun(grouped(), op, r.release()))
}
