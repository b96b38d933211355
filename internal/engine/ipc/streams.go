package ipc

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// PutOn copies to pe.
func (p *plane) PutOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr) error {
	if err := p.usable(); err != nil || n == 0 {
		return err
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
	return p.amo(s, p.at(pe, sig), op, 0)
}

// QuietOn has nothing to do: a copy is done before what follows it in its stream begins.
func (p *plane) QuietOn(device.Handle) error { return p.usable() }

// WaitOn has later work wait until the own word at at compares with v.
func (p *plane) WaitOn(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	if err := p.usable(); err != nil {
		return err
	}
	how := device.CompareGE
	switch c {
	case engine.CompareEQ:
		how = device.CompareEQ
	case engine.CompareGE:
	default:
		return fmt.Errorf("engine ipc: a stream cannot wait by comparison %d", c)
	}
	if err := p.driver.WaitValue(p.dev, s, p.at(p.rank, at), v, how); err != nil {
		return err
	}
	return p.watch.wait(s, at, v)
}
