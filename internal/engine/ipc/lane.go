package ipc

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// lane is a stream of its own, made when it is first needed. Where Go reaches device
// memory it needs none: then what it does is done when it returns.
type lane struct {
	p *plane

	mu     sync.Mutex
	stream device.Handle

	one    sync.Mutex // of atomics, which share what follows
	amo    *call[amoJob]
	result device.Ptr // a pinned word, for what they return
}

func newLane(p *plane) *lane { return &lane{p: p, amo: newCall[amoJob]()} }

var _ engine.Lane = (*lane)(nil)

// open returns the stream.
func (l *lane) open() (device.Handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stream != 0 {
		return l.stream, nil
	}
	s, err := l.p.driver.NewStream(l.p.dev, 0)
	if err != nil {
		return 0, err
	}
	l.stream = s
	l.p.watch.keep(l)
	return s, nil
}

// close gives the stream back.
func (l *lane) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.result != 0 {
		err = l.p.driver.FreePinned(l.p.dev, l.result)
	}
	if l.stream != 0 && err == nil {
		err = l.p.driver.DestroyStream(l.p.dev, l.stream)
	}
	l.stream, l.result = 0, 0
	return err
}

// settle waits until all that was queued is done. Nothing on a lane waits for other PEs.
func (l *lane) settle() error { return l.settled(context.Background()) }

func (l *lane) settled(ctx context.Context) error {
	l.mu.Lock()
	s := l.stream
	l.mu.Unlock()
	if s == 0 {
		return nil
	}
	var fault error
	done := func() bool {
		ok, err := l.p.driver.StreamDone(l.p.dev, s)
		fault = err
		return ok || err != nil
	}
	if soon(done) {
		return fault
	}
	if err := l.p.control.Wait(ctx, engine.Call{Kind: engine.KindQuiet}, done); err != nil {
		return err
	}
	return fault
}

// soon looks for a while whether something is done.
func soon(done func() bool) bool {
	begun := time.Now()
	for looks := 1; ; looks++ {
		switch {
		case done():
			return true
		case looks%rest != 0:
		case time.Since(begun) > patience:
			return false
		default:
			runtime.Gosched()
		}
	}
}

// at is an address in pe's memory.
func (p *plane) at(pe int, off engine.Offset) device.Ptr { return p.base[pe] + device.Ptr(off) }

// pointer is an address of memory that Go reaches.
func pointer(a device.Ptr) unsafe.Pointer { return unsafe.Pointer(&mem.At[byte](uintptr(a), 1)[0]) }

// ours says whether an address is memory of a driver, which copies of devices reach,
// rather than Go's.
func (p *plane) ours(a unsafe.Pointer) (bool, error) {
	at := device.Ptr(uintptr(a))
	if at-p.base[p.rank] < device.Ptr(p.size) {
		return true, nil
	}
	about, err := p.driver.Attributes(at)
	return about.Known, err
}

// copyIn brings n bytes from anywhere to an address that the device reaches; what is of
// a device is only queued.
func (l *lane) copyIn(dst device.Ptr, src unsafe.Pointer, n uintptr) error {
	s, err := l.open()
	if err != nil {
		return err
	}
	ours, err := l.p.ours(src)
	switch {
	case err != nil:
		return err
	case ours:
		return l.p.driver.Copy(l.p.dev, dst, device.Ptr(uintptr(src)), n, s)
	}
	return l.p.driver.CopyIn(l.p.dev, dst, src, n, s)
}

// copyOut is copyIn the other way.
func (l *lane) copyOut(dst unsafe.Pointer, src device.Ptr, n uintptr) error {
	s, err := l.open()
	if err != nil {
		return err
	}
	ours, err := l.p.ours(dst)
	switch {
	case err != nil:
		return err
	case ours:
		return l.p.driver.Copy(l.p.dev, device.Ptr(uintptr(dst)), src, n, s)
	}
	return l.p.driver.CopyOut(l.p.dev, dst, src, n, s)
}

// Put copies n bytes to pe, and waits until src may be reused: until they are there.
func (l *lane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := l.PutNBI(pe, dst, src, n); err != nil {
		return err
	}
	return l.settle()
}

// PutNBI copies n bytes to pe. Go memory is read before it returns.
func (l *lane) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := l.p.usable(); err != nil || n == 0 {
		return err
	}
	if l.p.reach {
		mem.Put(pointer(l.p.at(pe, dst)), src, n)
		return nil
	}
	if err := l.copyIn(l.p.at(pe, dst), src, n); err != nil {
		return fmt.Errorf("put %d bytes to PE %d: %w", n, pe, err)
	}
	return nil
}

// Get copies n bytes from pe.
func (l *lane) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := l.GetNBI(pe, dst, src, n); err != nil {
		return err
	}
	return l.settle()
}

// GetNBI copies n bytes from pe. Go memory is written before it returns.
func (l *lane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := l.p.usable(); err != nil || n == 0 {
		return err
	}
	if l.p.reach {
		mem.Get(dst, pointer(l.p.at(pe, src)), n)
		return nil
	}
	if err := l.copyOut(dst, l.p.at(pe, src), n); err != nil {
		return fmt.Errorf("get %d bytes from PE %d: %w", n, pe, err)
	}
	return nil
}

// PutSignal copies n bytes to pe, and then applies op to the signal there: both are in
// one stream.
func (l *lane) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := l.PutNBI(pe, dst, src, n); err != nil {
		return err
	}
	op.Blind = true
	if _, err := l.Atomic(pe, sig, op); err != nil {
		return err
	}
	defer l.p.control.Ring(pe)
	return l.settle()
}

// Fence orders: a stream does one after the other, and so does the CPU.
func (l *lane) Fence() { mem.Release() }

// Quiet waits for the stream.
func (l *lane) Quiet(ctx context.Context) error {
	if l.p.reach {
		mem.Full()
		return l.p.usable()
	}
	if err := l.settled(ctx); err != nil {
		return err
	}
	return l.p.usable()
}

// Load reads a word of the own memory, on a stream on which nothing else is.
func (p *plane) Load(at engine.Offset, width int) (uint64, error) {
	if err := p.usable(); err != nil {
		return 0, err
	}
	var v uint64
	if p.reach {
		a := pointer(p.at(p.rank, at))
		switch width {
		case 1:
			v = uint64(mem.Load[uint8](a))
		case 2:
			v = uint64(mem.Load[uint16](a))
		case 4:
			v = uint64(mem.Load32(a))
		default:
			v = mem.Load64(a)
		}
		return v, nil
	}
	s, err := p.look.open()
	if err != nil {
		return 0, err
	}
	err = p.driver.CopyOut(p.dev, unsafe.Pointer(&v), p.at(p.rank, at), uintptr(width), s)
	return v, err
}
