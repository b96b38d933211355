package ccl

import "unsafe"

// Kind is what a call does.
type Kind uint8

// The kinds of calls.
const (
	AllReduce Kind = iota
	AllReduceBias
	Broadcast
	Reduce
	AllGather
	ReduceScatter
	AllToAll
	AllToAllV
	Gather
	Scatter
	Send
	Recv
	Kinds // how many there are
)

var kindNames = [Kinds]string{"all-reduce", "all-reduce with bias", "broadcast", "reduce", "all-gather",
	"reduce-scatter", "all-to-all", "all-to-all-v", "gather", "scatter", "send", "receive"}

// String returns the kind in the words of error messages.
func (k Kind) String() string { return kindNames[k] }

// Reduces says whether calls of the kind combine elements, and have an Op.
func (k Kind) Reduces() bool {
	return k == AllReduce || k == AllReduceBias || k == Reduce || k == ReduceScatter
}

// Rooted says whether calls of the kind have a root, which is in Peer.
func (k Kind) Rooted() bool { return k == Broadcast || k == Reduce || k == Gather || k == Scatter }

// Call is a collective, a send or a receive of one rank. Memory is that of the
// communicator's device, or pinned, and long enough; it does not overlap but where the
// kind works in place, which it does where Send or Recv is the part of the other that
// belongs to this rank (AllReduce, Broadcast, Reduce: the same address).
type Call struct {
	Kind Kind
	Type Type
	Op   Op  // of kinds that reduce
	Peer int // root; the other rank of Send and Recv
	// Send and Recv are addresses; 0 where the rank has none: Recv of a Reduce or Gather
	// and Send of a Broadcast or Scatter on ranks that are not the root, the unused one of
	// Send and Recv.
	Send, Recv uintptr
	// Count is in elements, as NCCL counts: of what one rank gives to one other. That is the
	// whole of AllReduce, Broadcast, Reduce, Send and Recv, and the part of one rank in the
	// other kinds. 0 is possible. AllToAllV has Counts.
	Count  int
	Bias   uintptr // of AllReduceBias: Count elements that are added to the result
	Counts *Counts // of AllToAllV
	Stream uintptr // 0: the default stream of the device
	// Held is the Go memory that Send, Recv and Bias are addresses of, if they are: only the host
	// library gets such. It must hold on to it until the work is done.
	Held [3]unsafe.Pointer
}

// Counts say what each rank gives to, and gets from, this one: in elements, by rank. The
// library copies them before the call returns.
type Counts struct {
	Send, SendAt []int // how many for each rank, and where they begin
	Recv, RecvAt []int
}

// Copy makes c what from is, one word after the other: a processor waits when it is to read
// two words at once, as compilers have it do, that have just been written one by one.
func (c *Call) Copy(from *Call) {
	c.Kind, c.Type = from.Kind, from.Type
	c.Op, c.Peer, c.Count = from.Op, from.Peer, from.Count
	c.Send, c.Recv, c.Bias = from.Send, from.Recv, from.Bias
	c.Counts, c.Stream = from.Counts, from.Stream
	for i := range c.Held {
		c.Held[i] = from.Held[i]
	}
}

// Buffer is memory that collectives work on, as the types describe it that have it.
type Buffer struct {
	Addr     uintptr
	Count    int     // elements
	Type     Type    // NoType: none that can be combined; such memory is moved as bytes
	Elem     uintptr // bytes of an element
	Platform string  // of the device: "cuda", "hip", "host"; "" for Go memory and what nobody knows
	Device   int     // its number; -1: memory that all devices of the platform reach
	Held     unsafe.Pointer
	Err      error // why it cannot be used; the rest is then empty
}
