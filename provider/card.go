package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
)

// process tells whether two ranks are one process, whose addresses mean the same: numbers of
// processes do not, in containers and on other machines.
var process = rand.Text()

// card is what a rank tells the others of its memory.
type card struct {
	Process   [32]byte
	Machine   [48]byte
	UUID      [48]byte // of the device
	Exported  bool
	Kept      [trouble]byte // why it is not exported
	Bytes, At uint64
	Handle    gpu.IPCHandle
}

// source is memory to import.
type source struct {
	memory gpu.Buffer
	bytes  int // of it
	own    gpu.Buffer
	handle *gpu.IPCHandle // that it came by
	err    error          // there is none
}

// join makes the memory of all ranks an allocation. On an error there is none, on any rank.
func (p *Imports) join(ctx context.Context, s source) (*AddressMap, error) {
	var mine card
	if s.err == nil {
		mine, s.err = p.describe(s)
	}
	if err := agree(ctx, p.x, p.Rank(), p.ranks, s.err); err != nil {
		return nil, err
	}
	cards, err := gather(ctx, p.x, p.Rank(), p.ranks, mine)
	if err != nil {
		return nil, err
	}
	a, h := &allocation{base: s.memory.Address(), bytes: s.bytes}, &holding{number: p.count + 1, own: s.own}
	err = p.reachAll(cards, a, h)
	var m *AddressMap
	if err == nil {
		m, err = p.reg.add(a)
	}
	if err = agree(ctx, p.x, p.Rank(), p.ranks, err); err == nil && p.probe {
		err = SelfTest(ctx, p.x, s.memory, m)
	}
	if err != nil {
		if m != nil {
			p.reg.forget(a)
		}
		return nil, errors.Join(err, unmap(h.mapped))
	}
	p.count++
	p.held[a] = h
	return m, nil
}

// describe says what the others need to know of this rank's memory.
func (p *Imports) describe(s source) (c card, err error) {
	if err := p.reg.vacant(s.memory.Address(), s.memory.Len()); err != nil {
		return c, err
	}
	about, err := p.reg.d.Properties()
	if err != nil {
		return c, err
	}
	here, err := machine()
	if err != nil {
		return c, err
	}
	copy(c.Process[:], process)
	copy(c.Machine[:], here)
	copy(c.UUID[:], about.UUID)
	c.At, c.Bytes = uint64(s.memory.Address()), uint64(s.bytes)
	if s.handle != nil {
		c.Handle, c.Exported = *s.handle, true
	} else if c.Handle, err = s.memory.Export(); err == nil {
		c.Exported = true
	} else {
		put(c.Kept[:], err.Error())
	}
	return c, nil
}

// machine tells machines apart: by their cores, as a device.
func machine() (string, error) {
	d, err := gpu.Open("host")
	if err != nil {
		return "", err
	}
	about, err := d.Properties()
	return about.UUID, err
}

// reachAll finds the memory of all ranks. Those whose memory is out of reach get no base.
func (p *Imports) reachAll(cards []card, a *allocation, h *holding) error {
	mine := cards[p.Rank()]
	a.bases, a.able = make([]uintptr, p.ranks), make([]Capability, p.ranks)
	for r, c := range cards {
		if c.Bytes != mine.Bytes {
			return problem(ErrArgument, "rank %d imports %d bytes, this one %d: all ranks import as many", r, c.Bytes, mine.Bytes)
		}
		at, err := p.reach(c, h)
		if err == nil {
			a.bases[r] = at
			a.able[r], err = p.ability(c)
		}
		if err != nil {
			a.bases[r], a.able[r] = 0, 0
			a.why = fmt.Sprintf("rank %d: %v; ", r, err)
		}
	}
	return nil
}

// reach is where the memory of a rank is for this one.
func (p *Imports) reach(c card, h *holding) (uintptr, error) {
	if get(c.Process[:]) == process {
		return uintptr(c.At), nil
	}
	if here, err := machine(); err != nil || get(c.Machine[:]) != here {
		return 0, errors.Join(err, errors.New("it is on another machine"))
	}
	if !c.Exported {
		return 0, errors.New(get(c.Kept[:]))
	}
	b, err := p.reg.d.Import(c.Handle)
	if err != nil {
		return 0, err
	}
	h.mapped = append(h.mapped, b)
	return b.Address(), nil
}

// ability is what kernels can do with memory of a rank's device. Atomics are known to hold on
// one device, and between devices that this process sees.
func (p *Imports) ability(c card) (Capability, error) {
	about, err := p.reg.d.Properties()
	if err != nil {
		return 0, err
	}
	if about.UUID == get(c.UUID[:]) {
		return RemoteLoadStore | RemoteAtomics, nil
	}
	list, err := gpu.Devices(p.reg.d.Platform())
	if err != nil {
		return 0, err
	}
	for _, other := range list {
		if found, err := other.Properties(); err != nil || found.UUID != get(c.UUID[:]) {
			continue
		}
		if err := p.reg.d.EnablePeer(other); err != nil {
			return 0, err
		}
		access, err := p.reg.d.Peer(other)
		if err == nil && access.Atomics {
			return RemoteLoadStore | RemoteAtomics, nil
		}
		return RemoteLoadStore, err
	}
	return RemoteLoadStore, nil
}
