package gpu

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/device"
)

// KernelArg is an object that a kernel gets as an address: a [Slice], and what other
// packages of this module make of one.
type KernelArg interface {
	KernelArgument() device.Argument
}

// mostArgs is how many arguments a launch takes.
const mostArgs = 64

// room is for arguments, and the kinds of those of a kernel in Go.
const room = mostArgs + mostArgs/perWord

// launch is what the driver reads of a launch. It is used again: launches allocate
// nothing.
type launch struct {
	device.Launch
	words [room]uint64
	sizes [room]uintptr
	kinds [room]uint8 // reflect.Kind
	own   [mostArgs / perWord]uint64
	at    [room]unsafe.Pointer
}

// launches are those that are not in use.
var launches = sync.Pool{New: func() any {
	l := &launch{}
	for i := range l.words {
		l.at[i] = unsafe.Pointer(&l.words[i])
	}
	return l
}}

// Launch starts the kernel in a stream, with a shape and arguments: numbers (int32,
// uint32, int64, uint64, uintptr, float32, float64, smaller integers, the types of
// package dtype) and whatever is a [KernelArg], as its address. Their number and sizes
// are checked where the driver knows those of the parameters. It returns when the kernel
// is queued; a fault of it comes from a later call. CUDA: cuLaunchKernel; HIP:
// hipModuleLaunchKernel.
func (f *Function) Launch(s *Stream, shape Dims, args ...any) error {
	if f == nil {
		return fail(nil, "launch", problem(ErrArgument, "no kernel"))
	}
	l := launches.Get().(*launch)
	defer launches.Put(l)
	if err := f.launch(l, s, shape, args); err != nil {
		return fail(f.m.d, "launch "+f.name, err)
	}
	return nil
}

// launch starts the kernel with arguments, and behind them words of our own.
func (f *Function) launch(l *launch, s *Stream, shape Dims, args []any, own ...uint64) error {
	d := f.m.d
	if f.m.ended() {
		return problem(ErrClosed, "the module is closed")
	}
	h, err := s.On(d)
	if err != nil {
		return err
	}
	limits, err := d.limits()
	if err != nil {
		return err
	}
	if err := shape.fill(&l.Launch, limits, f.info); err != nil {
		return err
	}
	if f.m.goes {
		l.Shared = 0 // a Go function has variables instead
	} else if err := f.ask(l.Shared, limits); err != nil {
		return err
	}
	if err := f.take(l, args, own); err != nil {
		return err
	}
	return d.driver().Launch(d.index, f.h, &l.Launch, h)
}

// take copies the arguments to where the driver reads them.
func (f *Function) take(l *launch, args []any, own []uint64) error {
	params := f.info.Params
	if all := len(args) + len(own); all > mostArgs || params != nil && all != len(params) {
		most := mostArgs
		if params != nil {
			most = len(params)
		}
		return problem(ErrArgument, "%d arguments: the kernel has %d parameters", len(args), most-len(own))
	}
	for i := range args {
		if err := l.set(i, f.m.d, hidden(&args[i])); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		if params != nil && l.sizes[i] != params[i] {
			return problem(ErrArgument, "argument %d has %d bytes, its parameter %d", i, l.sizes[i], params[i])
		}
	}
	if f.m.goes {
		own = l.kindWords(len(args))
	}
	for i, w := range own {
		put(l, len(args)+i, w)
	}
	l.Args = l.at[:len(args)+len(own)]
	return nil
}

// hidden is what a points to, without the compiler seeing where from: it would place
// all arguments of all launches in the heap because of the call of a method that it
// does not know. Those methods are in this module and keep nothing.
func hidden(a *any) any {
	address := uintptr(unsafe.Pointer(a))
	return **(**any)(unsafe.Pointer(&address))
}

// set makes a value argument i.
func (l *launch) set(i int, d *Device, a any) error {
	if l.number(i, a) {
		return nil
	}
	k, ok := a.(KernelArg)
	if !ok {
		return problem(ErrArgument, "%T is neither a number of fixed size nor memory of this package (int: use int32 or int64)", a)
	}
	arg := k.KernelArgument()
	if err := d.reaches(arg); err != nil {
		return err
	}
	put(l, i, uintptr(arg.Ptr))
	return nil
}

// number makes a an argument if it is a number of fixed size.
func (l *launch) number(i int, a any) bool {
	switch v := a.(type) {
	case int32:
		put(l, i, v)
	case uint32:
		put(l, i, v)
	case int64:
		put(l, i, v)
	case uint64:
		put(l, i, v)
	case float32:
		put(l, i, v)
	case float64:
		put(l, i, v)
	case uintptr:
		put(l, i, v)
	default:
		return l.small(i, a)
	}
	return true
}

func (l *launch) small(i int, a any) bool {
	switch v := a.(type) {
	case int8:
		put(l, i, v)
	case uint8:
		put(l, i, v)
	case int16:
		put(l, i, v)
	case uint16:
		put(l, i, v)
	case bool:
		put(l, i, v)
	case dtype.Float16:
		put(l, i, v)
	case dtype.BFloat16:
		put(l, i, v)
	case dtype.Float8E4M3:
		put(l, i, v)
	case dtype.Float8E5M2:
		put(l, i, v)
	default:
		return false
	}
	return true
}

// put writes a value of at most a word.
func put[T any](l *launch, i int, v T) {
	l.words[i] = 0
	*(*T)(unsafe.Pointer(&l.words[i])) = v
	l.sizes[i] = unsafe.Sizeof(v)
	l.kinds[i] = uint8(reflect.TypeFor[T]().Kind())
}

// reaches says why work of the device cannot use an argument.
func (d *Device) reaches(a device.Argument) error {
	switch {
	case a.Err != nil:
		return a.Err
	case a.Driver != d.p.name:
		return problem(ErrArgument, "memory of platform %s means nothing to %v", a.Driver, d)
	case a.Device >= 0 && !d.peers[a.Device].Load():
		return problem(ErrArgument, "memory of %s:%d: call EnablePeer on %v first", a.Driver, a.Device, d)
	}
	return nil
}
