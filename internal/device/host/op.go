package host

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

type kind int

const (
	opNone kind = iota
	opCopy
	opFill
	opWrite
	opAwait
	opRecord
	opWait
	opLaunch
	opGraph
	opCall
	opTask
)

// op is an operation in a queue or in a graph.
type op struct {
	kind     kind
	dst, src uintptr
	n        uintptr
	keep     unsafe.Pointer // Go memory behind dst or src
	waits    bool           // the caller does, until it is done
	value    uint64
	width    int
	compare  device.Compare
	event    *event
	record   uint64 // which record of the event
	fn       *function
	shape    shape
	args     []uint64
	graph    *graph
	call     func(device.Turn) error
	again    bool // in a graph, so that it may happen any number of times
	task     Task
	started  bool // the task is
}

// set makes a slot of a queue this operation, and keeps the slot's memory for
// arguments.
func (o *op) set(from *op, args []uint64) {
	room := o.args[:0]
	*o = *from
	o.args = append(room, args...)
}

// do performs the operation, or after a fault only what others wait for. It returns
// a fault of its own.
func (o *op) do(s *stream, fault error) error {
	switch o.kind {
	case opRecord:
		o.event.happen(o.record, fault)
		return nil
	case opWait:
		return o.event.await(o.record)
	case opCall:
		return s.call(o.call, device.Turn{Again: o.again, Fault: fault})
	case opTask:
		return o.run(fault)
	}
	if fault != nil {
		return nil
	}
	switch o.kind {
	case opLaunch:
		return s.crew.launch(o.fn, o.shape, o.args)
	case opGraph:
		return o.graph.replay(s)
	}
	return o.touch(s.dev)
}

// touch does what needs memory to be there. If it is not, that is a fault.
func (o *op) touch(dev int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fail(dev, o.kind.String(), device.ErrFault, "%v", cause(r))
		}
	}()
	switch o.kind {
	case opCopy:
		move(mem.At[byte](o.dst, int(o.n)), mem.At[byte](o.src, int(o.n)))
	case opFill:
		fill(mem.At[byte](o.dst, int(o.n)*o.width), o.value, o.width)
	case opWrite:
		mem.Store(unsafe.Pointer(&mem.At[uint64](o.dst, 1)[0]), o.value)
	case opAwait:
		o.await()
	}
	return nil
}

// cause is what a panic is about; an address that nothing is at has no better text. Of one
// beyond all that programs have processors do not tell which it is.
func cause(panicked any) any {
	if at, ok := panicked.(interface{ Addr() uintptr }); ok {
		if at.Addr() == 0 {
			return "nothing can be at the address, which is 0x0 or so far off that the processor does not name it"
		}
		return fmt.Sprintf("nothing can be at the address %#x", at.Addr())
	}
	return panicked
}

// move copies; a small word in one piece, as copies of GPUs do.
func move(dst, src []byte) {
	if n := len(dst); n > 0 && n <= 8 {
		mem.Put(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), uintptr(n))
		return
	}
	copy(dst, src)
}

// fill writes the first element, and then what is there behind itself.
func fill(b []byte, value uint64, width int) {
	if len(b) == 0 {
		return
	}
	for i := range width {
		b[i] = byte(value >> (8 * i))
	}
	for n := width; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

const (
	looks    = 2000
	longest  = time.Millisecond
	shortest = time.Microsecond
)

// await looks at a word until it is as wanted: often at first, then at intervals that
// get longer, since it may be long, and another process may write it.
func (o *op) await() {
	p := unsafe.Pointer(&mem.At[uint64](o.src, 1)[0])
	for range looks {
		if o.holds(mem.Load64(p)) {
			return
		}
		mem.Pause()
	}
	for nap := shortest; !o.holds(mem.Load64(p)); nap = min(2*nap, longest) {
		runtime.Gosched()
		time.Sleep(nap)
	}
}

// holds compares a word.
func (o *op) holds(word uint64) bool {
	switch o.compare {
	case device.CompareEQ:
		return word == o.value
	case device.CompareAnd:
		return word&o.value != 0
	}
	return int64(word-o.value) >= 0
}

// String is what an operation is called in errors.
func (k kind) String() string {
	switch k {
	case opCopy:
		return "Copy"
	case opFill:
		return "Fill"
	case opWrite:
		return "WriteValue"
	case opAwait:
		return "WaitValue"
	}
	return fmt.Sprintf("operation %d", int(k))
}
