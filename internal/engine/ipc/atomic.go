package ipc

import (
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// amoJob is an atomic operation as the kernel gets it: Word in package kernels' ipc.cu.
type amoJob struct {
	at, value, cond, result uint64
	kind, width, real       int32
	_                       int32
}

func (w *amoJob) set(at device.Ptr, op engine.AMO, result device.Ptr) {
	*w = amoJob{at: uint64(at), value: op.Value, cond: op.Cond, result: uint64(result), kind: int32(op.Kind), width: int32(op.Width)}
	if op.Float {
		w.real = 1
	}
}

// Atomic applies op to a word of pe: by the CPU where it reaches it, else by a kernel on
// the lane's stream, which writes the old value to pinned memory.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	p := l.p
	if err := p.usable(); err != nil {
		return 0, err
	}
	if p.reach {
		return op.Do(pointer(p.at(pe, at))), nil
	}
	s, err := l.open()
	if err != nil {
		return 0, err
	}
	l.one.Lock()
	defer l.one.Unlock()
	result := device.Ptr(0)
	if !op.Blind {
		if result, err = l.pinned(); err != nil {
			return 0, err
		}
	}
	if err := p.amo(l.amo, s, p.at(pe, at), op, result); err != nil || op.Blind {
		return 0, err
	}
	if err := l.settle(); err != nil {
		return 0, err
	}
	old := mem.Load64(pointer(result))
	if op.Width == 4 {
		old &= 1<<32 - 1
	}
	return old, nil
}

// pinned is a word for results.
func (l *lane) pinned() (device.Ptr, error) {
	var err error
	if l.result == 0 {
		l.result, err = l.p.driver.AllocPinned(l.p.dev, word)
	}
	return l.result, err
}

// amo queues an atomic operation.
func (p *plane) amo(c *call[amoJob], s device.Handle, at device.Ptr, op engine.AMO, result device.Ptr) error {
	if p.bare != nil {
		return p.kernelless("an atomic operation")
	}
	c.arg.set(at, op, result)
	return c.on(p, p.code.atomic, 1, 1, s)
}

// waitJob is a wait for a word as the kernel gets it: Wait in package kernels' ipc.cu.
type waitJob struct {
	job
	at, value uint64
	compare   int64
}

// waitByKernel has a stream wait for a word in a kernel, which can compare as it likes, and
// can be told to give up wherever a graph is replayed.
func (p *plane) waitByKernel(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	if p.bare != nil {
		return p.kernelless(fmt.Sprintf("a wait of a stream by comparison %d", c))
	}
	captured, err := p.capturing(s)
	if err != nil {
		return err
	}
	p.streamMu.Lock()
	defer p.streamMu.Unlock()
	p.waiter.arg = waitJob{job: p.world.job(), at: uint64(at), value: v, compare: int64(c)}
	if !captured {
		p.watch.latest.Store(nil)
		p.watch.launched.Add(1)
	}
	p.watch.wake()
	return p.waiter.on(p, p.code.await, 1, 1, s)
}

// capturing says whether a stream is captured. From the first time on the watch does not
// end before the world: what was captured can be replayed at any time.
func (p *plane) capturing(s device.Handle) (bool, error) {
	captured, err := p.driver.Capturing(p.dev, s)
	if captured {
		p.watch.always.Store(true)
	}
	return captured, err
}

// putByKernel copies by a kernel.
func (p *plane) putByKernel(s device.Handle, dst, src device.Ptr, n uintptr) error {
	p.streamMu.Lock()
	defer p.streamMu.Unlock()
	p.putter.arg = [3]uint64{uint64(dst), uint64(src), uint64(n)}
	blocks, _ := shape(n, perBlock, p.most)
	return p.putter.on(p, p.code.put, blocks, threadsFor(n), s)
}

// newPutter is a launch of three arguments.
func newPutter() *call[[3]uint64] {
	c := newCall[[3]uint64]()
	c.launch.Args = []unsafe.Pointer{unsafe.Pointer(&c.arg[0]), unsafe.Pointer(&c.arg[1]), unsafe.Pointer(&c.arg[2])}
	return c
}
