package nccl

import (
	"math/bits"

	"github.com/goshmem/goshmem/internal/ccl"
)

// shape fills in what a call is about, and finds what is wrong with the memory.
func (c *Comm) shape(call *ccl.Call, send, recv *ccl.Buffer) error {
	if call.Peer < 0 || call.Peer >= c.size {
		return c.beyond(call)
	}
	gives, takes := roles(call, c.rank)
	if gives {
		if err := c.memory(call, send, "send"); err != nil {
			return err
		}
		call.Send, call.Held[0] = send.Addr, send.Held
	}
	if takes {
		if err := c.memory(call, recv, "recv"); err != nil {
			return err
		}
		call.Recv, call.Held[1] = recv.Addr, recv.Held
	}
	if gives && takes {
		if err := c.fit(call, send, recv); err != nil {
			return err
		}
	}
	return c.measure(call, send, recv)
}

func (c *Comm) beyond(call *ccl.Call) error {
	what := "root"
	if !call.Kind.Rooted() {
		what = "peer"
	}
	return problem(ErrArgument, "%s %d: this communicator has ranks 0 to %d", what, call.Peer, c.size-1)
}

// roles says whether a rank gives memory of its own, and takes into some.
func roles(call *ccl.Call, rank int) (gives, takes bool) {
	root := rank == call.Peer
	switch call.Kind {
	case ccl.Send:
		return true, false
	case ccl.Recv:
		return false, true
	case ccl.Broadcast, ccl.Scatter:
		return root, true
	case ccl.Reduce, ccl.Gather:
		return true, root
	}
	return true, true
}

// memory says what is wrong with a buffer by itself.
func (c *Comm) memory(call *ccl.Call, b *ccl.Buffer, which string) error {
	switch {
	case b.Err != nil:
		return b.Err
	case b.Elem == 0:
		return problem(ErrArgument, "%s is Nothing: this rank needs memory", which)
	case b.Held != nil && c.lib.Name() != nameHost:
		return problem(ErrArgument, "%s is a Go slice, which only the host library takes: use gpu.Alloc, or gpu.AllocPinned", which)
	case b.Platform != "" && (b.Platform != c.device.Platform() || b.Device >= 0 && b.Device != c.device.Index()):
		return problem(ErrArgument, "%s is memory of %s:%d: the communicator is on %v", which, b.Platform, b.Device, c.device)
	}
	return nil
}

// fit says what is wrong with two buffers together.
func (c *Comm) fit(call *ccl.Call, send, recv *ccl.Buffer) error {
	if send.Type != recv.Type || send.Elem != recv.Elem {
		return problem(ErrArgument, "send has elements of %s, recv of %s: both need the same type", name(send), name(recv))
	}
	a, b := send.Count, recv.Count
	switch call.Kind {
	case ccl.AllGather, ccl.Gather:
		a *= c.size
	case ccl.ReduceScatter, ccl.Scatter:
		b *= c.size
	case ccl.AllToAllV:
		return nil
	}
	if a != b {
		return problem(ErrArgument, "send has %d elements and recv %d: with %d ranks %s", send.Count, recv.Count, c.size, relation(call.Kind))
	}
	return c.overlap(call, send, recv)
}

func name(b *ccl.Buffer) string {
	if b.Type.Valid() {
		return b.Type.String()
	}
	return "another type"
}

func relation(k ccl.Kind) string {
	switch k {
	case ccl.AllGather, ccl.Gather:
		return "recv is as many times as long as send"
	case ccl.ReduceScatter, ccl.Scatter:
		return "send is as many times as long as recv"
	}
	return "both are as long"
}

// overlap refuses memory that is shared otherwise than in place.
func (c *Comm) overlap(call *ccl.Call, send, recv *ccl.Buffer) error {
	sendBytes, recvBytes := uintptr(send.Count)*send.Elem, uintptr(recv.Count)*recv.Elem
	if send.Addr+sendBytes <= recv.Addr || recv.Addr+recvBytes <= send.Addr || sendBytes == 0 {
		return nil
	}
	mine := uintptr(c.rank)
	inPlace := send.Addr == recv.Addr
	switch call.Kind {
	case ccl.AllGather, ccl.Gather:
		inPlace = send.Addr == recv.Addr+mine*sendBytes
	case ccl.ReduceScatter, ccl.Scatter:
		inPlace = recv.Addr == send.Addr+mine*recvBytes
	case ccl.AllToAll:
		inPlace = false
	}
	if inPlace {
		return nil
	}
	if call.Kind == ccl.AllToAll {
		return problem(ErrArgument, "send and recv share memory: this call has no form in place")
	}
	return problem(ErrArgument, "send and recv share memory, and not in the way that this call has in place: %s", inPlaceForm(call.Kind))
}

func inPlaceForm(k ccl.Kind) string {
	switch k {
	case ccl.AllGather, ccl.Gather:
		return "send is this rank's part of recv"
	case ccl.ReduceScatter, ccl.Scatter:
		return "recv is this rank's part of send"
	}
	return "both are the same memory"
}

