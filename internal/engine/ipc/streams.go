package ipc

import (
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// PutOn copies to pe.
func (p *plane) PutOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr) error {
	if err := p.usable(); err != nil || n == 0 {
		return err
	}
	if n <= kernelPut && p.bare == nil {
		return p.putByKernel(s, p.at(pe, dst), src, n)
	}
	return p.driver.Copy(p.dev, p.at(pe, dst), src, n, s)
}

// GetOn copies from pe.
func (p *plane) GetOn(s device.Handle, pe int, dst device.Ptr, src engine.Offset, n uintptr) error {
	if err := p.usable(); err != nil || n == 0 {
		return err
	}
	return p.driver.Copy(p.dev, dst, p.at(pe, src), n, s)
}

// PutSignalOn copies to pe, and then signals.
func (p *plane) PutSignalOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := p.PutOn(s, pe, dst, src, n); err != nil {
		return err
	}
	return p.SignalOn(s, pe, sig, op)
}

// SignalOn sets the word at sig of pe, or adds to it.
func (p *plane) SignalOn(s device.Handle, pe int, sig engine.Offset, op engine.AMO) error {
	if err := p.usable(); err != nil {
		return err
	}
	if op.Kind == engine.AMOSet && p.values {
		return p.driver.WriteValue(p.dev, s, p.at(pe, sig), op.Value)
	}
	p.streamMu.Lock()
	defer p.streamMu.Unlock()
	return p.amo(p.signal, s, p.at(pe, sig), op, 0)
}

// QuietOn has nothing to do: a copy is done before what follows it in its stream begins.
func (p *plane) QuietOn(device.Handle) error { return p.usable() }

// WaitOn has later work wait until the own word at at compares with v.
func (p *plane) WaitOn(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	if err := p.usable(); err != nil {
		return err
	}
	how, ok := byValue(c, v)
	if captured, err := p.capturing(s); err != nil {
		return err
	} else if captured || !ok || !p.values {
		return p.waitByKernel(s, at, c, v)
	}
	if err := p.driver.WaitValue(p.dev, s, p.at(p.rank, at), v, how); err != nil {
		return err
	}
	return p.watch.wait(s, at, v)
}

// byValue says whether streams compare so by themselves. They compare a difference with
// 0, which is the same as comparing the numbers where it does not overflow: for numbers
// that are small enough, unless what is found there is as far on the other side.
func byValue(c engine.Compare, v uint64) (device.Compare, bool) {
	const small = 1 << 62
	switch {
	case c == engine.CompareEQ:
		return device.CompareEQ, true
	case c == engine.CompareGE && int64(v) >= 0 && v < small:
		return device.CompareGE, true
	}
	return 0, false
}