// measure counts elements as the library does. Types that it does not have are moved as
// bytes.
func (c *Comm) measure(call *ccl.Call, send, recv *ccl.Buffer) error {
	b := send
	switch call.Kind {
	case ccl.Broadcast, ccl.ReduceScatter, ccl.Scatter, ccl.Recv:
		b = recv
	}
	elements := b.Count
	if call.Kind == ccl.AllToAll {
		if elements%c.size != 0 {
			return problem(ErrArgument, "%d elements cannot be shared out among %d ranks: their number is a multiple of it", elements, c.size)
		}
		elements /= c.size
	}
	call.Count, call.Type = elements, b.Type
	if b.Type.Valid() {
		return c.has(call)
	}
	if call.Kind.Reduces() {
		return problem(ErrArgument, "elements of this type cannot be combined: 8, 32 and 64-bit integers, float32, float64 and the types of package dtype can")
	}
	high, low := bits.Mul64(uint64(elements), uint64(b.Elem))
	if high != 0 || low > 1<<62 {
		return problem(ErrArgument, "%d elements of %d bytes are too many", elements, b.Elem)
	}
	call.Count, call.Type = int(low), ccl.Uint8
	return nil
}

// has says whether the loaded version, and the device, have the type.
func (c *Comm) has(call *ccl.Call) error {
	switch {
	case !call.Type.Eight():
		return nil
	case c.lib.Name() == nameNCCL && c.lib.Version() < 22400:
		return problem(ErrUnsupported, "%v came with NCCL 2.24, and this is %s", call.Type, describe(c.lib).Version)
	case call.Kind.Reduces() && !c.eight:
		return problem(ErrUnsupported, "%v cannot combine %v: compute capability 9.0 is needed", c.device, call.Type)
	}
	return nil
}

// operation fills in the operation, which must be of this communicator and of the type.
func (c *Comm) operation(call *ccl.Call, op Op) error {
	if !call.Kind.Reduces() {
		return nil
	}
	call.Op = op.library()
	if op >= Sum && op <= Avg {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.resources {
		p, ok := r.(*PreMulSum)
		switch {
		case !ok || p.op != op:
		case p.t != call.Type:
			return problem(ErrArgument, "the operation is one of %v, and the elements are %v", p.t, call.Type)
		default:
			return nil
		}
	}
	return problem(ErrArgument, "operation %d is none of this communicator, or closed", int64(op))
}

// bias fills in what is added.
func (c *Comm) bias(call *ccl.Call, recv, bias *ccl.Buffer) error {
	if err := c.memory(call, bias, "bias"); err != nil {
		return err
	}
	if bias.Type != recv.Type || bias.Count != recv.Count {
		return problem(ErrArgument, "bias has %d elements of %s, recv has %d of %s", bias.Count, name(bias), recv.Count, name(recv))
	}
	call.Bias, call.Held[2] = bias.Addr, bias.Held
	return nil
}

// counts checks what goes where, and turns it into bytes where the type asks for it.
func (c *Comm) counts(call *ccl.Call, send, recv *ccl.Buffer) error {
	v := call.Counts
	if v == nil || len(v.Send) != c.size || len(v.SendAt) != c.size || len(v.Recv) != c.size || len(v.RecvAt) != c.size {
		return problem(ErrArgument, "Counts need four lists of %d numbers, one for each rank", c.size)
	}
	for peer := range c.size {
		if !within(v.SendAt[peer], v.Send[peer], send.Count) {
			return problem(ErrArgument, "rank %d would get %d elements from %d on of send, which has %d", peer, v.Send[peer], v.SendAt[peer], send.Count)
		}
		if !within(v.RecvAt[peer], v.Recv[peer], recv.Count) {
			return problem(ErrArgument, "of rank %d would come %d elements from %d on of recv, which has %d", peer, v.Recv[peer], v.RecvAt[peer], recv.Count)
		}
	}
	if v.Send[c.rank] != v.Recv[c.rank] {
		return problem(ErrArgument, "this rank gives itself %d elements and expects %d", v.Send[c.rank], v.Recv[c.rank])
	}
	if !send.Type.Valid() {
		call.Counts = &Counts{Send: times(v.Send, send.Elem), SendAt: times(v.SendAt, send.Elem), Recv: times(v.Recv, send.Elem), RecvAt: times(v.RecvAt, send.Elem)}
	}
	call.Count = 0
	return c.apart(send, recv)
}

func within(at, n, of int) bool { return at >= 0 && n >= 0 && at <= of && n <= of-at }

func times(list []int, n uintptr) []int {
	all := make([]int, len(list))
	for i, v := range list {
		all[i] = v * int(n)
	}
	return all
}

// apart refuses shared memory.
func (c *Comm) apart(send, recv *ccl.Buffer) error {
	if send.Count == 0 || recv.Count == 0 {
		return nil
	}
	if send.Addr < recv.Addr+uintptr(recv.Count)*recv.Elem && recv.Addr < send.Addr+uintptr(send.Count)*send.Elem {
		return problem(ErrArgument, "send and recv share memory: this call has no form in place")
	}
	return nil
}
